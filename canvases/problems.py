"""Errors as RFC 9457 problems: what went wrong and what to do, never the input itself."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

PROBLEM_JSON = "application/problem+json"

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
