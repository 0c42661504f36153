"""Sessions: the list, and one with its figures."""

from __future__ import annotations

from typing import Any

from django.db.models import Q, QuerySet

from canvases.models import Agent, Boundary, OffloadEntry, Session
from canvases.models.session import text_key
from canvases.selectors import paging
from pipelines.pairs import moment


def agent_session(agent: Agent, session_id: str) -> Session | None:
    """Return the agent's session with the client's id."""
    return _sessions().filter(agent=agent, session_key=text_key(session_id)).first()


def session_numbered(pk: int) -> Session | None:
    """Return the session with this number, whoever owns it."""
    return _sessions().filter(pk=pk).first()


def sessions_named(session_id: str) -> list[Session]:
    """Return the sessions with the client's id, of any agent; two are enough to know it is not unique."""
    found = _sessions().filter(session_key=text_key(session_id))
    return list(found.order_by("-updated_at")[:50])


def _sessions() -> QuerySet[Session]:
    """Return sessions with what is shown of them; nothing large is loaded."""
    joined = Session.objects.select_related("agent", "active_canvas")
    return joined.defer("recent_messages", "active_canvas__state")


def session_page(*, agent: Agent | None = None, after: str = "", limit: int | None = None) -> paging.Page:
    """Return a page of sessions, newest change first; of one agent, or of all when `agent` is None."""
    size = paging.page_size(limit)
    rows = _sessions().order_by("-updated_at", "-pk")
    if agent is not None:
        rows = rows.filter(agent=agent)
    at = paging.position(after, str, int)
    if at is not None:
        rows = _before(rows, at)
    return paging.cut(
        list(rows[: size + 1]), size, tokens=lambda row: paging.token(row.updated_at.isoformat(), row.pk)
    )


def _before(rows: QuerySet[Session], at: list[Any]) -> QuerySet[Session]:
    changed = moment(at[0])
    if changed is None or changed.isoformat() != at[0]:
        raise paging.BadPage(paging.BAD_AFTER)
    return rows.filter(Q(updated_at__lt=changed) | Q(updated_at=changed, pk__lt=at[1]))


def session_data(session: Session) -> dict[str, Any]:
    """Return the session as API and pages give it; token figures are sums over its results.

    `raw` counts every result, `offloaded` those that a shorter summary can stand in for, `saved_gross` is
    what that leaves out of a context, `saved_net` takes off what models were paid to write the summaries.
    """
    return {**session_row(session), "unmapped_entries": unmapped_entries(session)}


def session_row(session: Session) -> dict[str, Any]:
    """Return what a list says of the session: all of `session_data` that costs no query of its own."""
    saved = session.offloaded_tokens - session.summary_tokens
    canvas = session.active_canvas
    return {
        "number": session.pk,
        "session_id": session.session_id,
        "agent": session.agent.name,
        "version": session.version,
        "pairs": session.pair_count,
        "entries": session.entry_count,
        "pending_summaries": session.pair_count - session.entry_count,
        "active_canvas": canvas.filename if canvas else None,
        "status": canvas.status if canvas and canvas.revision else None,
        "progress": canvas.progress if canvas and canvas.revision else None,
        "task_goal": canvas.task_goal if canvas else None,
        "context_window": session.context_window,
        "raw_bytes": session.raw_bytes,
        "tokens": {
            "raw": session.raw_tokens,
            "offloaded": session.offloaded_tokens,
            "saved_gross": saved,
            "saved_net": saved,
        },
        "created_at": session.created_at.isoformat(),
        "updated_at": session.updated_at.isoformat(),
    }


def unmapped_entries(session: Session) -> int:
    """Count the entries that wait for a node; those of short tasks do not."""
    waiting = Boundary.objects.filter(session=session, settled=False).exclude(verdict=Boundary.Verdict.SHORT)
    unmapped = 0
    for boundary in waiting:
        after = max(boundary.drawn_through, boundary.first_seq - 1)
        entries = OffloadEntry.objects.filter(session=session, seq__gt=after, node_number__isnull=True)
        following = boundary.following()
        unmapped += (entries.filter(seq__lt=following.first_seq) if following else entries).count()
    return unmapped


def waiting_list(limit: int = 50) -> list[dict[str, Any]]:
    """Return the sessions with work due, longest waiting first."""
    rows = Session.objects.filter(waiting_since__isnull=False).order_by("waiting_since")[:limit]
    return [
        {
            "number": row.pk,
            "session_id": row.session_id,
            "waiting_since": row.waiting_since.isoformat() if row.waiting_since else None,
            "pending_summaries": row.pair_count - row.entry_count,
            "failures": row.failures,
            "retry_at": row.retry_at.isoformat() if row.retry_at else None,
        }
        for row in rows
    ]
