"""Terminal colours as class names; every other escape sequence is dropped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_ESCAPE = re.compile(
    r"\x1b\[(?P<sgr>[0-9;:]{0,60})m"
    r"|\x1b\[[0-?]{0,60}[ -/]{0,10}[@-~]"
    r"|\x1b[\]P^_X][^\x07\x1b]{0,4000}(?:\x07|\x1b\\)"
    r"|\x1b[()][0-9A-Za-z]"
    r"|\x1b[0-9=>A-Z\\a-z]"
)
_NAMES = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
_ON = {1: "bold", 2: "dim", 3: "italic", 4: "underline", 7: "inverse", 9: "strike"}
_OFF = {22: ("bold", "dim"), 23: ("italic",), 24: ("underline",), 27: ("inverse",), 29: ("strike",)}


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text with the class names it is shown with."""

    text: str
    classes: str = ""


@dataclass(slots=True)
class _Style:
    front: str = ""
    back: str = ""
    marks: frozenset[str] = frozenset()

    def classes(self) -> str:
        names = [f"fg-{self.front}" if self.front else "", f"bg-{self.back}" if self.back else ""]
        return " ".join([*filter(None, names), *sorted(self.marks)])


def coloured(lines: Iterable[str]) -> Iterator[list[Piece]]:
    """Yield the pieces of each line; a colour lasts over line ends until it is switched off."""
    style = _Style()
    for line in lines:
        yield _pieces(line, style) if style.classes() or "\x1b" in line else [Piece(line)]


def _pieces(line: str, style: _Style) -> list[Piece]:
    pieces: list[Piece] = []
    at = 0
    for found in _ESCAPE.finditer(line):
        _add(pieces, line[at : found.start()], style)
        at = found.end()
        if found["sgr"] is not None:
            _apply(style, found["sgr"])
    _add(pieces, line[at:], style)
    return pieces


def _add(pieces: list[Piece], text: str, style: _Style) -> None:
    if not text:
        return
    classes = style.classes()
    if pieces and pieces[-1].classes == classes:
        text = pieces.pop().text + text
    pieces.append(Piece(text, classes))


def _apply(style: _Style, parameters: str) -> None:
    codes = [int(code or 0) if len(code) < 6 else 0 for code in re.split("[;:]", parameters)]
    while codes:
        code = codes.pop(0)
        if code == 0:
            style.front, style.back, style.marks = "", "", frozenset()
        elif code in _ON:
            style.marks |= {_ON[code]}
        elif code in _OFF:
            style.marks -= set(_OFF[code])
        elif code in (38, 48):
            name = _extended(codes)
            if code == 38:
                style.front = name
            else:
                style.back = name
        else:
            _basic(style, code)


def _basic(style: _Style, code: int) -> None:
    if 30 <= code <= 37 or 90 <= code <= 97:
        style.front = _NAMES[code % 10]
    elif 40 <= code <= 47 or 100 <= code <= 107:
        style.back = _NAMES[code % 10]
    elif code == 39:
        style.front = ""
    elif code == 49:
        style.back = ""


def _extended(codes: list[int]) -> str:
    """Take the rest of a 256-colour or true-colour code off the list; return the nearest of the eight names."""
    kind = codes.pop(0) if codes else 0
    if kind == 5 and codes:
        number = codes.pop(0)
        if number < 16:
            return _NAMES[number % 8]
        if number >= 232:
            return "black" if number < 244 else "white"
        number -= 16
        return _nearest(number // 36 * 51, number // 6 % 6 * 51, number % 6 * 51)
    if kind == 2 and len(codes) >= 3:
        red, green, blue = codes[:3]
        del codes[:3]
        return _nearest(red, green, blue)
    codes.clear()
    return ""


def _nearest(red: int, green: int, blue: int) -> str:
    half = max(red, green, blue) * 2 // 3
    bits = (red > half) + 2 * (green > half) + 4 * (blue > half)
    if max(red, green, blue) < 64:
        return "black"
    return _NAMES[bits]
