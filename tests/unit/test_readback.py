from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines import readback, tokens

CHANCE = random.Random(7)
TEXTS = {
    "empty": "",
    "one word": "word",
    "one line of 300 KB": "".join(CHANCE.choice('abc{}:,"0123456789 ') for _ in range(300_000)),
    "CJK": "".join(chr(CHANCE.randrange(0x4E00, 0x9FA5)) for _ in range(20_000)),
    "NUL": "\0" * 9_000 + "end",
    "CRLF": "first\r\nsecond\r\n" * 2_000,
    "CR only": "10%\r20%\r30%\r" * 2_000,
    "lone surrogates": "a\ud800\udc00b\udfff" * 3_000 + "\ud83d",
    "emoji": "👩‍👩‍👧‍👦🏳️‍🌈" * 2_000,
    "spaces": " " * 400_000,
    "line feeds": "\n" * 50_000,
    "special tokens": "<|endoftext|>\n" * 2_000,
    "log": "".join(f"2026-01-31 12:00:{n % 60:02d} INFO request {n} done\n" for n in range(4_000)),
}


def pages(text: str, **options: int | str) -> list[str]:
    found = []
    offset = 0
    while True:
        page = readback.read(text, offset=offset, **options)  # type: ignore[arg-type]
        found.append(page.content)
        assert page.truncated == (page.next_offset is not None)
        if page.next_offset is None:
            return found
        assert page.next_offset > offset
        offset = page.next_offset


@pytest.mark.parametrize("name", TEXTS)
def test_the_pages_of_any_text_joined_are_the_text(name: str) -> None:
    text = TEXTS[name]
    found = pages(text, max_tokens=1_600)
    assert "".join(found) == text
    assert all(tokens.count(page) <= 1_600 for page in found)
    assert readback.read(text).total_chars == len(text)


@given(st.text(st.characters(exclude_categories=()), max_size=300), st.integers(1, 40), st.integers(1, 50))
def test_small_pages_of_any_text_joined_are_the_text(text: str, max_tokens: int, limit: int) -> None:
    found = pages(text, max_tokens=max_tokens, limit=limit)
    assert "".join(found) == text
    assert all(len(page) <= limit for page in found)


def test_a_page_ends_after_a_line_where_one_ends_late_enough() -> None:
    page = readback.read(TEXTS["log"], max_tokens=500)
    assert page.content.endswith("done\n")
    assert 400 < tokens.count(page.content) <= 500
    assert readback.read(TEXTS["one line of 300 KB"], max_tokens=500).next_offset == len(
        readback.read(TEXTS["one line of 300 KB"], max_tokens=500).content
    )


def test_more_tokens_than_the_cap_are_not_given() -> None:
    page = readback.read(TEXTS["log"], max_tokens=10**9)
    assert 15_000 < tokens.count(page.content) <= 16_000


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("2-3", "two\r\nthree\n"),
        ("2", "two\r\n"),
        ("3-", "three\n\nfive"),
        ("5", "five"),
        ("4-999", "\nfive"),
        (" 1-1 ", "one\n"),
    ],
)
def test_lines_are_counted_from_one_and_both_ends_are_included(lines: str, expected: str) -> None:
    page = readback.read("one\ntwo\r\nthree\n\nfive", lines=lines)
    assert page.content == expected
    assert page.total_lines == 5
    assert not page.truncated


@pytest.mark.parametrize(
    ("text", "lines"), [("", 0), ("a", 1), ("a\n", 1), ("a\n\n", 2), ("a\rb", 1), ("\n", 1)]
)
def test_a_line_is_what_a_line_feed_ends(text: str, lines: int) -> None:
    assert readback.read(text).total_lines == lines


def test_lines_are_found_far_inside_a_long_text() -> None:
    text = "".join(f"line {n}\n" for n in range(1, 100_001))
    assert readback.read(text, lines="77777-77778").content == "line 77777\nline 77778\n"
    assert "".join(pages(text, lines="50000-60000", max_tokens=2_000)) == "".join(
        f"line {n}\n" for n in range(50_000, 60_001)
    )


def test_an_offset_and_a_limit_select_characters() -> None:
    page = readback.read("0123456789", offset=3, limit=4)
    assert (page.content, page.next_offset, page.truncated) == ("3456", 7, True)
    assert readback.read("0123456789", offset=10).content == ""


@pytest.mark.parametrize(
    ("options", "cure"),
    [
        ({"lines": "x"}, '"10-60"'),
        ({"lines": "0-3"}, "counted from 1"),
        ({"lines": "-3"}, '"10-60"'),
        ({"lines": "3-1"}, 'send "1-3"'),
        ({"lines": "4-5"}, "this text has 3 lines"),
        ({"lines": "1" * 5_000}, '"10-60"'),
        ({"offset": -1}, "0 to 6"),
        ({"offset": 7}, "0 to 6"),
        ({"limit": 0}, "1 or more"),
        ({"max_tokens": 0}, "1 to 16000"),
        ({"context": -1, "grep": "a"}, "0 to 100"),
        ({"grep": "a\nb"}, "one line"),
        ({"grep": "a" * 501}, "at most 500"),
    ],
)
def test_an_option_that_makes_no_sense_says_what_to_send(options: dict[str, object], cure: str) -> None:
    with pytest.raises(readback.ReadError) as caught:
        readback.read("a\nb\nc\n", **options)  # type: ignore[arg-type]
    assert cure in str(caught.value)
    assert len(str(caught.value)) < 200


def test_an_empty_option_is_no_option() -> None:
    assert readback.read("a\nb\n", lines="", grep="").content == "a\nb\n"


@settings(max_examples=30)
@given(st.text(st.sampled_from("ab\n\r\0世😀\ud800 "), max_size=400), st.integers(1, 30))
def test_lines_pages_and_offsets_agree_with_each_other(text: str, max_tokens: int) -> None:
    rows = text.split("\n")
    if rows[-1] == "":
        rows.pop()
    assert readback.read(text).total_lines == len(rows)
    for number, row in enumerate(rows, 1):
        content = "".join(pages(text, lines=str(number), max_tokens=max_tokens))
        assert content.removesuffix("\n") == row
