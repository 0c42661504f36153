"""What every resource needs: the agent behind the key, its session, and answers as JSON."""

from __future__ import annotations

import contextlib
import json
from typing import Any, cast

from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from ninja.security import HttpBearer

from canvases.models import Agent, ApiKey, Session
from canvases.problems import not_found
from canvases.selectors.sessions import agent_session


class KeyAuth(HttpBearer):
    """`Authorization: Bearer <api key>`; no cookie counts here, so no CSRF token is needed."""

    def authenticate(self, request: HttpRequest, token: str) -> Agent | None:
        key = ApiKey.find(token)
        if key is None:
            return None
        with contextlib.suppress(OperationalError):  # lists must work on a full disk
            key.note_use()
        request.actor = f"key {key.prefix}"  # type: ignore[attr-defined]
        return key.agent


def agent_of(request: HttpRequest) -> Agent:
    """Return the agent whose key came with the request."""
    return cast("Agent", request.auth)  # type: ignore[attr-defined]


def actor_of(request: HttpRequest) -> str:
    """Return who asks, as the audit log names them: by the key, never by what the request says."""
    return cast("str", request.actor)  # type: ignore[attr-defined]


def session_of(request: HttpRequest, session_id: str) -> Session:
    """Return the agent's session, or raise the 404 that an unknown and a foreign id share."""
    session = agent_session(agent_of(request), session_id)
    if session is None:
        raise not_found("session")
    return session


def reply(data: Any, status: int = 200) -> HttpResponse:
    """Answer with JSON in ASCII, in which every string, a lone surrogate too, arrives as it was."""
    return HttpResponse(json.dumps(data), status=status, content_type="application/json")
