"""What every answer gets: a request id, and, under the API, errors as `application/problem+json`."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable
from urllib.parse import parse_qsl

from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase

from canvases.problems import PROBLEM_JSON, Problem

_GIVEN_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_RAW_BYTE = re.compile("[\x80-\xff]")
_Handler = Callable[[HttpRequest], HttpResponseBase]


class RequestIdMiddleware:
    """Give the request an id (the client's `X-Request-ID` when it is a plain one), said in the answer too."""

    def __init__(self, get_response: _Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        given = request.headers.get("X-Request-ID", "")
        request.request_id = given if _GIVEN_ID.fullmatch(given) else uuid.uuid4().hex  # type: ignore[attr-defined]
        response = self.get_response(request)
        response["X-Request-ID"] = request.request_id  # type: ignore[attr-defined]
        return response


class HeadMiddleware:
    """Answer HEAD under the API as GET without the body; the server leaves the body of a plain answer out."""

    def __init__(self, get_response: _Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.method != "HEAD" or not request.path.startswith("/api/"):
            return self.get_response(request)
        request.method = "GET"
        response = self.get_response(request)
        request.method = "HEAD"
        if not response.streaming:
            return response
        response.close()
        return HttpResponse(status=response.status_code, headers=dict(response.items()))


class ExactQueryMiddleware:
    """Read the query of an API request exactly, or refuse it: Django replaces what is no UTF-8, after which two
    ids could meet. A lone surrogate is written as in a path (see `canvases.converters`)."""

    def __init__(self, get_response: _Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        query = request.META.get("QUERY_STRING", "")
        if request.path.startswith("/api/") and ("%" in query or not query.isascii()):
            try:
                request.GET = _exact_query(query)  # type: ignore[assignment]
            except UnicodeDecodeError:
                detail = "The query is not UTF-8; percent-encode the UTF-8 bytes of each value."
                return _answer(request, Problem(400, detail))
        return self.get_response(request)


def _exact_query(query: str) -> QueryDict:
    encoded = _RAW_BYTE.sub(lambda found: f"%{ord(found[0]):02X}", query)
    exact = QueryDict(mutable=True)
    for name, value in parse_qsl(encoded, keep_blank_values=True, errors="surrogatepass"):
        exact.appendlist(name, value)
    return exact


def _answer(request: HttpRequest, problem: Problem) -> HttpResponse:
    body = json.dumps(problem.body(getattr(request, "request_id", "")))
    return HttpResponse(body, status=problem.status, content_type=PROBLEM_JSON)


class ProblemMiddleware:
    """Turn every error of the API that is not JSON yet (unknown address, wrong method) into a problem."""

    def __init__(self, get_response: _Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        plain = "json" not in response.get("Content-Type", "")
        if response.status_code < 400 or not plain or not request.path.startswith("/api/"):
            return response
        problem = _wrong_host(request) or Problem.of_status(response.status_code)
        body = json.dumps(problem.body(getattr(request, "request_id", "")))
        answer = HttpResponse(body, status=response.status_code)
        for name, value in response.items():
            answer[name] = value
        answer["Content-Type"] = PROBLEM_JSON
        answer["Content-Length"] = str(len(body))
        return answer


def _wrong_host(request: HttpRequest) -> Problem | None:
    try:
        request.get_host()
    except DisallowedHost:
        return Problem(400, "The server does not know this host name; add it to OFFLOAD_ALLOWED_HOSTS.")
    return None
