"""How many tokens messages cost, counted once per text."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from hashlib import blake2b

from pipelines import tokens
from pipelines.messages.view import Part, PartKind, View

PER_MESSAGE = 4
"""Tokens that a message costs beside its parts."""
PER_MEDIA = 1_600
_KEPT = 200_000


class Counter:
    """Counts texts with a tokenizer and remembers what it counted; one serves a whole process."""

    def __init__(self, encoding: str = tokens.O200K) -> None:
        self.encoding = encoding
        self._known: OrderedDict[bytes, int] = OrderedDict()

    def text(self, text: str) -> int:
        """Return the tokens of a text."""
        if len(text) < 12:
            return tokens.count(text, encoding=self.encoding) if text else 0
        key = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).digest()
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = tokens.count(text, encoding=self.encoding)
            if len(self._known) > _KEPT:
                self._known.popitem(last=False)
        return known

    def part(self, part: Part) -> int:
        """Return the tokens of a part."""
        name = self.text(part.name) if part.kind is PartKind.CALL else 0
        return self.text(part.text) + name + part.media * PER_MEDIA

    def message(self, view: View) -> int:
        """Return the tokens of a message."""
        return PER_MESSAGE + sum(self.part(part) for part in view.parts)

    def total(self, views: Iterable[View]) -> int:
        """Return the tokens of a list."""
        return sum(self.message(view) for view in views)

    def known(self) -> Mapping[bytes, int]:
        """Return what was counted so far, by digest."""
        return self._known
