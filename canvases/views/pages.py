"""What all pages share: who may see them, and one answer in three sizes (page, fragment, JSON)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.cache import patch_vary_headers
from django_htmx.http import HttpResponseClientRedirect
from django_htmx.middleware import HtmxDetails

from canvases.problems import PROBLEM_JSON, Problem

View = Callable[..., HttpResponse]
_UNSHOWABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


class PageRequest(HttpRequest):
    """A request for a page, with what the middleware adds."""

    htmx: HtmxDetails
    request_id: str


def displayable(text: str) -> str:
    """Return text that UTF-8 can carry and a reader can see.

    Controls become their pictures (NUL is ␀), lone surrogates and the characters that turn the direction of
    what follows become U+FFFD. The exact bytes are always behind the download.
    """
    return _UNSHOWABLE.sub(_picture, text)


def _picture(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else "\ufffd"


def signed_in(view: View) -> View:
    """Let only people who are logged in see the page; others are sent to log in and come back."""

    @wraps(view)
    def guarded(request: PageRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.user.is_authenticated:
            return view(request, *args, **kwargs)
        if wants_json(request):
            return problem(request, Problem(401, "Log in first."))
        if request.htmx:
            return HttpResponseClientRedirect(redirect_to_login(_reader_path(request)).url)
        return redirect_to_login(request.get_full_path())

    return guarded


def _reader_path(request: PageRequest) -> str:
    return request.htmx.current_url_abs_path or request.get_full_path()


def wants_json(request: HttpRequest) -> bool:
    """Say whether the page's JSON twin is asked for: the same address with `_format=json`."""
    return request.GET.get("_format") == "json"


def wants_fragment(request: PageRequest) -> bool:
    """Say whether only the changing part of the page is asked for."""
    return bool(request.htmx) and not request.htmx.history_restore_request


def page(
    request: PageRequest,
    template: str,
    data: dict[str, Any],
    *,
    fragment: str = "",
    extra: dict[str, Any] | None = None,
    status: int = 200,
) -> HttpResponse:
    """Answer with the page, its fragment, or its twin: `data` is the JSON and the template's context alike.

    `extra` holds what only the template needs.
    """
    if wants_json(request):
        return HttpResponse(json.dumps(data), status=status, content_type="application/json")
    name = fragment if fragment and wants_fragment(request) else template
    html = render_to_string(name, {**data, **(extra or {})}, request=request)
    response = HttpResponse(displayable(html), status=status)
    patch_vary_headers(response, ["HX-Request", "Cookie"])
    response["Cache-Control"] = "private, no-cache"
    return response


def missing(request: PageRequest, what: str) -> HttpResponse:
    """Answer that there is no such thing, as a page or as a problem."""
    if wants_json(request):
        return problem(request, Problem(404, f"No such {what}."))
    return page(request, "404.html", {"what": what}, status=404)


def refused(request: PageRequest, detail: str) -> HttpResponse:
    """Answer that the address asks for something that cannot be read."""
    if wants_json(request):
        return problem(request, Problem(400, detail))
    return page(request, "400.html", {"detail": detail}, status=400)


def problem(request: PageRequest, error: Problem) -> HttpResponse:
    """Answer with an error as JSON."""
    body = json.dumps(error.body(getattr(request, "request_id", "")))
    return HttpResponse(body, status=error.status, content_type=PROBLEM_JSON)


def unchanged(request: PageRequest, version: int) -> HttpResponse | None:
    """Return 204 when a fragment is asked for by someone who has this version already."""
    if wants_fragment(request) and request.GET.get("_version") == str(version):
        return HttpResponse(status=204)
    return None


def actor_of(request: PageRequest) -> str:
    """Return who reads, as the audit log names them."""
    return f"person {request.user.get_username()}"
