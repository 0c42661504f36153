from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from canvases.reading.ansi import Piece, coloured

CASES = {
    "plain": ("text", [("text", "")]),
    "red": ("\x1b[31mred\x1b[0m", [("red", "fg-red")]),
    "bright": ("\x1b[92mok", [("ok", "fg-green")]),
    "bold on blue": ("\x1b[1;44mx\x1b[22my", [("x", "bg-blue bold"), ("y", "bg-blue")]),
    "256 colours": ("\x1b[38;5;196mx", [("x", "fg-red")]),
    "256 grey": ("\x1b[38;5;250mx", [("x", "fg-white")]),
    "true colour": ("\x1b[38;2;10;200;10mx", [("x", "fg-green")]),
    "colons": ("\x1b[38:2:10:10:220mx", [("x", "fg-blue")]),
    "cut short": ("\x1b[38;2;1mx", [("x", "")]),
    "movement is dropped": ("a\x1b[2Kb\x1b[10;5Hc\x1b[?25l", [("abc", "")]),
    "title is dropped": ("\x1b]0;title\x07a", [("a", "")]),
    "link is dropped": ("\x1b]8;;http://x\x1b\\a\x1b]8;;\x1b\\", [("a", "")]),
    "only colour": ("\x1b[31m", []),
    "unfinished": ("a\x1b", [("a\x1b", "")]),
}


@pytest.mark.parametrize("name", CASES)
def test_colours_become_classes(name: str) -> None:
    text, expected = CASES[name]
    assert next(coloured([text])) == [Piece(*one) for one in expected]


def test_a_colour_lasts_over_line_ends() -> None:
    assert list(coloured(["\x1b[33mone", "two\x1b[39m", "three"])) == [
        [Piece("one", "fg-yellow")],
        [Piece("two", "fg-yellow")],
        [Piece("three")],
    ]


@given(st.text(alphabet="\x1b[]0123456789;:mKabé\ud800\x00", max_size=200))
def test_any_text_is_read_and_none_is_invented(text: str) -> None:
    shown = "".join(piece.text for piece in next(coloured([text])))
    rest = iter(text)
    assert all(character in rest for character in shown)


def test_a_megabyte_of_escapes_is_read_in_no_time() -> None:
    started = time.monotonic()
    for text in ("\x1b[" * 500_000, "\x1b]" * 500_000, "\x1b[1;31mx" * 100_000, "\x1b[" + ";" * 1_000_000):
        next(coloured([text]))
    assert time.monotonic() - started < 5
