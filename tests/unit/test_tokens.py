from __future__ import annotations

import base64
import json
import random
import threading
from pathlib import Path

import pytest
import tiktoken
from hypothesis import given as any_of
from hypothesis import strategies as st

from pipelines import pairs, tokens

MEGABYTE = 1_000_000
CHANCE = random.Random(1)
CJK = "".join(chr(CHANCE.randrange(0x4E00, 0x9FA5)) for _ in range(MEGABYTE // 3))
BASE64 = base64.b64encode(CHANCE.randbytes(MEGABYTE * 3 // 4)).decode()
HOSTILE = {
    "equals": "=" * MEGABYTE,
    "spaces": " " * MEGABYTE,
    "tabs": "\t" * MEGABYTE,
    "no-break spaces": "\xa0" * MEGABYTE,
    "line ends": "\r\n" * (MEGABYTE // 2),
    "spaces and letters": (" " * 999 + "x") * (MEGABYTE // 1000),
    "CJK": CJK,
    "base64": BASE64,
    "one letter": "a" * MEGABYTE,
    "digits": "7" * MEGABYTE,
    "emoji": "😀" * (MEGABYTE // 4),
    "NUL": "\0" * MEGABYTE,
    "lone surrogates": "\ud800" * (MEGABYTE // 3),
    "ANSI": "\x1b[31mred\x1b[0m" * (MEGABYTE // 12),
}


def reference(text: str) -> int:
    """Count in pieces small enough for the tokenizer, cut where no token crosses."""
    encoding = tiktoken.get_encoding("o200k_base")
    return sum(len(encoding.encode_ordinary(line)) for line in text.splitlines(keepends=True))


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", 0), ("hello world", 2), ("<|endoftext|>", 7), ("def f(x):\n    return x\n", 8), ("你好，世界", 3)],
)
def test_short_texts_have_their_exact_count(text: str, expected: int) -> None:
    assert tokens.count(text) == expected


def test_another_encoding_can_be_asked_for() -> None:
    assert tokens.count("你好，世界", encoding="cl100k_base") == 6


@any_of(st.text(st.characters(exclude_categories=()), max_size=200))
def test_no_text_raises_and_no_count_is_above_the_bytes(text: str) -> None:
    assert 0 <= tokens.count(text) <= len(text.encode("utf-8", "surrogatepass"))


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The lengths of what the tokenizer is given."""
    encode, lengths = tokens._encode, []

    def noted(text: str, encoding: str) -> list[int] | None:
        lengths.append(len(text))
        return encode(text, encoding)

    monkeypatch.setattr(tokens, "_encode", noted)
    return lengths


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("megabytes", [1, 8])
def test_of_a_text_of_any_length_no_more_than_a_fixed_part_is_given_to_the_tokenizer(
    given: list[int], name: str, megabytes: int
) -> None:
    assert 0 < tokens.count(HOSTILE[name] * megabytes) <= megabytes * MEGABYTE
    assert sum(given) <= tokens.EXACT_CHARACTERS == 131_072
    assert len(given) <= 512


@pytest.mark.parametrize("name", HOSTILE)
def test_to_cut_a_text_takes_work_by_what_fits(given: list[int], name: str) -> None:
    fitting = tokens.fit(HOSTILE[name], 1_000)
    assert sum(given) <= 4 * tokens.EXACT_CHARACTERS
    assert tokens.count(HOSTILE[name][:fitting]) <= 1_000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 0),
        ("a", 1),
        ("a" * 40, 10),
        ("a" * 41, 11),
        ("你" * 17, 10),
        ("カ한、ｆ" * 17, 40),
        ("你" * 17 + "a" * 4, 11),
    ],
)
def test_the_heuristic_counts_characters(text: str, expected: int) -> None:
    assert tokens.count(text, mode=tokens.Mode.HEURISTIC) == expected


@pytest.mark.parametrize("name", HOSTILE)
def test_the_heuristic_cuts_where_it_counts(given: list[int], name: str) -> None:
    text, mode = HOSTILE[name][:50_000], tokens.Mode.HEURISTIC
    fitting = tokens.fit(text, 500, mode=mode)
    assert tokens.count(text[:fitting], mode=mode) <= 500 < tokens.count(text[: fitting + 4], mode=mode)
    assert given == []


@pytest.mark.parametrize("name", ["equals", "CJK", "base64", "one letter", "emoji", "ANSI"])
def test_the_samples_of_an_even_text_are_within_one_percent(name: str) -> None:
    text = HOSTILE[name]
    exact = len(tiktoken.get_encoding("o200k_base").encode_ordinary(text))
    assert tokens.count(text) == pytest.approx(exact, rel=0.01)


@pytest.mark.parametrize("seed", range(3))
def test_the_samples_of_an_uneven_text_are_within_five_percent(seed: int) -> None:
    chance = random.Random(seed)
    source = Path(json.__file__).read_text() + Path(threading.__file__).read_text()
    log = [
        f"2026-01-31T12:00:{n % 60:02d}Z INFO worker-{n % 7} handled {n * 37} in {n % 91} ms"
        for n in range(99)
    ]
    blocks = ["\n".join(log), source, CJK[:6000], BASE64[:9000], json.dumps(log), " " * 4000]
    text = "\n".join(chance.choice(blocks) for _ in range(300))
    assert len(text) > 1_500_000
    assert tokens.count(text) == pytest.approx(reference(text), rel=0.05)


def test_the_longest_exact_text_is_counted_whole() -> None:
    half = tokens.EXACT_CHARACTERS // 2
    text = "a " * (half // 2) + "世" * half
    assert len(text) == tokens.EXACT_CHARACTERS
    assert tokens.count(text) == len(tiktoken.get_encoding("o200k_base").encode_ordinary(text))


def test_threads_share_one_encoding() -> None:
    tokens._encoding.cache_clear()
    seen: list[int] = []
    threads = [
        threading.Thread(target=lambda: seen.append(id(tokens._encoding("o200k_base")))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 8
    assert len(set(seen)) == 1


def test_a_text_result_costs_its_text() -> None:
    assert tokens.count_content(b"hello world", pairs.TEXT) == 2
    assert tokens.count_content(pairs.encode_text("\ud800"), pairs.TEXT) == tokens.count("\ud800")
    assert tokens.count_content(b"\xff\xfe plain bytes", pairs.TEXT) > 0


def test_an_image_costs_an_allowance_and_not_its_base64() -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": BASE64}}
    content = json.dumps([{"type": "text", "text": "hello world"}, image, image]).encode()
    counted = tokens.count_content(content, pairs.JSON)
    assert 2 * tokens.IMAGE_TOKENS < counted < 2 * tokens.IMAGE_TOKENS + 60
    assert tokens.count_content(b"\x89PNG", "image/png") == tokens.IMAGE_TOKENS


def test_a_document_costs_an_allowance_and_not_its_base64() -> None:
    source = {"type": "base64", "media_type": "application/pdf", "data": BASE64}
    content = json.dumps([{"type": "document", "source": source}]).encode()
    assert tokens.BINARY_TOKENS < tokens.count_content(content, pairs.JSON) < tokens.BINARY_TOKENS + 30


@pytest.mark.parametrize("text", ["not json", "[" * 100_000, '{"a": 1}', "null", "[" * 200 + "]" * 200])
def test_any_json_result_has_a_count(text: str) -> None:
    assert tokens.count_content(text.encode(), pairs.JSON) >= 0


def test_a_panic_of_the_tokenizer_gives_an_estimate() -> None:
    assert tokens._exact(" " * 1_100_000, "o200k_base") == 550_000
