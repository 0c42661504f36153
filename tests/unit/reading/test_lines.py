from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from canvases.reading.lines import (
    INLINE_CHARACTERS,
    MOST_LINES,
    Excerpt,
    excerpt,
    json_coloured,
)


def text_of(part: list) -> str:  # type: ignore[type-arg]
    return "\n".join("".join(piece.text for piece in line.pieces) for line in part)


@given(st.text(alphabet="ab \n\r\té", max_size=300))
def test_a_small_text_is_shown_whole(text: str) -> None:
    shown = excerpt(text)
    assert shown.tail == []
    assert shown.left_out_characters == 0
    kept = text.removesuffix("\n").split("\n") if text else []
    assert text_of(shown.head) == "\n".join(line.removesuffix("\r") for line in kept)
    assert [line.number for line in shown.head] == list(range(1, shown.total_lines + 1))


LARGE = {
    "many lines": "\n".join(f"line {n}" for n in range(40_000)),
    "many empty lines": "\n" * 300_000,
    "long lines": "\n".join("x" * 50_000 for _ in range(20)),
    "one line": "x" * 2_000_000,
    "a long line at the end": "a\n" * 100 + "z" * 1_000_000,
    "a long line at the start": "z" * 1_000_000 + "\na" * 100,
    "just over the lines": "a\n" * (MOST_LINES + 1),
    "just over the characters": "a" * (INLINE_CHARACTERS + 1),
}


@pytest.mark.parametrize("name", LARGE)
def test_a_large_text_shows_head_and_tail_and_counts_the_rest(name: str) -> None:
    text = LARGE[name]
    shown = excerpt(text)
    assert shown.total_lines == len(text.splitlines())
    assert shown.total_characters == len(text)
    parts = sum(len(piece.text) for line in [*shown.head, *shown.tail] for piece in line.pieces)
    assert 0 < parts + len(shown.head) + len(shown.tail) <= INLINE_CHARACTERS
    assert len(shown.head) + len(shown.tail) <= MOST_LINES
    assert_numbers(shown, text)


def assert_numbers(shown: Excerpt, text: str) -> None:
    lines = text.split("\n")
    for line in [*shown.head, *shown.tail]:
        assert "".join(piece.text for piece in line.pieces) in lines[line.number - 1]
    assert shown.left_out_characters > 0


@pytest.mark.parametrize(
    ("line", "classes"),
    [
        ('  "a": "b",', ["json-key", "json-string"]),
        ('  "a": -1.5e3', ["json-key", "json-number"]),
        ('  "a": null', ["json-key", "json-word"]),
        ('  "say \\"hi\\"": true', ["json-key", "json-word"]),
        ('  "12 true"', ["json-string"]),
        ("{", []),
    ],
)
def test_json_lines_are_coloured_by_kind(line: str, classes: list[str]) -> None:
    pieces = next(json_coloured([line]))
    assert "".join(piece.text for piece in pieces) == line
    assert [piece.classes for piece in pieces if piece.classes] == classes


def test_long_and_broken_json_lines_take_linear_time() -> None:
    started = time.monotonic()
    for line in ('"' + "\\" * 1_000_001, '"' * 500_001, "-1" * 500_000, '"a' + '\\"' * 500_000):
        next(json_coloured([line]))
    assert time.monotonic() - started < 5
