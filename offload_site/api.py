"""The one NinjaAPI: authentication, the resources, and errors as problems."""

from __future__ import annotations

import json
import logging
from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.db import OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError, ValidationError

from canvases.api import router
from canvases.api.common import KeyAuth
from canvases.problems import PROBLEM_JSON, Problem
from canvases.selectors.paging import BadPage
from canvases.services.quota import QuotaFull
from offload_site import openapi

log = logging.getLogger(__name__)


class OffloadAPI(NinjaAPI):
    """The API, with a description that leaves nothing out."""

    def get_openapi_schema(self, **options: Any) -> Any:
        schema = super().get_openapi_schema(**options)
        openapi.complete(schema)
        return schema


api = OffloadAPI(
    title="Context offload",
    version=settings.VERSION,
    description="Post tool calls with their results, watch the canvas, read every byte back.",
    auth=KeyAuth(),
    openapi_url="/openapi.json",
    docs_url="/docs",
)
api.add_router("", router)


def _answer(request: HttpRequest, problem: Problem) -> HttpResponse:
    body = json.dumps(problem.body(getattr(request, "request_id", "")))
    response = HttpResponse(body, status=problem.status, content_type=PROBLEM_JSON)
    if problem.status == 401:
        response["WWW-Authenticate"] = "Bearer"
    return response


@api.exception_handler(Problem)
def problem(request: HttpRequest, error: Problem) -> HttpResponse:
    return _answer(request, error)


@api.exception_handler(QuotaFull)
def quota_full(request: HttpRequest, error: QuotaFull) -> HttpResponse:
    return _answer(request, Problem(507, f"{error}.", limit=error.limit))


@api.exception_handler(BadPage)
def bad_page(request: HttpRequest, error: BadPage) -> HttpResponse:
    return _answer(request, Problem(422, f"{error}."))


@api.exception_handler(AuthenticationError)
def unauthenticated(request: HttpRequest, error: AuthenticationError) -> HttpResponse:
    came = request.headers.get("Authorization", "").lower().startswith("bearer ")
    cause = "This API key is not known here." if came else "Send `Authorization: Bearer <api key>`."
    return _answer(request, Problem(401, f"{cause} `manage.py create_api_key --agent NAME` makes one."))


@api.exception_handler(ValidationError)
def invalid(request: HttpRequest, error: ValidationError) -> HttpResponse:
    """Name each bad parameter and what is wrong with it; the input itself is not echoed."""
    errors = [{"where": ".".join(map(str, one["loc"])), "detail": one["msg"]} for one in error.errors]
    text = "; ".join(f"{one['where']}: {one['detail']}" for one in errors)
    return _answer(request, Problem(422, text, errors=errors))


@api.exception_handler(RequestDataTooBig)
def too_big(request: HttpRequest, error: RequestDataTooBig) -> HttpResponse:
    limit = settings.OFFLOAD_MAX_BODY_BYTES
    detail = f"The limit is {limit} bytes (OFFLOAD_MAX_BODY_MB); send smaller batches."
    return _answer(request, Problem(413, detail, limit=limit))


@api.exception_handler(OperationalError)
def no_database(request: HttpRequest, error: OperationalError) -> HttpResponse:
    """Tell a full disk and a database that does not answer from a mistake of ours; the log has the rest."""
    log.error("the database failed: %s", error)
    problem = Problem.of_database(error)
    response = _answer(request, problem)
    if problem.status == 503:
        response["Retry-After"] = "5"
    return response


@api.exception_handler(Http404)
def missing(request: HttpRequest, error: Http404) -> HttpResponse:
    return _answer(request, Problem.of_status(404))


@api.exception_handler(HttpError)
def http_error(request: HttpRequest, error: HttpError) -> HttpResponse:
    return _answer(request, Problem(error.status_code, str(error)))
