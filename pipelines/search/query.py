"""What a person or an agent asks for, as needles to find in a text and codes to look up."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pipelines.search import terms
from pipelines.search.plain import fold

MOST_CHARACTERS = 500
MOST_NEEDLES = 32
_PIECE = re.compile(r'"([^"]*)"|([^\s"]+)')

Clause = tuple[tuple[str, ...], ...]
"""Alternatives, of which one must hold; each is codes that must all be there."""


class QueryError(ValueError):
    """This cannot be searched for; the text says what to send."""


@dataclass(frozen=True, slots=True)
class Query:
    """All needles must be in the same text."""

    needles: tuple[str, ...]
    """Folded; with a letter, digit or, in quotes, any mark at their ends."""
    clauses: tuple[Clause, ...]
    """What the codes of a text that has all needles fulfil."""

    def expression(self, *, both: str, either: str, quote: str) -> str:
        """Write the clauses in a database's language: the signs for and, or, and around a code."""
        written = []
        for clause in self.clauses:
            alternatives = [both.join(f"{quote}{one}{quote}" for one in codes) for codes in clause]
            written.append("(" + either.join(f"({one})" for one in alternatives) + ")")
        return both.join(written)


def parse(text: str) -> Query:
    """Read a question: words anywhere in the same text; in quotes, a phrase exactly as it stands.

    A piece without spaces is searched as it is (`src/app/models.py`), but for marks around it (`KeyError:`).
    Raises QueryError when nothing is left to search for, or too much is asked.
    """
    if len(text) > MOST_CHARACTERS:
        raise QueryError(f"q has {len(text)} characters; send at most {MOST_CHARACTERS}")
    needles: list[str] = []
    clauses: dict[Clause, None] = {}
    for phrase, piece in _PIECE.findall(text):
        needle = phrase or _bare(piece)
        made = list(_clauses(needle))
        if made:
            needles.append(fold(needle))
            clauses.update(dict.fromkeys(made))
    if not needles:
        raise QueryError('q has no letter or digit to search for; send words, or "a phrase" in quotes')
    if len(needles) > MOST_NEEDLES:
        raise QueryError(f"q has {len(needles)} words; send at most {MOST_NEEDLES}, the rarest ones")
    return Query(tuple(dict.fromkeys(needles)), tuple(clauses))


def _bare(piece: str) -> str:
    found = list(terms.words(piece))
    return piece[found[0].start : found[-1].end] if found else ""


def _clauses(needle: str) -> Iterator[Clause]:
    found = list(terms.words(needle))
    for place, word in enumerate(found):
        following = found[place + 1] if place + 1 < len(found) else None
        before = found[place - 1] if place else None
        if word.unspaced:
            yield (_codes(terms.unspaced_terms(word.text)),)
        elif following and terms.are_joined(needle, word, following):
            yield tuple((terms.code(term),) for term in terms.joined_terms(needle, word, following))
        elif not (before and terms.are_joined(needle, before, word)):
            parts = word.parts
            whole = _codes([word.whole])
            yield (whole,) if len(parts) == 1 else (whole, _codes(parts))


def _codes(found: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(terms.code(term) for term in found))
