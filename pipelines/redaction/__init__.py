"""Taking secrets out of texts: found by the name before them or by their own form, replaced by `[redacted:KIND]`.

All else stays as it is, character by character, and JSON stays JSON. What is no secret by its name or form (hashes,
ids, counts, code that only speaks of secrets) stays too.
"""

from __future__ import annotations

from dataclasses import dataclass

from pipelines.redaction.documents import document
from pipelines.redaction.named import named
from pipelines.redaction.patterns import Found, forms

_MOST_ROUNDS = 4
_DEEPEST = 4  # JSON in texts of JSON


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without its secrets, and how many were taken out."""

    text: str
    count: int


def redact(text: str, *, same_length: bool = False) -> Redacted:
    """Take the secrets out of a text of any kind, a JSON text too.

    With `same_length` each is overwritten with as many stars, so that the text grows no longer. Takes time in
    proportion to the text; what was redacted comes back as it is.
    """
    count = 0
    for _ in range(_MOST_ROUNDS):
        found = _merged(_found(text, 0))
        if not found:
            break
        count += len(found)
        text = _spliced(text, found, same_length)
    return Redacted(text, count)


def _found(text: str, depth: int) -> list[Found]:
    first, last = text.lstrip()[:1], text.rstrip()[-1:]
    if depth <= _DEEPEST and (first, last) in (("{", "}"), ("[", "]"), ('"', '"')):
        found = document(text, lambda inner: _found(inner, depth + 1))
        if found is not None:
            return found
    return [*named(text), *forms(text)]


def _merged(found: list[Found]) -> list[Found]:
    """Return the places in order, those that overlap as one, of the kind of the one that begins first."""
    merged: list[Found] = []
    for one in sorted(found, key=lambda one: (one.start, -one.end)):
        if merged and one.start < merged[-1].end:
            merged[-1] = merged[-1]._replace(end=max(one.end, merged[-1].end))
        elif one.end > one.start:
            merged.append(one)
    return merged


def _spliced(text: str, found: list[Found], same_length: bool) -> str:
    pieces = []
    at = 0
    for one in found:
        pieces += [text[at : one.start], _mark(one, same_length)]
        at = one.end
    pieces.append(text[at:])
    return "".join(pieces)


def _mark(one: Found, same_length: bool) -> str:
    quote = '"' if one.is_number else ""
    inside = "*" * (one.end - one.start - 2 * len(quote)) if same_length else f"[redacted:{one.kind}]"
    return f"{quote}{inside}{quote}"
