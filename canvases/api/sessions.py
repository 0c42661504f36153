"""GET sessions: the list, and one."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from ninja import Router

from canvases.api.common import agent_of, reply, session_of
from canvases.api.schemas import SessionListOut, SessionOut
from canvases.selectors.sessions import session_data, session_page, session_row

router = Router()


@router.get("/sessions", response=SessionListOut)
def list_sessions(request: HttpRequest, after: str = "", limit: int | None = None) -> HttpResponse:
    """List the agent's sessions, newest change first."""
    page = session_page(agent=agent_of(request), after=after, limit=limit)
    return reply({"items": [session_row(row) for row in page.items], "next": page.next})


@router.get("/sessions/{segment:session_id}", response=SessionOut)
def get_session(request: HttpRequest, session_id: str) -> HttpResponse:
    """Give one session with its figures."""
    return reply(session_data(session_of(request, session_id)))
