"""Cutting a text into the terms it can be found by.

A word is a run of letters and digits. `HTTPServer` and `parseHeader` are found by their parts as well. Words
joined by one of `_ . - / @ :` (`parse_header`, `src/app/models.py`, `user@example.org`) are also found by each
two of them that stand together. In scripts that put no spaces between words, each character is a term, and each
two in a row.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from pipelines.search.plain import fold

MOST_TERMS = 100_000
"""Different terms of one text that are kept."""
LONGEST_WORD = 128
"""Characters by which a word is told from others; longer ones are encoded data."""
_LONGEST_WITH_PARTS = 64
_ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz"
_CODES = len(_ALPHABET) ** 4
_JOINERS = frozenset("_.-/@:")
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f"  # Japanese, Chinese
    "\uac00-\ud7af\U00020000-\U0003ffff"  # Korean, rarer Chinese
)
_WORD = re.compile(rf"(?P<unspaced>[{UNSPACED}]+)|[^\W_{UNSPACED}]+")
HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
"""Where a word has a part's beginning."""
ESCAPED = "nrtbf"
"""Letters that may belong to a backslash before the word: `\\nfailed` is found as `failed`, too."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word as it stands in a text."""

    start: int
    text: str
    unspaced: bool

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def whole(self) -> str:
        """The word as a term."""
        return fold(self.text[:LONGEST_WORD])

    @property
    def parts(self) -> list[str]:
        """What the word is made of by its capitals, as terms: `HTTPServer` is `http` and `server`."""
        text = self.text
        if len(text) > _LONGEST_WITH_PARTS or text.islower() or text.isupper() or text.isdigit():
            return [self.whole]
        return [fold(part) for part in HUMP.split(text)]


@dataclass(frozen=True, slots=True)
class Codes:
    """The codes of a text's terms, each once."""

    codes: set[str]
    cut: bool
    """There were more than MOST_TERMS; those that came later are left out."""


def words(text: str) -> Iterator[Word]:
    """Return the words of a text in order."""
    return map(_word, _WORD.finditer(text))


def _word(found: re.Match[str]) -> Word:
    return Word(found.start(), found[0], found["unspaced"] is not None)


def are_joined(text: str, word: Word, following: Word) -> bool:
    """Say whether only a joiner stands between two words that follow each other."""
    spaced = not word.unspaced and not following.unspaced
    return spaced and following.start == word.end + 1 and text[word.end] in _JOINERS


def joined_terms(text: str, word: Word, following: Word) -> tuple[str, ...]:
    """Return the terms of two joined words: of the whole words, and of the parts at the joiner if others."""
    joiner = text[word.end]
    whole = f"{word.whole}{joiner}{following.whole}"
    near = f"{word.parts[-1]}{joiner}{following.parts[0]}"
    return (whole,) if near == whole else (whole, near)


def codes(*texts: str) -> Codes:
    """Return the codes of all terms of the texts (made plain before). Linear, and bounded by MOST_TERMS."""
    found: set[str] = set()
    for text in texts:
        for term in _terms(text):
            found.add(code(term))
            if len(found) > MOST_TERMS:
                found.discard(code(term))
                return Codes(found, cut=True)
    return Codes(found, cut=False)


def _terms(text: str) -> Iterator[str]:
    """Yield the terms of a text, of a word or two joined ones that come again mostly once."""
    seen: set[str] = set()
    before: re.Match[str] | None = None
    for found in _WORD.finditer(text):
        start = found.start()
        is_joined = before is not None and start == before.end() + 1 and text[start - 1] in _JOINERS
        first = before.start() if before is not None and is_joined else start
        key = text[first - (first > 0 and text[first - 1] == "\\") : found.end()]
        if key not in seen:
            seen.add(key)
            yield from _terms_of(text, before if is_joined else None, found)
        before = found


def _terms_of(text: str, before: re.Match[str] | None, found: re.Match[str]) -> Iterator[str]:
    for word in _forms(text, found):
        if word.unspaced:
            yield from unspaced_terms(word.text)
            yield from fold(word.text)
            continue
        yield word.whole
        yield from word.parts
        for one in _forms(text, before) if before is not None else ():
            if are_joined(text, one, word):
                yield from joined_terms(text, one, word)


def _forms(text: str, found: re.Match[str]) -> list[Word]:
    """Return the word and, after a backslash, also what is left without a letter that may belong to that."""
    word = _word(found)
    if word.start and text[word.start - 1] == "\\" and word.text[0] in ESCAPED and word.text[1:]:
        return [word, Word(word.start + 1, word.text[1:], False)]
    return [word]


def unspaced_terms(text: str) -> Iterator[str]:
    """Yield each two characters in a row, or the only one."""
    folded = fold(text)
    if len(folded) == 1:
        yield folded
    for at in range(len(folded) - 1):
        yield folded[at : at + 2]


@lru_cache(maxsize=65_536)
def code(term: str) -> str:
    """Return the four digits or letters under which a term is kept: different terms may share them."""
    digest = hashlib.blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    number = int.from_bytes(digest, "big") % _CODES
    digits = ""
    for _ in range(4):
        number, digit = divmod(number, len(_ALPHABET))
        digits += _ALPHABET[digit]
    return digits
