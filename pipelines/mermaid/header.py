"""The first line of a canvas file: goal, progress and times as JSON."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

_LIMIT = 20_000
_LINE = re.compile(r"%%\s?(\{.{0,19990})", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """What the first line of a canvas file says; empty fields where it says nothing."""

    goal: str = ""
    progress: int | None = None
    created: str = ""
    updated: str = ""


def write_header(*, goal: str, progress: int, created: datetime, updated: datetime) -> str:
    """Return the comment line, without a line break: valid JSON that Mermaid never takes for a directive."""
    body = json.dumps(
        {
            "taskGoal": goal,
            "progress": progress,
            "createdTime": iso(created),
            "updatedTime": iso(updated),
        },
        ensure_ascii=False,
    )
    head, quoted, tail = body[:1], body[1:-1], body[-1:]
    return "%% " + head + "".join(_escape(char) for char in quoted) + tail


def read_header(text: str) -> Header:
    """Read the first line of `text`, in the comment form (`%% {…}`) or the bare form (`%%{ … }%%`).

    Anything that is not one of both, or not JSON, gives an empty header.
    """
    first = text.lstrip("\ufeff")[:_LIMIT].split("\n", 1)[0].strip()
    match = _LINE.match(first)
    if not match:
        return Header()
    body = match[1].removesuffix("%%").rstrip()
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        return Header()
    return _from(data) if isinstance(data, dict) else Header()


def iso(moment: datetime) -> str:
    """Return the time in UTC as `2026-01-19T14:02:11Z`."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _from(data: dict[str, Any]) -> Header:
    return Header(
        goal=_text(data.get("taskGoal")),
        progress=_percent(next((data[key] for key in data if key.startswith("progress")), None)),
        created=_text(data.get("createdTime")),
        updated=_text(data.get("updatedTime")),
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _percent(value: Any) -> int | None:
    digits = re.search(r"\d{1,3}", str(value)) if isinstance(value, int | float | str) else None
    return min(100, int(digits[0])) if digits else None


def _escape(char: str) -> str:
    # Mermaid looks for `%%{` anywhere in a text, and breaks lines at more characters than JSON escapes.
    if char in "%<>&" or (not char.isprintable() and char != " "):
        code = ord(char)
        if code > 0xFFFF:
            code -= 0x10000
            return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
        return f"\\u{code:04x}"
    return char
