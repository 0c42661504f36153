"""The list of sessions, one session, and its timeline."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.http import urlencode

from canvases.models import Canvas, Session
from canvases.ranges import bytes_response
from canvases.selectors import canvases, paging, sessions, timeline
from canvases.views.pages import PageRequest, missing, page, refused, signed_in, unchanged, wants_json


@signed_in
def session_list(request: PageRequest) -> HttpResponse:
    """Show a page of sessions, newest change first."""
    after = request.GET.get("after", "")
    try:
        found = sessions.session_page(after=after)
    except paging.BadPage as error:
        return refused(request, f"{error}.")
    data = {
        "sessions": [sessions.session_row(session) for session in found.items],
        "next": found.next,
        "first_page": not after,
    }
    return page(
        request, "sessions/list.html", data, fragment="sessions/_list.html", extra=connection(request)
    )


def connection(request: PageRequest) -> dict[str, Any]:
    """Return what a first command needs to reach this server."""
    return {"base_url": f"{request.scheme}://{request.get_host()}"}


@signed_in
def session_detail(request: PageRequest, pk: int) -> HttpResponse:
    """Land on the session's newest canvas; while none is drawn, say why."""
    session = sessions.session_numbered(pk)
    if session is None:
        return missing(request, "session")
    drawn = canvases.session_canvases(session)
    if drawn and not wants_json(request):
        return redirect("canvas-detail", pk=pk, number=landing_canvas(session, drawn))
    same = unchanged(request, session.version)
    if same:
        return same
    data = {
        "session": sessions.session_data(session),
        "canvases": [canvases.canvas_brief(canvas) for canvas in drawn],
        "boundaries": timeline.newest_boundaries(session),
    }
    extra = {**connection(request), "tab": "canvas"}
    return page(
        request, "sessions/undrawn.html", data, fragment="sessions/_undrawn_fragment.html", extra=extra
    )


def landing_canvas(session: Session, drawn: list[Canvas]) -> int:
    """Return the number of the active canvas, or of the last one that is drawn."""
    active = [canvas.number for canvas in drawn if canvas.pk == session.active_canvas_id]
    return active[0] if active else drawn[-1].number


@signed_in
def session_timeline(request: PageRequest, pk: int) -> HttpResponse:
    """Show the session as it went, a page of calls at a time; with `?q=` only the calls with these words."""
    session = sessions.session_numbered(pk)
    if session is None:
        return missing(request, "session")
    after, words = request.GET.get("after", ""), request.GET.get("q", "")[: timeline.MOST_FILTER_CHARACTERS]
    same = None if after else unchanged(request, session.version)
    if same:
        return same
    try:
        found = timeline.timeline_page(session, words=words, after=after)
    except paging.BadPage as error:
        return refused(request, f"{error}.")
    data = {
        "session": sessions.session_data(session),
        "rows": found.items,
        "next": found.next,
        "first_page": not after,
        "q": " ".join(words.split()),
    }
    extra = {**connection(request), "tab": "timeline"}
    return page(
        request, "sessions/timeline.html", data, fragment="sessions/_timeline_fragment.html", extra=extra
    )


@signed_in
def session_prompt(request: PageRequest, pk: int, number: int) -> HttpResponse:
    """Give a whole prompt as plain text; what UTF-8 cannot carry is written as an escape."""
    session = sessions.session_numbered(pk)
    prompt = timeline.whole_prompt(session, number) if session else None
    if prompt is None:
        return missing(request, "prompt")
    content = prompt.encode("utf-8", "backslashreplace")
    return bytes_response(request, content, sha256=sha256(content).hexdigest())


@signed_in
def session_named(request: PageRequest, session_id: str) -> HttpResponse:
    """Find a session by the client's id: one goes to its page, several are listed."""
    found = sessions.sessions_named(session_id)
    if not found:
        return missing(request, "session")
    if len(found) == 1:
        address = redirect("session-detail", pk=found[0].pk)
        if wants_json(request):
            address["Location"] += "?" + urlencode({"_format": "json"})
        return address
    data = {
        "sessions": [sessions.session_row(session) for session in found],
        "next": None,
        "first_page": False,
    }
    return page(request, "sessions/list.html", data, extra=connection(request))
