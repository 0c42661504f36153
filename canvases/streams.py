"""Server-sent events: one per version of a session, resumable by `Last-Event-ID`."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import close_old_connections
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from canvases.hub import hub
from canvases.models import ApiKey, Session
from canvases.problems import PROBLEM_JSON, Problem, not_found
from canvases.selectors.sessions import agent_session

HEARTBEAT_SECONDS = 15.0
UNHEARD_SECONDS = 2.0
LONGEST_SECONDS = 15 * 60.0
MOST_REPLAYED = 1000
_VERSION = re.compile(r"[0-9]{1,18}")
T = TypeVar("T")
readers = ThreadPoolExecutor(max_workers=1, thread_name_prefix="streams")


@csrf_exempt
@require_safe
async def agent_events(request: HttpRequest, session_id: str) -> HttpResponseBase:
    """Stream a session's versions to a program with an API key."""
    scheme, _, key = request.headers.get("Authorization", "").partition(" ")
    try:
        pk = await _look(_agent_session_pk, key.strip() if scheme.lower() == "bearer" else "", session_id)
    except Problem as problem:
        body = json.dumps(problem.body(getattr(request, "request_id", "")))
        return HttpResponse(body, status=problem.status, content_type=PROBLEM_JSON)
    return _stream(request, pk)


def _agent_session_pk(key: str, session_id: str) -> int:
    found = ApiKey.find(key)
    if found is None:
        raise Problem(401, "Send `Authorization: Bearer <api key>`.")
    session = agent_session(found.agent, session_id)
    if session is None:
        raise not_found("session")
    return session.pk


@require_safe
async def page_events(request: HttpRequest, pk: int) -> HttpResponseBase:
    """Stream a session's versions to a page of someone who is logged in."""
    user: AbstractBaseUser | AnonymousUser = await request.auser()
    if not user.is_authenticated:
        return HttpResponse("Log in first.", status=401, content_type="text/plain")
    if await _look(_version, pk) is None:
        return HttpResponse("No such session.", status=404, content_type="text/plain")
    return _stream(request, pk)


def _stream(request: HttpRequest, session_pk: int) -> HttpResponseBase:
    last = request.headers.get("Last-Event-ID") or request.GET.get("last_event_id") or ""
    known = int(last) if _VERSION.fullmatch(last) else None
    response: HttpResponseBase
    if request.method == "HEAD":
        response = HttpResponse(content_type="text/event-stream")
    else:
        response = StreamingHttpResponse(
            session_versions(session_pk, known), content_type="text/event-stream"
        )
    response["Cache-Control"] = "no-cache"
    response["X-Accel-Buffering"] = "no"
    return response


async def session_versions(session_pk: int, last: int | None) -> AsyncIterator[str]:
    """Yield an event for each version after `last` (from the present one when None), until the stream is old.

    The database is asked when the hub wakes us and every two seconds besides, so that a lost message or a
    stopped broker only costs that long.
    """
    ends = time.monotonic() + LONGEST_SECONDS
    yield "retry: 1000\n\n"
    async with hub.subscription(session_pk) as changed:
        spoke = time.monotonic()
        while time.monotonic() < ends:
            changed.clear()
            version = await _look(_version, session_pk)
            if version is None:
                return
            if last is None or last > version:
                last = version - 1
            for number in range(max(last + 1, version - MOST_REPLAYED), version + 1):
                yield f'id: {number}\nevent: version\ndata: {{"version": {number}}}\n\n'
                spoke = time.monotonic()
            last = version
            if time.monotonic() - spoke > HEARTBEAT_SECONDS:
                yield ": still here\n\n"
                spoke = time.monotonic()
            try:
                await asyncio.wait_for(changed.wait(), UNHEARD_SECONDS)
            except TimeoutError:
                continue


def _version(session_pk: int) -> int | None:
    return Session.objects.values_list("version", flat=True).filter(pk=session_pk).first()


async def _look(read: Callable[..., T], *args: object) -> T:
    """Run a database read on the one thread, and so the one connection, that all streams of a process share."""

    def fresh_read() -> T:
        close_old_connections()
        return read(*args)

    return await asyncio.get_running_loop().run_in_executor(readers, fresh_read)
