"""L1.5: which task each stretch of work belongs to."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

from django.db import transaction
from django.db.models import Max

from canvases import live
from canvases.models import Boundary, Canvas, Layer, OffloadEntry, Session, ToolPair
from canvases.selectors.contents import entry_step
from canvases.services.sessions import session_held
from pipelines import l15
from pipelines.records import Prompt, Step

KNOWN_CANVASES = 10
KNOWN_PROMPTS = 20
BRIEF_ENTRIES = 50
BRIEF_OBJECTS = 20


def boundaries_judge(session_pk: int) -> int:
    """Judge every open boundary of the session in order; return how many verdicts changed.

    A verdict may change while its boundary is the newest (short becomes long with evidence); once long it
    stays. Entries belong to boundaries by sequence number, never by a clock.
    """
    with transaction.atomic():
        session = session_held(session_pk)
        changed = 0
        for boundary in Boundary.objects.filter(session=session, settled=False):
            changed += _judge(session, boundary, boundary.following())
        if changed:
            live.session_changed(session)
    if changed:
        Layer.succeeded("l15")
    return changed


def _judge(session: Session, boundary: Boundary, following: Boundary | None) -> bool:
    if boundary.verdict == Boundary.Verdict.LONG:
        return False
    steps = _steps(boundary, following)
    verdict = l15.judge(
        prompts=_prompts(boundary),
        steps=steps,
        active=_brief(session.active_canvas) if session.active_canvas else None,
        canvases=[_brief(canvas) for canvas in _known(session)],
    )
    before = (boundary.verdict, boundary.reason)
    boundary.verdict, boundary.reason = verdict.kind.value, verdict.reason
    over = following is not None and not _unread(boundary, following)
    if over and boundary.verdict == Boundary.Verdict.PENDING:
        boundary.verdict = Boundary.Verdict.SHORT
        boundary.reason = "Nothing was done before the next prompt."
    if boundary.verdict == Boundary.Verdict.LONG:
        boundary.canvas = _canvas(session, verdict, began=min(boundary.timestamp, steps[0].timestamp))
        session.active_canvas = boundary.canvas
        session.save(update_fields=["active_canvas"])
    boundary.settled = over and boundary.verdict == Boundary.Verdict.SHORT
    boundary.save(update_fields=["verdict", "reason", "canvas", "settled"])
    return before != (boundary.verdict, boundary.reason)


def _unread(boundary: Boundary, following: Boundary) -> bool:
    """Say whether some of the boundary's pairs have no entry yet, so that its last word is not spoken."""
    pairs = ToolPair.objects.filter(session=boundary.session_id, summarised=False)
    return pairs.filter(seq__gte=boundary.first_seq, seq__lt=following.first_seq).exists()


def _steps(boundary: Boundary, following: Boundary | None) -> list[Step]:
    entries = OffloadEntry.objects.filter(session=boundary.session_id, seq__gte=boundary.first_seq)
    if following is not None:
        entries = entries.filter(seq__lt=following.first_seq)
    return [entry_step(entry) for entry in entries.select_related("pair").order_by("seq")]


def _prompts(boundary: Boundary) -> list[Prompt]:
    """Return the boundary's prompt after the newest of those right before it that led to nothing yet."""
    rows = Boundary.objects.filter(
        session=boundary.session_id, first_seq=boundary.first_seq, pk__lte=boundary.pk, prompt__isnull=False
    )
    newest = rows.order_by("-pk")[:KNOWN_PROMPTS]
    return [boundary_prompt(row) for row in reversed(newest)]


def boundary_prompt(boundary: Boundary) -> Prompt:
    """Return the boundary's prompt as the judge and the canvas builder take it."""
    return Prompt(text=boundary.prompt or "", before_seq=boundary.first_seq, timestamp=boundary.timestamp)


def _known(session: Session) -> list[Canvas]:
    newest = Canvas.objects.filter(session=session).defer("state").order_by("-number")[:KNOWN_CANVASES]
    return sorted(newest, key=lambda canvas: canvas.number)


def _brief(canvas: Canvas) -> l15.CanvasBrief:
    newest = OffloadEntry.objects.filter(canvas=canvas).order_by("-seq").values_list("facts", flat=True)
    counts = Counter(name for facts in newest[:BRIEF_ENTRIES] for name in facts.get("objects", ()))
    return l15.CanvasBrief(
        number=canvas.number,
        label=canvas.label,
        goal=canvas.task_goal,
        status=canvas.status,
        objects=tuple(name for name, _ in counts.most_common(BRIEF_OBJECTS)),
    )


def _canvas(session: Session, verdict: l15.Verdict, *, began: datetime) -> Canvas:
    if verdict.canvas is not None:
        return Canvas.objects.get(session=session, number=verdict.canvas)
    highest = Canvas.objects.filter(session=session).aggregate(Max("number"))["number__max"] or 0
    return Canvas.objects.create(
        session=session,
        number=highest + 1,
        label=verdict.label,
        task_goal=verdict.goal,
        created_at=began,
    )
