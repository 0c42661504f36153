"""How values look on a page: short in place, exact on hover, a status by shape and word as well as colour."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from django import template

register = template.Library()

STATUS_MARKS = {"done": "✓", "doing": "▸", "blocked": "✕", "paused": "‖"}
OUTCOMES = {
    "ok": ("✓", "ok"),
    "failed": ("✕", "failed"),
    "declined": ("⊘", "declined"),
    "interrupted": ("■", "interrupted"),
    "running": ("▸", "running"),
    "unknown": ("·", "not told"),
}
VERDICT_MARKS = {"long": "◆", "short": "◇", "pending": "…"}
LAYER_NAMES = {
    "database": "Database",
    "broker": "Message broker",
    "worker": "Worker",
    "l1": "Summaries (L1)",
    "l15": "Tasks (L1.5)",
    "l2": "Canvases (L2)",
}
LAYER_STATES = {
    "ok": ("✓", "works"),
    "idle": ("·", "no work yet"),
    "down": ("✕", "down"),
    "failing": ("✕", "failing"),
}
_SCORES = (
    (9, "the raw result is no longer needed"),
    (7, "the raw result is rarely needed"),
    (4, "details are only in the raw result"),
    (1, "much is only in the raw result"),
    (0, "read the raw result"),
)
_BYTES = ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))


@register.filter
def cut(text: Any, length: int) -> str:
    """Return at most `length` characters, the last an ellipsis where something is left out."""
    whole = str(text)
    return whole if len(whole) <= length else whole[: length - 1] + "…"


@register.filter
def one_line(text: Any) -> str:
    """Return the text with every run of white space as one space."""
    return " ".join(str(text).split())


@register.filter
def exact(number: int | None) -> str:
    """Write 1234567 as 1 234 567, with spaces that do not break."""
    return "–" if number is None else f"{number:,}".replace(",", "\u202f")


@register.filter
def short(number: int | None) -> str:
    """Write 1234567 as 1.2M and 980 as 980."""
    if number is None:
        return "–"
    for size, letter in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if abs(number) >= size:
            shown = number / size
            return f"{shown:.0f}{letter}" if abs(shown) >= 100 else f"{shown:.1f}{letter}"
    return str(number)


@register.filter
def size(number: int | None) -> str:
    """Write a number of bytes as `1.2 MiB`."""
    if number is None:
        return "–"
    for unit, name in _BYTES:
        if number >= unit:
            return f"{number / unit:.1f} {name}"
    return f"{number} B"


@register.filter
def duration(milliseconds: int | None) -> str:
    """Write a time span as `340 ms`, `2.4 s` or `3 min 20 s`."""
    if milliseconds is None:
        return "–"
    if milliseconds < 1000:
        return f"{milliseconds} ms"
    if milliseconds < 60_000:
        return f"{milliseconds / 1000:.1f} s"
    return f"{milliseconds // 60_000} min {milliseconds % 60_000 // 1000} s"


@register.filter
def code_parts(text: str) -> list[tuple[bool, str]]:
    """Cut a text at its backticks: (True, command) for what stood between two, (False, words) for the rest."""
    return [(place % 2 == 1, part) for place, part in enumerate(str(text).split("`")) if part]


@register.filter
def score_words(score: int) -> str:
    """Say in words how well a summary can stand in for its result."""
    return next(words for least, words in _SCORES if score >= least)


@register.filter
def share(part: int, whole: int) -> int:
    """Return `part` of `whole` in percent, 0 to 100."""
    return max(0, min(100, round(100 * part / whole))) if whole else 0


@register.inclusion_tag("_status.html")
def status(name: str) -> dict[str, str]:
    """Show a canvas's or node's status."""
    return {"name": name, "mark": STATUS_MARKS.get(name, "·"), "word": name}


@register.simple_tag
def status_mark(name: str) -> str:
    """Return the shape of a status, for a place that says the word beside it."""
    return STATUS_MARKS.get(name, "·")


@register.inclusion_tag("_status.html")
def outcome(name: str | None) -> dict[str, str]:
    """Show how a call ended."""
    mark, word = OUTCOMES.get(name or "unknown", OUTCOMES["unknown"])
    return {"name": f"is-{name or 'unknown'}", "mark": mark, "word": word}


@register.inclusion_tag("_status.html")
def verdict(name: str) -> dict[str, str]:
    """Show what was judged of a stretch of work."""
    word = {"long": "task", "short": "short, not drawn", "pending": "not judged yet"}.get(name, name)
    return {"name": f"verdict-{name}", "mark": VERDICT_MARKS.get(name, "·"), "word": word}


@register.simple_tag
def layer_name(key: str) -> str:
    """Return what a layer is called on the page."""
    return LAYER_NAMES.get(key, key)


@register.inclusion_tag("_status.html")
def layer_state(name: str) -> dict[str, str]:
    """Show how a layer fares."""
    mark, word = LAYER_STATES.get(name, ("!", name))
    return {"name": f"layer-{name}", "mark": mark, "word": word}


@register.inclusion_tag("_time.html")
def when(iso: str | None) -> dict[str, Any]:
    """Show a time: in UTC, which the page's script turns into the reader's own."""
    if not iso:
        return {"moment": None}
    moment = datetime.fromisoformat(iso).astimezone(UTC)
    return {"moment": moment, "iso": moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")}


@register.inclusion_tag("_name.html")
def name(text: Any, length: int) -> dict[str, str]:
    """Show a name or id of any length: one line, cut, more of it on hover, its direction kept to itself."""
    return {"shown": cut(one_line(text), length), "whole": cut(text, 2000)}


@register.inclusion_tag("_copy.html")
def copy(text: Any, what: str) -> dict[str, Any]:
    """Show a button that copies the text; `what` names it for those who hear the page."""
    return {"text": text, "what": what}
