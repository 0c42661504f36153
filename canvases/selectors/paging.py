"""Keyset pages: `{"items": [...], "next": token or null}`, still while rows come in."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from typing import Any

MAX_LIMIT = 200
DEFAULT_LIMIT = 50
BAD_AFTER = "after is not a token of this list; leave it out, or send the last answer's next"


class BadPage(ValueError):
    """The paging parameters cannot be used; the text says what to send."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page of rows and the token of the next one, None on the last."""

    items: list[Any]
    next: str | None


def token(*position: Any) -> str:
    """Return an opaque token for a position in a list."""
    return base64.urlsafe_b64encode(json.dumps(position).encode()).decode().rstrip("=")


def position(text: str, *kinds: type) -> list[Any] | None:
    """Read a token back as values of these kinds; None for no token. Raises BadPage for anything else."""
    if not text:
        return None
    try:
        values = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, list) or [type(value) for value in values] != list(kinds):
        raise BadPage(BAD_AFTER)
    return values


def page_size(limit: int | None) -> int:
    """Return the number of rows to give for a requested limit. Raises BadPage outside 1–200."""
    if limit is None:
        return DEFAULT_LIMIT
    if not 1 <= limit <= MAX_LIMIT:
        raise BadPage(f"limit is {limit}; send a number from 1 to {MAX_LIMIT}")
    return limit


def cut(rows: list[Any], size: int, *, tokens: Any) -> Page:
    """Make a page of at most `size` rows from up to one more; `tokens(row)` gives a row's token."""
    return Page(items=rows[:size], next=tokens(rows[size - 1]) if len(rows) > size else None)
