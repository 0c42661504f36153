"""How many tokens a text or a stored result costs a model, counted offline and in bounded time."""

from __future__ import annotations

import re
from bisect import bisect_right
from enum import StrEnum
from functools import cache
from math import ceil

import tiktoken

from pipelines import pairs, rank_files, rawjson
from pipelines.content import media_of, text_of


class Mode(StrEnum):
    """How texts are counted."""

    TIKTOKEN = "tiktoken"  # by the model's own tokenizer
    HEURISTIC = "heuristic"  # by the number of characters: several times too few for base64


O200K = "o200k_base"
EXACT_CHARACTERS = 131_072
"""A text up to this long is counted exactly, a longer one by samples. So many characters without a break (Chinese
ones are the slowest) take 0.1 s, and usual text a tenth of that."""
IMAGE_TOKENS = 1_600
"""What an image block is taken to cost: the most that hosts charge for one image they have scaled down."""
BINARY_TOKENS = 1_600
"""What any other base64 block (a document, a sound) is taken to cost."""

_SAMPLES = 512
_SAMPLE_CHARACTERS = EXACT_CHARACTERS // _SAMPLES
_SEEK_CHARACTERS = 128
# Cutting here never changes the tokens: a piece never crosses from a line end to a letter.
_SAFE_CUT = re.compile(r"(?<=[\r\n])(?=[A-Za-z])")
_SURROGATES = re.compile("[\ud800-\udfff]")
_PANIC_BYTES_PER_TOKEN = 2
_MOST_TOKENS_PER_CHARACTER = 4  # one for each byte of its UTF-8
# Han with its extensions and punctuation, kana, Hangul, full-width forms.
_CJK = re.compile(
    "[\u1100-\u11ff\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]+"
)
_CJK_PER_TOKEN, _OTHERS_PER_TOKEN = 1.7, 4


def count(text: str, *, mode: Mode = Mode.TIKTOKEN, encoding: str = O200K) -> int:
    """Return how many tokens a text has; text that looks like a special token counts as plain text.

    Exact up to EXACT_CHARACTERS. Beyond that 512 evenly spaced samples are counted and scaled by their
    length: within 5 % on logs, source and transcripts of several megabytes; only a text made to look other
    between the samples than in them is further off. Takes at most what the longest exact text takes (0.1 s).
    Never raises for any text; raises RankFileError when the encoding's file is not there. The heuristic mode takes
    1.7 characters of Chinese, Japanese and Korean for a token, and 4 of anything else, and needs no file.
    """
    if mode is Mode.HEURISTIC:
        return _estimate(text)
    if len(text) <= EXACT_CHARACTERS:
        return _exact(text, encoding)
    counted = 0
    characters = 0
    for number in range(_SAMPLES):
        start = number * (len(text) - _SAMPLE_CHARACTERS) // (_SAMPLES - 1)
        cut = _SAFE_CUT.search(text, start, start + _SEEK_CHARACTERS)
        begin = cut.start() if cut else start
        sample = text[begin : begin + _SAMPLE_CHARACTERS]
        counted += _exact(sample, encoding)
        characters += len(sample)
    return round(counted * len(text) / characters)


def count_content(content: bytes, media_type: str, *, encoding: str = O200K) -> int:
    """Return how many tokens a stored result costs: its text, and an allowance for each image or binary."""
    if media_type.startswith("image"):
        return IMAGE_TOKENS
    text = pairs.decode_text(content)
    if text is None:
        text = content.decode("utf-8", "replace")
    if media_type != pairs.JSON:
        return count(text, encoding=encoding)
    try:
        value = rawjson.parse(text)
    except rawjson.JsonSyntaxError:
        return count(text, encoding=encoding)
    media = sum(_allowance(part.media_type) for part in media_of(value))
    return count(text_of(value), encoding=encoding) + media


def fit(text: str, max_tokens: int, *, mode: Mode = Mode.TIKTOKEN, encoding: str = O200K) -> int:
    """Return how many characters from the start of a text make at most `max_tokens` tokens; at least 1
    (a single character can have up to 4).

    Takes time by what fits, not by the length of the text; never more than EXACT_CHARACTERS fit.
    """
    if mode is Mode.HEURISTIC:
        longest = range(1, min(len(text), _OTHERS_PER_TOKEN * max_tokens) + 1)
        return max(1, bisect_right(longest, max_tokens, key=lambda length: _estimate(text[:length])))
    characters = min(8 * max_tokens, EXACT_CHARACTERS)
    while True:
        head = text[:characters]
        ids = _encode(head, encoding)
        if ids is None:
            return max(1, max_tokens // _MOST_TOKENS_PER_CHARACTER)
        if len(ids) > max_tokens:
            return _fitting(ids, max_tokens, encoding)
        if len(head) == len(text) or characters == EXACT_CHARACTERS:
            return len(head)
        characters = min(4 * characters, EXACT_CHARACTERS)


def _fitting(ids: list[int], max_tokens: int, encoding: str) -> int:
    """Return how many characters the first ids make; fewer ids where a text cut there has more tokens than them."""
    kept = max_tokens
    while kept > 0:
        head = _encoding(encoding).decode_bytes(ids[:kept]).decode("utf-8", "ignore")
        excess = _exact(head, encoding) - max_tokens
        if excess <= 0:
            return max(1, len(head))
        kept -= excess
    return 1


def load(*, encoding: str = O200K) -> None:
    """Load the encoding now (0.2 to 0.9 s, 83 MB), so that processes forked later share it."""
    _encoding(encoding)


def _estimate(text: str) -> int:
    cjk = 0 if text.isascii() else sum(map(len, _CJK.findall(text)))
    return ceil(cjk / _CJK_PER_TOKEN + (len(text) - cjk) / _OTHERS_PER_TOKEN)


def _exact(text: str, encoding: str) -> int:
    ids = _encode(text, encoding)
    return len(pairs.encode_text(text)) // _PANIC_BYTES_PER_TOKEN if ids is None else len(ids)


def _encode(text: str, encoding: str) -> list[int] | None:
    """Return the ids, or None for a text that the tokenizer's Rust core gives up on."""
    if not text.isascii():
        text = _SURROGATES.sub("\ufffd", text)
    try:
        return _encoding(encoding).encode_ordinary(text)
    except BaseException as error:
        # The core's panic derives from BaseException and has no importable name.
        if type(error).__name__ != "PanicException":
            raise
        return None


@cache
def _encoding(name: str) -> tiktoken.Encoding:
    rank_files.require(name)
    return tiktoken.get_encoding(name)  # holds its own lock, so two threads get one object


def _allowance(media_type: str) -> int:
    return IMAGE_TOKENS if media_type.startswith("image") else BINARY_TOKENS
