"""Request bodies that handlers read themselves, and requests that are safe to repeat."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse

from canvases.api.common import agent_of, reply
from canvases.api.schemas import ProblemOut
from canvases.problems import Problem
from canvases.services import idempotency
from canvases.services.sessions import SessionIdRefused
from pipelines import rawjson

ERRORS = {400: ProblemOut, 401: ProblemOut, 409: ProblemOut, 413: ProblemOut, 422: ProblemOut}
STORE_ERRORS = {**ERRORS, 507: ProblemOut}
"""Of requests that store contents: the agent may be at its limit."""


def body_schema(schema: Any) -> dict[str, Any]:
    """Describe a body that the handler reads itself."""
    content = {
        "application/json": {"schema": schema.model_json_schema(ref_template="#/components/schemas/{model}")}
    }
    return {"requestBody": {"required": True, "content": content}}


def bytes_schema() -> dict[str, Any]:
    """Describe a body that is a content itself, whatever its type."""
    content = {"*/*": {"schema": {"type": "string", "format": "binary"}}}
    return {"requestBody": {"required": True, "content": content}}


def body_bytes(request: HttpRequest) -> bytes:
    """Return the body as it came. The server entry has bounded it; Django's bound is that of JSON bodies."""
    body = request.read()
    request._body = body
    return body


def body_text(request: HttpRequest) -> str:
    """Return the body as text, or raise the 400 for bytes that are none."""
    try:
        return request.body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Problem(400, f"The body is not UTF-8, at byte {error.start}.") from None


def not_json(error: rawjson.JsonSyntaxError) -> Problem:
    """Return the answer to a body that is not JSON."""
    return Problem(400, f"The body is not JSON: {error}.")


def body_json(request: HttpRequest) -> Any:
    """Return the body's JSON value; lone surrogates are kept. Raises the 400 for what is not JSON."""
    try:
        return rawjson.parse(body_text(request))
    except rawjson.JsonSyntaxError as error:
        raise not_json(error) from None


def once(request: HttpRequest, act: idempotency.Act) -> HttpResponse:
    """Answer with what the act says; a repeat under the same `Idempotency-Key` gets the first answer."""
    query = request.META.get("QUERY_STRING", "")
    address = f"{request.path}?{query}" if query else request.path
    try:
        status, answer = idempotency.once(
            agent=agent_of(request),
            key=request.headers.get("Idempotency-Key", ""),
            request_sha256=idempotency.request_sha256(request.method or "", address, request.body),
            act=act,
        )
    except SessionIdRefused as error:
        raise Problem(422, f"{error}.") from None
    except idempotency.KeyReused as error:
        raise Problem(409, str(error)) from None
    return reply(answer, status)
