"""Errors as RFC 9457 problems: what went wrong and what to do, never the input itself."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import Any

PROBLEM_JSON = "application/problem+json"
_FULL = re.compile("disk is full|No space left")

_DETAILS = {
    400: "The request could not be read.",
    403: "This key or person may not do that.",
    404: "Nothing of yours is at this address; see /api/v1/docs for the addresses there are.",
    405: "This address does not take that method; see /api/v1/docs.",
    413: "The body is over the limit; send smaller batches.",
    416: "The range begins after the end; Content-Range says how long the content is.",
    500: "Something failed here; the request id finds it in the server's log.",
    503: "The database does not answer; send this again in a while. What is sent twice is stored once.",
    507: "The disk is full, so nothing can be stored or noted; make room where the data is and send it again.",
}


class Problem(Exception):
    """An error answer. `extra` members are added to the standard ones."""

    def __init__(self, status: int, detail: str, **extra: Any) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.extra = extra

    @classmethod
    def of_status(cls, status: int) -> Problem:
        """Return the plain problem of an HTTP status."""
        return cls(status, _DETAILS.get(status, HTTPStatus(status).phrase))

    @classmethod
    def of_database(cls, error: Exception) -> Problem:
        """Return the problem of a database that failed: a full disk, or one that does not answer."""
        return cls.of_status(507 if _FULL.search(str(error)) else 503)

    def body(self, request_id: str) -> dict[str, Any]:
        """Return the members of the answer."""
        return {
            "type": "about:blank",
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": self.detail,
            "request_id": request_id,
            **self.extra,
        }


def not_found(what: str) -> Problem:
    """Return the answer to an id that is unknown or belongs to someone else: the two are not told apart."""
    return Problem(404, f"No such {what}.")


def gone(error: Exception) -> Problem:
    """Return the answer to an id whose content is no longer kept: it says since when and why."""
    return Problem(410, f"Nothing is left to read: {error}.")


async def problem_send(
    send: Callable[[dict[str, Any]], Awaitable[None]], problem: Problem, headers: Mapping[str, str]
) -> None:
    """Answer an ASGI request that no view of Django's sees."""
    request_id = uuid.uuid4().hex
    body = json.dumps(problem.body(request_id)).encode()
    all_headers = {
        "content-type": PROBLEM_JSON,
        "content-length": str(len(body)),
        "x-request-id": request_id,
        **headers,
    }
    raw = [(name.encode(), value.encode()) for name, value in all_headers.items()]
    await send({"type": "http.response.start", "status": problem.status, "headers": raw})
    await send({"type": "http.response.body", "body": body})
