from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines import readback, tokens

LOG = "start\nok 1\nError: disk full\n  at write\nok 2\nok 3\nok 4\nERROR: disk full\nlast\n"


def naive_grep(text: str, word: str, context: int) -> str:
    """What `grep -n -i -F -C` prints, written in the plainest way."""
    rows = text.split("\n")
    if rows[-1] == "":
        rows.pop()
    matching = {n for n, row in enumerate(rows) if word.lower() in row.lower()}
    printed: list[str] = []
    last = None
    for n, row in enumerate(rows):
        if not any(abs(n - m) <= context for m in matching):
            continue
        if context and last is not None and n > last + 1:
            printed.append("--")
        printed.append(f"{n + 1}{':' if n in matching else '-'}{row}")
        last = n
    return "\n".join(printed)


@pytest.mark.parametrize(
    ("word", "context", "places", "expected"),
    [
        ("error", 0, 2, "3:Error: disk full\n8:ERROR: disk full"),
        ("error", 1, 2, "2-ok 1\n3:Error: disk full\n4-  at write\n--\n7-ok 4\n8:ERROR: disk full\n9-last"),
        ("LAST", 0, 1, "9:last"),
        ("nowhere", 3, 0, ""),
        (".*", 0, 0, ""),
    ],
)
def test_places_are_written_with_line_numbers_and_marked_gaps(
    word: str, context: int, places: int, expected: str
) -> None:
    page = readback.read(LOG, grep=word, context=context)
    assert page.content == expected
    assert (page.truncated, page.next_offset) == (False, None)
    assert page.matches == places


@given(
    st.text(st.sampled_from("ab \n\r"), max_size=200), st.sampled_from(["a", "AB", "b a"]), st.integers(0, 4)
)
def test_places_are_those_grep_prints(text: str, word: str, context: int) -> None:
    page = readback.read(text, grep=word, context=context)
    assert page.content == naive_grep(text, word, context)
    assert page.matches == sum(word.lower() in row.lower() for row in text.split("\n"))


@given(st.text(st.sampled_from("ab\n"), max_size=200), st.integers(0, 2), st.integers(12, 60))
def test_pages_of_places_show_every_place_once(text: str, context: int, limit: int) -> None:
    offset, shown, total = 0, [], None
    while True:
        page = readback.read(text, grep="a", context=context, offset=offset, limit=limit)
        total = page.matches if total is None else total
        assert len(page.content) <= limit
        shown += [row for row in page.content.split("\n") if ":" in row]
        if page.next_offset is None:
            break
        assert page.next_offset > offset
        offset = page.next_offset
    assert total == len(shown)
    assert [row.split(":")[0] for row in shown] == [
        str(n) for n, row in enumerate(text.split("\n"), 1) if "a" in row
    ]


def test_a_search_can_be_restricted_to_lines() -> None:
    page = readback.read(LOG, grep="ok", lines="3-6", context=1)
    assert page.content == "4-  at write\n5:ok 2\n6:ok 3"


def test_places_in_one_long_line_are_shown_apart_with_what_is_left_out() -> None:
    text = "x" * 100_000 + "needle" + "y" * 100_000 + "NEEDLE" + "z" * 1_000
    page = readback.read(text, grep="needle")
    first, second = page.content.split("\n")
    assert first.startswith("1:[from offset 99850] xxx")
    assert "needle" in first
    assert first.endswith(f"y [{len(text) - 99_850 - 500} more characters]")
    assert second.startswith("1:[from offset 199856] yyy")
    assert "NEEDLE" in second
    assert page.matches == 2
    assert page.truncated
    assert page.next_offset is None
    assert readback.read(text, offset=99_850, limit=500).content in first


def test_places_in_a_long_line_go_on_where_the_page_ended() -> None:
    text = "head\n" + ("x" * 600 + "needle") * 50 + "\ntail"
    seen = []
    offset = 0
    while offset is not None:
        page = readback.read(text, grep="needle", context=1, offset=offset, max_tokens=700)
        seen += [row for row in page.content.split("\n") if "needle" in row]
        offset = page.next_offset  # type: ignore[assignment]
    assert len(seen) == 50
    assert all(row.startswith("2:") for row in seen)


def test_a_place_larger_than_the_budget_is_cut_and_the_search_goes_on() -> None:
    text = "needle " + "word " * 90 + "\nneedle again"
    page = readback.read(text, grep="needle", max_tokens=10)
    assert page.content.startswith("1:needle word")
    assert tokens.count(page.content) <= 11
    assert page.truncated
    assert page.next_offset is not None
    assert (
        readback.read(text, grep="needle", max_tokens=10, offset=page.next_offset).content == "2:needle again"
    )


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("İstanbul\nx", "istanbul"),
        ("straße", "STRAßE"),
        ("ΟΔΟΣ", "οδος"),
        ("a\0b", "\0"),
        ("\ud800x", "\ud800X"),
    ],
)
def test_case_is_ignored_beyond_ascii_and_positions_stay(text: str, word: str) -> None:
    assert readback.read(text, grep=word).content == "1:" + text.split("\n")[0]


def test_very_many_places_are_counted_up_to_a_hundred_thousand() -> None:
    assert readback.read("a\n" * 99_999, grep="a").matches == 99_999
    assert readback.read("a\n" * 300_000, grep="a").matches == 100_000


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("a\n" * 2_000_000, "a"),
        ("a" * 4_000_000, "a" * 499 + "b"),
        ("a" * 4_000_000, "a"),
        ("\n" * 4_000_000 + "x", "x"),
        ("x\n" + "y" * 2_000_000 + "\nx\n" + "y" * 2_000_000, "x"),
    ],
    ids=["every line", "near matches", "one line full of matches", "empty lines", "long context"],
)
def test_a_search_takes_time_by_the_length_of_the_text(text: str, word: str) -> None:
    began = time.perf_counter()
    page = readback.read(text, grep=word, context=100)
    assert time.perf_counter() - began < 5.0
    assert tokens.count(page.content) <= 1_700
