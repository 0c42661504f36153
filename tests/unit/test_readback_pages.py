"""What holds for the pages of any text, however it is cut."""

from __future__ import annotations

import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pipelines import readback, tokens
from pipelines.pairs import decode_text, encode_text

SPLIT_OTHERWISE = "汣\u10c3p佖"  # the first three tokens are two characters, which alone are four tokens
PIECES = [
    *(
        "the ",
        "ization",
        "n't",
        "Error:",
        "    ",
        "\t",
        "\n",
        "\r\n",
        "\r",
        "\n\n",
        "\0",
        ";\n//",
        "}\n/",
        "=" * 40,
    ),
    *(
        "世界",
        "見",
        "한글",
        "العربية",
        "हिन्दी",
        "ไทย",
        "e\u0301",
        "Z̷̢",
        "👩‍👩‍👧‍👦",
        "🏳️‍🌈",
        "🦊",
        "\ud800",
        "\udfff",
        "\U0003861a",
    ),
    *("0123456789abcdef", "aGVsbG8=", "<|endoftext|>", "<|im_start|>", '{"k": [1, 2.5]}', "\u2028", "\ufeff"),
]
TEXTS = st.lists(
    st.sampled_from(PIECES) | st.text(st.characters(exclude_categories=()), max_size=8), max_size=80
)


def pages(text: str, **options: int | str | None) -> list[str]:
    found: list[str] = []
    offset: int | None = 0
    while offset is not None:
        page = readback.read(text, offset=offset, **options)  # type: ignore[arg-type]
        found.append(page.content)
        assert page.next_offset is None or page.next_offset > offset
        offset = page.next_offset
    return found


def check(text: str, found: list[str], max_tokens: int, limit: int | None) -> None:
    assert "".join(found) == text
    assert b"".join(map(encode_text, found)) == encode_text(text)
    for page in found:
        assert tokens.count(page) <= max_tokens or len(page) == 1
        assert limit is None or len(page) <= limit


@settings(max_examples=300)
@given(TEXTS.map("".join), st.integers(1, 60), st.none() | st.integers(1, 40))
@example(SPLIT_OTHERWISE, 3, None)
def test_pages_join_to_the_text_and_to_its_bytes_and_each_fits(
    text: str, max_tokens: int, limit: int | None
) -> None:
    check(text, pages(text, max_tokens=max_tokens, limit=limit), max_tokens, limit)


@settings(max_examples=100)
@given(st.binary(max_size=200))
def test_pages_of_any_bytes_that_are_text_join_to_these_bytes(raw: bytes) -> None:
    text = decode_text(raw)
    if text is not None:
        assert b"".join(map(encode_text, pages(text, max_tokens=7))) == raw


@pytest.mark.parametrize("max_tokens", [1, 999, 16_000])
@pytest.mark.parametrize("letters", ['abc{}:,"0123456789 ', "世界見", "👩🦊", "\0\ud800\r\n"])
def test_one_text_of_300_kb_is_read_whole_in_pages(letters: str, max_tokens: int) -> None:
    chance = random.Random(max_tokens)
    text = "".join(chance.choices(letters, k=300_000 if max_tokens > 1 else 3_000))
    check(text, pages(text, max_tokens=max_tokens), max_tokens, None)


@settings(max_examples=200)
@given(
    TEXTS.map("".join), st.sampled_from(["e", "世", "\0", "the", "k"]), st.integers(5, 60), st.integers(0, 2)
)
def test_pages_of_a_search_fit_too(text: str, word: str, max_tokens: int, context: int) -> None:
    for page in pages(text, grep=word, max_tokens=max_tokens, context=context):
        assert tokens.count(page) <= max_tokens


@settings(max_examples=100)
@given(TEXTS.map("".join), st.integers(1, 30), st.integers(1, 5), st.integers(0, 5))
def test_pages_of_lines_join_to_these_lines(text: str, max_tokens: int, first: int, more: int) -> None:
    rows = [row + "\n" for row in text.split("\n")]
    rows[-1] = rows[-1][:-1]
    rows = rows[:-1] if rows[-1] == "" else rows
    if first <= len(rows):
        found = pages(text, lines=f"{first}-{first + more}", max_tokens=max_tokens)
        assert "".join(found) == "".join(rows[first - 1 : first + more])
