"""What every answer gets: a request id, and, under the API, errors as `application/problem+json`."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable

from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from canvases.problems import PROBLEM_JSON, Problem

_GIVEN_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
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
