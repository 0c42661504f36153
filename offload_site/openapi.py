"""What the API's description says beside its routes: the event stream, the files, and every error as a problem."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from canvases.api.schemas import ProblemOut
from canvases.problems import PROBLEM_JSON

STREAM = "/api/v1/sessions/{session_id}/events"
_EVENTS: dict[str, Any] = {
    "operationId": "stream_events",
    "summary": "Stream Events",
    "description": "Server-sent events, one `version` event for each change of the session; `Last-Event-ID` "
    "(or `last_event_id`) goes on after the last one heard.",
    "tags": ["sessions"],
    "parameters": [
        {"in": "path", "name": "session_id", "required": True, "schema": {"type": "string"}},
        {"in": "query", "name": "last_event_id", "schema": {"type": "integer"}},
    ],
    "responses": {"200": {"description": "OK", "content": {"text/event-stream": {}}}},
    "security": [{"KeyAuth": []}],
}
_FILES = {
    "/api/v1/sessions/{session_id}/offload.jsonl": {"200": ["application/jsonl"]},
    "/api/v1/sessions/{session_id}/canvases/{number}.mmd": {"200": ["text/vnd.mermaid"]},
    "/api/v1/refs/{ref_id}/raw": {
        "200": ["text/plain", "application/octet-stream"],
        "206": ["text/plain", "application/octet-stream"],
        "304": [],
    },
}
_MORE_ERRORS: dict[tuple[str, str], set[int]] = {
    ("get", "/api/v1/refs/{ref_id}/raw"): {409, 410, 416},
    ("get", "/api/v1/deref"): {404, 410},
    ("get", "/api/v1/search"): {404},
}
_ANY_QUERY = {STREAM, "/api/v1/refs/{ref_id}/raw"}
_PROBLEM = {"schema": {"$ref": "#/components/schemas/ProblemOut"}}


def complete(document: dict[str, Any]) -> None:
    """Add to the document what routes do not say of themselves."""
    document["paths"][STREAM] = {"get": dict(_EVENTS)}
    schema = ProblemOut.model_json_schema(ref_template="#/components/schemas/{model}")
    document["components"]["schemas"]["ProblemOut"] = schema
    _share_body_parts(document)
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            answers = {str(status): answer for status, answer in operation["responses"].items()}
            for status, types in _FILES.get(path, {}).items():
                answers[status] = {
                    "description": HTTPStatus(int(status)).phrase,
                    "content": {one: {} for one in types},
                }
            wrong = {int(status) for status in answers if status >= "400"} | _errors(path, method, operation)
            for code in sorted(wrong):
                answers[str(code)] = _problem(HTTPStatus(code).phrase)
            operation["responses"] = {**dict(sorted(answers.items())), "default": _problem("Any other error")}


def _share_body_parts(document: dict[str, Any]) -> None:
    """Put what bodies define inside themselves also where their references look for it."""
    for operation in [one for methods in document["paths"].values() for one in methods.values()]:
        for body in operation.get("requestBody", {}).get("content", {}).values():
            document["components"]["schemas"].update(body["schema"].get("$defs", {}))


def _errors(path: str, method: str, operation: dict[str, Any]) -> set[int]:
    """Return the statuses of the errors that an operation answers by what it takes."""
    errors = {400} | _MORE_ERRORS.get((method, path), set())  # 400: a query that is not UTF-8
    places = {one["in"] for one in operation.get("parameters", ())}
    if operation.get("security"):
        errors.add(401)
    if "path" in places:
        errors.add(404)
    if "query" in places and path not in _ANY_QUERY:
        errors.add(422)
    if method == "post":
        errors.add(413)
    return errors


def _problem(description: str) -> dict[str, Any]:
    return {"description": description, "content": {PROBLEM_JSON: _PROBLEM}}
