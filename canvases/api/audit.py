"""The audit log: its events, and a check of all of it."""

from __future__ import annotations

from typing import Annotated

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router

from canvases.api.common import agent_of, reply
from canvases.api.schemas import EventListOut, VerificationOut
from canvases.problems import Problem
from canvases.selectors.audit import event_data, event_page
from canvases.services.verification import SinceUnknown, agent_verify

router = Router()
Since = Annotated[int, Query(ge=0, description="only what comes after this sequence number")]


@router.get("/audit/events", response=EventListOut)
def list_events(
    request: HttpRequest, since: Since = 0, after: str = "", limit: int | None = None
) -> HttpResponse:
    """List the agent's audit events, oldest first."""
    page = event_page(agent_of(request), since=since, after=after, limit=limit)
    return reply({"items": [event_data(row) for row in page.items], "next": page.next})


@router.post("/audit/verify", response=VerificationOut)
def post_verify(request: HttpRequest, since: Since = 0) -> HttpResponse:
    """Check the agent's chain, each signature and each kept content; list all that is wrong."""
    try:
        return reply(agent_verify(agent_of(request), since=since).to_json())
    except SinceUnknown as error:
        raise Problem(422, str(error)) from None
