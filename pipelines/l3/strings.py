"""The strings of a text that later work is likely to name: paths, identifiers, error lines, numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Set

SHORTEST, LONGEST = 6, 120
"""Characters of a string that counts."""
_WORD = re.compile(r"\w[\w./:@\-]{4,}\w")
_TELLING = re.compile(r"[\d/_.]|[a-z][A-Z]")
_DEFINES = re.compile(
    r"\s*(?:export |pub |async |static )*(?:def|class|func|function|fn|type|interface|const|let|var|struct|enum|impl|"
    r"trait|module|import|from|package|use|#define|describe|it|test)\b"
)
_WRONG = ("error", "fail", "exception", "warning", "panic", "traceback", "denied", "not found")
_TIME_OR_NUMBER = re.compile(r"[\d.,:\-TZ/]+")
_HEX = re.compile(r"[0-9a-f-]{7,}")
_MOST_LINES = 4_000
"""Lines looked at, half from each end of a longer text."""


def shown(text: str) -> set[str]:
    """Return the telling strings of a text."""
    return {word for line in _lines(text) for word in _of_line(line)}


def chosen(
    text: str, *, besides: Set[str], also: Set[str] = frozenset(), budget: int, count: Callable[[str], int]
) -> list[str]:
    """Return the strings of a text to keep within `budget` tokens, the likeliest first.

    Those in `besides` and `also` are left out: something else shows them. Paths come first, then names in lines that
    define them, names in lines that tell of errors, other names, and last what is only a number or a hash.
    """
    ranks: dict[str, int] = {}
    for line in _lines(text):
        words = [word for word in _of_line(line) if word not in besides and word not in also]
        more = _rank_of_line(line) if words else 0
        for word in words:
            ranks[word] = max(_rank(word, more), ranks.get(word, -9))
    kept: list[str] = []
    for word in sorted(ranks, key=lambda word: -ranks[word]):
        cost = count(f" {word}")
        if cost <= budget:
            kept.append(word)
            budget -= cost
        if budget <= 1:
            break
    return kept


def _of_line(line: str) -> Iterator[str]:
    for found in _WORD.findall(line):
        word = found.strip(".:-/@")
        if SHORTEST <= len(word) <= LONGEST and _TELLING.search(word):
            yield word


def _rank_of_line(line: str) -> int:
    said = line.lower()
    return (3 if _DEFINES.match(line) else 0) + (2 if any(word in said for word in _WRONG) else 0)


def _rank(word: str, of_line: int) -> int:
    if _TIME_OR_NUMBER.fullmatch(word):
        return -4
    rank = -2 if _HEX.fullmatch(word) else 0
    rank += 3 if "/" in word else 0
    rank += 2 if "_" in word or re.search("[a-z][A-Z]", word) else 0
    rank += 1 if "." in word else 0
    return rank + of_line - (len(word) > LONGEST // 2)


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    if len(lines) <= _MOST_LINES:
        return lines
    half = _MOST_LINES // 2
    return lines[:half] + lines[-half:]
