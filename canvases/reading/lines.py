"""A result as numbered lines: all of it when small, its head and tail when not."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from canvases.reading.ansi import Piece, coloured

INLINE_CHARACTERS = 256 * 1024
HEAD_CHARACTERS = 192 * 1024
TAIL_CHARACTERS = 32 * 1024
MOST_LINES = 5000
HEAD_LINES = 3000
TAIL_LINES = 500
# A string that is cut off reaches to the end of its line: else every quote in it would start a search of its own.
_JSON_TOKEN = re.compile(
    r'(?P<key>"(?:[^"\\]|\\.)*+"(?=:))|(?P<string>"(?:[^"\\]|\\.?)*+(?:"|\Z))'
    r"|(?P<number>-?\d[\d.eE+-]{0,400})|(?P<word>true|false|null)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line with its number, from 1."""

    number: int
    pieces: list[Piece]


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """What a page shows of a text."""

    head: list[Line]
    tail: list[Line]
    """Empty when the head is the whole text."""
    total_lines: int
    total_characters: int
    left_out_lines: int
    left_out_characters: int


def excerpt(text: str, colour: Callable[[Iterable[str]], Iterator[list[Piece]]] = coloured) -> Excerpt:
    """Return the text as lines; above 256 KiB or 5 000 lines only head and tail, with what is left out.

    A line that is cut through shows as far as the cut; line ends are LF, a CR before one is dropped.
    """
    total_lines = text.count("\n") + (0 if text.endswith("\n") or not text else 1)
    if len(text) <= INLINE_CHARACTERS and total_lines <= MOST_LINES:
        return Excerpt(
            head=_lines(text, 1, colour),
            tail=[],
            total_lines=total_lines,
            total_characters=len(text),
            left_out_lines=0,
            left_out_characters=0,
        )
    head_end = _end_of_lines(text, HEAD_LINES, HEAD_CHARACTERS)
    tail_start = max(head_end, _start_of_lines(text, TAIL_LINES, TAIL_CHARACTERS))
    between = text.count("\n", head_end, tail_start)
    first_of_tail = text.count("\n", 0, tail_start) + 1
    return Excerpt(
        head=_lines(text[:head_end], 1, colour),
        tail=_lines(text[tail_start:], first_of_tail, colour),
        total_lines=total_lines,
        total_characters=len(text),
        left_out_lines=between,
        left_out_characters=tail_start - head_end,
    )


def _end_of_lines(text: str, lines: int, characters: int) -> int:
    """Return where to stop: after that many lines or characters, at a line's end if one is near."""
    at = 0
    for _ in range(lines):
        end = text.find("\n", at, characters)
        if end < 0:
            return characters if at < characters // 2 else at
        at = end + 1
    return at


def _start_of_lines(text: str, lines: int, characters: int) -> int:
    floor = len(text) - characters
    at = len(text) - text.endswith("\n")
    start = at
    for _ in range(lines):
        found = text.rfind("\n", floor, at)
        if found < 0:
            return floor if len(text) - start < characters // 2 else start
        start, at = found + 1, found
    return start


def _lines(text: str, first: int, colour: Callable[[Iterable[str]], Iterator[list[Piece]]]) -> list[Line]:
    rows = [row.removesuffix("\r") for row in text.removesuffix("\n").split("\n")] if text else []
    return [Line(number=first + place, pieces=pieces) for place, pieces in enumerate(colour(rows))]


def json_coloured(lines: Iterable[str]) -> Iterator[list[Piece]]:
    """Yield the pieces of each line of indented JSON, named by what they are."""
    for line in lines:
        pieces: list[Piece] = []
        at = 0
        for found in _JSON_TOKEN.finditer(line):
            if found.start() > at:
                pieces.append(Piece(line[at : found.start()]))
            pieces.append(Piece(found[0], f"json-{found.lastgroup}"))
            at = found.end()
        if at < len(line) or not pieces:
            pieces.append(Piece(line[at:]))
        yield pieces
