"""The lines of a text that a query finds, with the matches marked."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pipelines.search.plain import fold
from pipelines.search.query import Query
from pipelines.search.terms import ESCAPED, HUMP, UNSPACED

LONGEST_EXCERPT = 240
_BEFORE_MATCH = 80
_MOST_SEEN = 50
"""Matches of one needle that are looked at to choose the lines."""
_MOST_TRIED = 200_000
"""Times a needle may stand inside other words before a text is given up."""
_LETTER = re.compile(r"[^\W_]")
_UNSPACED = re.compile(f"[{UNSPACED}]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A line, or the part of a long one, with what was found in it."""

    at: int
    """Where in the text the first match is."""
    line: int
    """From 1, as `grep -n` counts."""
    excerpt: str
    marks: list[tuple[int, int]]
    """Start and end of each match within the excerpt, in characters, in order."""


def find(text: str, query: Query, *, most: int) -> list[Place]:
    """Return up to `most` lines of a plain text, those with the most needles first chosen, in their order;
    none when a needle is missing."""
    folded = fold(text)
    seen: list[list[tuple[int, int]]] = []
    for needle in query.needles:
        matches = _matches(text, folded, needle, 0, len(text), _MOST_SEEN)
        if not matches:
            return []
        seen.append(matches)
    return _places(text, folded, query, _lines_of(text, seen)[:most])


def _matches(text: str, folded: str, needle: str, start: int, end: int, most: int) -> list[tuple[int, int]]:
    """Return where the needle stands as words, or parts of words, of its own."""
    found: list[tuple[int, int]] = []
    at = folded.find(needle, start, end)
    for _ in range(_MOST_TRIED):
        if at < 0 or len(found) == most:
            break
        after = at + len(needle)
        if _begins(text, at) and _is_edge(text, after):
            found.append((at, after))
        else:
            after = at + 1
        at = folded.find(needle, after, end)
    return found


def _begins(text: str, at: int) -> bool:
    return _is_edge(text, at) or (at > 1 and text[at - 1] in ESCAPED and text[at - 2] == "\\")


def _is_edge(text: str, at: int) -> bool:
    """Say whether a word, or a part of one, may begin or end here."""
    if at in (0, len(text)):
        return True
    before, after = text[at - 1], text[at]
    if not _LETTER.match(before) or not _LETTER.match(after):
        return True
    return bool(_UNSPACED.match(before) or _UNSPACED.match(after) or HUMP.match(text, at))


def _lines_of(text: str, seen: list[list[tuple[int, int]]]) -> list[tuple[int, int]]:
    """Return the first match of each line, lines with more needles first."""
    first: dict[int, tuple[int, int]] = {}
    needles: dict[int, set[int]] = {}
    for number, matches in enumerate(seen):
        for match in matches:
            line_start = text.rfind("\n", 0, match[0]) + 1
            first[line_start] = min(first.get(line_start, match), match)
            needles.setdefault(line_start, set()).add(number)
    ordered = sorted(first, key=lambda line_start: (-len(needles[line_start]), line_start))
    return [first[line_start] for line_start in ordered]


def _places(text: str, folded: str, query: Query, chosen: list[tuple[int, int]]) -> list[Place]:
    places = []
    number, counted = 1, 0
    for match in sorted(chosen):
        at = match[0]
        number += text.count("\n", counted, at)
        counted = at
        start, end = _window(text, at)
        found = [match]
        for needle in query.needles:
            found += _matches(text, folded, needle, start, end, _MOST_SEEN)
        marks = [(one - start, min(other, end) - start) for one, other in _apart(found)]
        places.append(Place(at=at, line=number, excerpt=text[start:end], marks=marks))
    return places


def _window(text: str, at: int) -> tuple[int, int]:
    line_start = text.rfind("\n", 0, at) + 1
    line_end = text.find("\n", at)
    line_end = len(text) if line_end < 0 else line_end
    if line_end - line_start <= LONGEST_EXCERPT:
        return line_start, line_end
    start = max(line_start, min(at - _BEFORE_MATCH, line_end - LONGEST_EXCERPT))
    return start, min(line_end, start + LONGEST_EXCERPT)


def _apart(found: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join matches that overlap."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(found):
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined
