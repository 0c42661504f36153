"""Compressing an agent's message list, and the compressions that were done."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from ninja import Router

from canvases.api.bodies import ERRORS, body_json, body_schema
from canvases.api.common import actor_of, agent_of, reply, session_of
from canvases.api.schemas_compress import CompressIn, CompressionListOut, CompressionOut, CompressOut
from canvases.problems import Problem, not_found
from canvases.selectors.compressions import compression_page, compression_row, session_compression
from canvases.services.compression import CompressionBusy, session_compress
from canvases.services.sessions import SessionIdRefused
from pipelines.l3.compress import Request
from pipelines.l3.outcome import Level, as_report

router = Router()
_ERRORS = {status: problem for status, problem in ERRORS.items() if status != 409}
MOST_WINDOW = 100_000_000
MOST_MESSAGES = 20_000


@router.post(
    "/sessions/{segment:session_id}/compress",
    response={200: CompressOut, **_ERRORS},
    openapi_extra=body_schema(CompressIn),
)
def post_compress(request: HttpRequest, session_id: str) -> HttpResponse:
    """Return the message list to send: valid, in its own dialect, every stub of it readable back with deref.

    Send the whole list each time, raw or as it was given back; what was decided before is done again to the
    byte. Results that were not posted are stored first. `dry_run` stores nothing.
    """
    asked = _request(body_json(request))
    try:
        outcome, event = session_compress(
            agent=agent_of(request),
            session_id=session_id,
            actor=actor_of(request),
            request=asked["request"],
            dry_run=asked["dry_run"],
        )
    except SessionIdRefused as error:
        raise Problem(422, f"{error}.") from None
    except CompressionBusy as error:
        raise Problem(503, str(error)) from None
    report = {"event_id": event.pk if event else None, **(event.report if event else as_report(outcome))}
    return reply({"messages": outcome.messages, "report": report})


def _request(body: Any) -> dict[str, Any]:
    if not isinstance(body, dict):
        raise Problem(422, 'Send a JSON object: {"messages": [...], "context_window": 200000}.')
    messages = body.get("messages")
    if not isinstance(messages, list) or not all(isinstance(one, dict) for one in messages):
        raise Problem(422, "messages must be a list of message objects.")
    if len(messages) > MOST_MESSAGES:
        raise Problem(422, f"messages has {len(messages)} members; the limit is {MOST_MESSAGES}.")
    level = body.get("level")
    if level is not None and level not in [one.value for one in Level]:
        raise Problem(422, f"level must be one of {', '.join(Level)}.")
    tools = body.get("keep_tools", [])
    if not isinstance(tools, list) or not all(isinstance(one, str) for one in tools):
        raise Problem(422, "keep_tools must be a list of tool names.")
    least = body.get("tool_thresholds", {})
    if not isinstance(least, dict) or not all(type(one) is int and one >= 0 for one in least.values()):
        raise Problem(422, 'tool_thresholds must be an object of numbers of tokens: {"Read": 2000}.')
    return {
        "request": Request(
            messages=messages,
            window=_number(body, "context_window", least=1) or settings.OFFLOAD_DEFAULT_CONTEXT_WINDOW,
            total_tokens=_number(body, "total_tokens", least=0),
            level=Level(level) if level is not None else None,
            keep_tools=frozenset(tools),
            tool_thresholds=least,
            can_deref=_flag(body, "can_deref", default=True),
        ),
        "dry_run": _flag(body, "dry_run", default=False),
    }


def _number(body: dict[str, Any], name: str, *, least: int) -> int | None:
    value = body.get(name)
    if value is None:
        return None
    if type(value) is not int or not least <= value <= MOST_WINDOW:
        raise Problem(422, f"{name} must be a whole number from {least} to {MOST_WINDOW}.")
    return value


def _flag(body: dict[str, Any], name: str, *, default: bool) -> bool:
    value = body.get(name, default)
    if not isinstance(value, bool):
        raise Problem(422, f"{name} must be true or false.")
    return value


@router.get("/sessions/{segment:session_id}/compressions", response=CompressionListOut)
def list_compressions(
    request: HttpRequest, session_id: str, after: str = "", limit: int | None = None
) -> HttpResponse:
    """List the compressions of a session, newest first."""
    page = compression_page(session_of(request, session_id), after=after, limit=limit)
    return reply({"items": [compression_row(row) for row in page.items], "next": page.next})


@router.get("/sessions/{segment:session_id}/compressions/{int:event_id}", response=CompressionOut)
def get_compression(request: HttpRequest, session_id: str, event_id: int) -> HttpResponse:
    """Give one compression with what was done to each message and why."""
    event = session_compression(session_of(request, session_id), event_id)
    if event is None:
        raise not_found("compression")
    return reply({**compression_row(event), "report": event.report})
