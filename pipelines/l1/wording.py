"""Small rules of wording: one line, whole characters, plain counts, short paths."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b\u2028\u2029\ufeff\ud800-\udfff\s]+")
_JOINERS = "\u200d\ufe0f\ufe0e"
MAX_PATH = 48


def one_line(text: str, limit: int = 2_000) -> str:
    """Return at most `limit` characters of a text on one line, without control characters."""
    return clip(_CONTROL.sub(" ", text[: limit * 4]).strip(), limit)


def clip(text: str, limit: int) -> str:
    """Cut a text to `limit` characters with a closing `…`, never inside a joined or accented character."""
    if len(text) <= limit:
        return text
    end = max(limit - 1, 0)
    while end > 0 and (
        unicodedata.combining(text[end]) or text[end] in _JOINERS or text[end - 1] == "\u200d"
    ):
        end -= 1
    return text[:end].rstrip() + "…"


def count(number: int, noun: str, plural: str = "") -> str:
    """Write a number with its noun: `1 file`, `3 files`."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def join_fitting(parts: Iterable[str], limit: int, separator: str = "; ") -> str:
    """Join the parts that fit into `limit` characters, the first one cut when it alone is too long."""
    text = ""
    for part in parts:
        if not part:
            continue
        if not text:
            text = clip(part, limit)
        elif len(text) + len(separator) + len(part) <= limit:
            text += separator + part
        elif limit - len(text) - len(separator) >= 24:
            return text + separator + clip(part, limit - len(text) - len(separator))
    return text


def listing(names: Iterable[str], total: int, limit: int) -> str:
    """Write names with commas as far as they fit and say how many more there are."""
    shown: list[str] = []
    used = 0
    for name in names:
        if shown and used + len(name) > limit:
            break
        shown.append(clip(name, limit))
        used += len(name) + 2
    rest = total - len(shown)
    return ", ".join(shown) + (f" and {rest} more" if rest > 0 else "")


def short_path(path: str, limit: int = MAX_PATH) -> str:
    """Shorten the head of a long path to `…/`, keeping as many of its last parts as fit."""
    path = one_line(path, 1_000)
    if len(path) <= limit:
        return path
    parts = [part for part in path.split("/") if part]
    kept = ""
    for part in reversed(parts):
        if kept and len(part) + len(kept) + 3 > limit:
            break
        kept = f"{part}/{kept}" if kept else part
    return "…" + kept[-(limit - 1) :] if len(kept) > limit - 2 else f"…/{kept}"


def words(text: str) -> tuple[str, ...]:
    """Split a table cell of names at its spaces."""
    return tuple(text.split())


def unique(items: Iterable[str], limit: int, width: int) -> tuple[str, ...]:
    """Return the first `limit` different non-empty items, each on one line and cut to `width` characters."""
    kept: dict[str, None] = {}
    for item in items:
        text = one_line(item, width)
        if text:
            kept.setdefault(text)
        if len(kept) == limit:
            break
    return tuple(kept)
