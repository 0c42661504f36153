"""Compressing a session's message list, and keeping what was decided for the next one."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import cache

from django.conf import settings
from django.db import IntegrityError, transaction

from canvases.models import (
    Agent,
    CompressionEvent,
    CompressionState,
    Session,
)
from canvases.selectors.canvases import newest_drawings
from canvases.selectors.sessions import agent_session
from canvases.services.audit import Draft, events_append
from canvases.services.compression_refs import SessionRefs
from canvases.services.redaction import value_redacted
from canvases.services.sessions import session_locked, session_namespace
from canvases.services.token_counts import SharedCounts
from pipelines.audit.kinds import EventType
from pipelines.l3.compress import Request, compress
from pipelines.l3.history import CanvasText
from pipelines.l3.memory import Memory
from pipelines.l3.outcome import Level, Outcome, as_report
from pipelines.l3.weights import Counter
from pipelines.pairs import TEXT
from pipelines.tokens import Mode

TRIES = 5
MOST_CANVASES = 50
"""So many of a session's newest canvases are told of where exchanges go: more than a window has room for."""


class CompressionBusy(RuntimeError):
    """Other calls for the session changed its list at each try; send this one again."""

    def __str__(self) -> str:
        return str(self.__doc__)


@cache
def counter(mode: Mode, encoding: str) -> Counter:
    """Return this process's counter: what was counted once, here or in another process, is not counted again."""
    return Counter(mode=mode, encoding=encoding, shared=SharedCounts(encoding))


def session_compress(
    *, agent: Agent, session_id: str, actor: str, request: Request, dry_run: bool = False
) -> tuple[Outcome, CompressionEvent | None]:
    """Compress a message list and store what was decided; with `dry_run` nothing is.

    Everything a stub names is on disk when this returns. Where secrets are taken out before anything is stored,
    they are taken out of the list too, since what is decided of it is kept. The work is done outside of any
    transaction; of two calls at once for a session the later one begins anew. Raises CompressionBusy when that
    happens too often, and SessionIdRefused.
    """
    request = replace(request, messages=[value_redacted(one)[0] for one in request.messages])
    if dry_run:
        known = agent_session(agent, session_id)
        refs = SessionRefs(agent=agent, session=known, actor=actor, dry_run=True)
        return _compressed_now(request, known, _state(known), refs)[0], None
    with transaction.atomic():
        session = session_locked(agent=agent, session_id=session_id)
    for _ in range(TRIES):
        state = _state(session)
        refs = SessionRefs(agent=agent, session=session, actor=actor)
        began = time.perf_counter()
        outcome, memory = _compressed_now(request, session, state, refs)
        duration = time.perf_counter() - began
        event = _settled(agent, session, state, memory, refs, outcome, actor, duration)
        if event is not None:
            return outcome, event
    raise CompressionBusy


def _state(session: Session | None) -> CompressionState:
    found = CompressionState.objects.filter(session=session).first() if session else None
    return found or CompressionState(session=session)


def _compressed_now(
    request: Request, session: Session | None, state: CompressionState, refs: SessionRefs
) -> tuple[Outcome, Memory]:
    memory = Memory.from_json(state.memory, bytes(state.trails))
    outcome = compress(
        request,
        memory=memory,
        refs=refs,
        canvases=lambda: _canvases(session) if session else [],
        counter=counter(Mode(settings.OFFLOAD_L3_TOKEN_COUNT_MODE), settings.OFFLOAD_L3_TIKTOKEN_ENCODING),
        settings=settings.OFFLOAD_COMPRESSION,
    )
    return outcome, memory


def _canvases(session: Session) -> list[CanvasText]:
    return [
        CanvasText(
            number=drawing.canvas.number,
            filename=drawing.canvas.filename,
            goal=drawing.canvas.task_goal,
            mermaid=drawing.mermaid,
            status=drawing.canvas.status,
            is_current=drawing.canvas_id == session.active_canvas_id,
        )
        for drawing in newest_drawings(session, MOST_CANVASES)
    ]


def _settled(
    agent: Agent,
    session: Session,
    state: CompressionState,
    memory: Memory,
    refs: SessionRefs,
    outcome: Outcome,
    actor: str,
    duration: float,
) -> CompressionEvent | None:
    """Store texts, decisions and the event in one transaction; None when another call was first."""
    packed = refs.packed()
    report = {**as_report(outcome), "duration_ms": round(duration * 1000, 1)}
    with transaction.atomic():
        if not _state_written(session, state, memory):
            return None
        namespace = session_namespace(session.session_id)
        rows, added = refs.keep(packed, namespace)
        event = CompressionEvent.objects.create(
            session=session,
            level=outcome.level,
            context_window=outcome.window,
            tokens_before=outcome.tokens_before,
            tokens_after=outcome.tokens_after,
            report=report,
        )
        drafts = [
            Draft(
                event_type=EventType.OFFLOADED,
                actor=actor,
                payload={
                    "ref_id": rows[sha].ref_id,
                    "content_sha256": sha,
                    "size_bytes": rows[sha].size_bytes,
                    "tokens": rows[sha].tokens,
                    "namespace": namespace,
                    "media_type": TEXT,
                },
            )
            for sha in sorted(added)
        ]
        if outcome.level is not Level.FAST:
            drafts.append(_compressed(event, session, outcome, actor))
        events_append(agent, drafts)
    return event


def _compressed(event: CompressionEvent, session: Session, outcome: Outcome, actor: str) -> Draft:
    return Draft(
        event_type=EventType.COMPRESSED,
        actor=actor,
        payload={
            "event_id": event.pk,
            "session_id": session.session_id,
            "level": outcome.level,
            "tokens_before": outcome.tokens_before,
            "tokens_after": outcome.tokens_after,
            "replaced": len(outcome.replaced),
            "deleted": len(outcome.deleted),
            "truncated": len(outcome.truncated),
        },
    )


def _state_written(session: Session, state: CompressionState, memory: Memory) -> bool:
    """Write what is new of the decisions, if nobody else wrote any since they were read."""
    now = {"memory": memory.to_json(), "trails": memory.trails()}
    if state.version == 0:
        try:
            with transaction.atomic():
                CompressionState.objects.create(session=session, version=1, **now)
        except IntegrityError:
            return False
        return True
    changed = {name: value for name, value in now.items() if value != getattr(state, name)}
    mine = CompressionState.objects.filter(session=session, version=state.version)
    return not changed or mine.update(version=state.version + 1, **changed) == 1
