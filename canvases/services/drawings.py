"""L2: the entries of long tasks are folded into their canvases, one revision at a time."""

from __future__ import annotations

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from canvases import live
from canvases.models import Boundary, Canvas, CanvasRevision, Layer, OffloadEntry, Session, ToolPair
from canvases.selectors.canvases import canvas_memory
from canvases.selectors.contents import entry_step
from canvases.services.boundaries import boundary_prompt
from canvases.services.rebuilding import canvas_rebuild
from canvases.services.sessions import session_held
from pipelines import l2, mermaid

STEPS_PER_REVISION = 20


def canvases_draw(session_pk: int) -> int:
    """Draw all that is due on the session's canvases; return how many revisions were made.

    One writer per canvas wins: a revision is written only onto the one it was made from, and who loses
    starts again from the newer one.
    """
    made = 0
    long = Boundary.objects.filter(session=session_pk, settled=False, verdict=Boundary.Verdict.LONG)
    for boundary_pk in list(long.values_list("pk", flat=True)):
        made += _draw_boundary(boundary_pk)
    made += _pause_inactive(session_pk)
    if made:
        Layer.succeeded("l2")
    return made


def _draw_boundary(boundary_pk: int) -> int:
    made = 0
    while True:
        canvas = Canvas.objects.get(boundaries=boundary_pk)
        boundary = Boundary.objects.get(pk=boundary_pk)
        entries = _due(boundary)
        if not entries:
            _settle(boundary)
            return made
        made += _draw(canvas, boundary, entries)


def _due(boundary: Boundary) -> list[OffloadEntry]:
    entries = OffloadEntry.objects.filter(session=boundary.session_id, seq__gt=_drawn_through(boundary))
    found = list(entries.select_related("pair").order_by("seq")[:STEPS_PER_REVISION])
    following = boundary.following()
    return [entry for entry in found if following is None or entry.seq < following.first_seq]


def _drawn_through(boundary: Boundary) -> int:
    return max(boundary.drawn_through, boundary.first_seq - 1)


def _settle(boundary: Boundary) -> None:
    """Close the boundary once another has begun and each of its own pairs, read or not, is on the canvas."""
    following = boundary.following()
    if following is None:
        return
    pairs = ToolPair.objects.filter(session=boundary.session_id, seq__gt=_drawn_through(boundary))
    if not pairs.filter(seq__lt=following.first_seq).exists():
        Boundary.objects.filter(pk=boundary.pk).update(settled=True)


def _draw(canvas: Canvas, boundary: Boundary, entries: list[OffloadEntry]) -> bool:
    """Fold the entries into the canvas; False when another writer was faster."""
    prompts = [boundary_prompt(boundary)] if boundary.prompt and not boundary.drawn_through else []
    state, nodes = l2.advance(
        l2.resume(canvas_state(canvas)),
        [entry_step(entry) for entry in entries],
        prompts,
        max_nodes=settings.OFFLOAD_CANVAS_MAX_NODES,
        max_chars=settings.OFFLOAD_CANVAS_MAX_CHARS,
    )
    with transaction.atomic():
        session = session_held(canvas.session_id)
        if not _revision_write(canvas, state, through_seq=entries[-1].seq):
            return False
        for entry in entries:
            entry.canvas, entry.node_number = canvas, nodes[entry.seq]
        OffloadEntry.objects.bulk_update(entries, ["canvas", "node_number"])
        boundary.drawn_through = entries[-1].seq
        boundary.save(update_fields=["drawn_through"])
        live.session_changed(session)
    return True


def canvas_state(canvas: Canvas) -> l2.CanvasState:
    """Return the builder's working memory for the canvas, new when nothing was drawn yet.

    A damaged one is made again from what is on the canvas; raises CanvasDamaged where that cannot be.
    """
    memory = canvas_memory(canvas)
    if memory is not None:
        return memory
    if canvas.revision:
        return canvas_rebuild(canvas)
    return l2.new_state(
        number=canvas.number, label=canvas.label, goal=canvas.task_goal, created=canvas.created_at
    )


def _revision_write(canvas: Canvas, state: l2.CanvasState, *, through_seq: int) -> bool:
    """Write the next revision if the canvas is still at the one it was read at."""
    view = l2.view(state)
    number = canvas.revision + 1
    won = Canvas.objects.filter(pk=canvas.pk, revision=canvas.revision).update(
        state=state.to_json(),
        revision=number,
        status=view.status,
        progress=view.progress,
        task_goal=view.goal,
        updated_at=timezone.now(),
    )
    if won != 1:
        return False
    CanvasRevision.objects.create(
        canvas=canvas,
        number=number,
        status=view.status,
        progress=view.progress,
        task_goal=view.goal,
        nodes=[node.to_json() for node in view.nodes],
        edges=[edge.to_json() for edge in view.edges],
        mermaid=mermaid.write_text(view, max_chars=settings.OFFLOAD_CANVAS_MAX_CHARS),
        drawing=mermaid.write_drawing(view),
        through_seq=through_seq,
        as_of=view.updated,
    )
    return True


def _pause_inactive(session_pk: int) -> int:
    """Show a task as paused once the agent has turned to another."""
    session = Session.objects.get(pk=session_pk)
    left = Canvas.objects.filter(session=session, status="doing", revision__gt=0)
    made = 0
    for canvas in left:
        if canvas.pk == session.active_canvas_id:
            continue
        with transaction.atomic():
            held = session_held(session_pk)
            newest = CanvasRevision.objects.get(canvas=canvas, number=canvas.revision)
            if _revision_write(canvas, l2.pause(canvas_state(canvas)), through_seq=newest.through_seq):
                live.session_changed(held)
                made += 1
    return made
