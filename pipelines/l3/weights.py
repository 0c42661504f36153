"""How many tokens messages cost, counted once per text."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from pipelines import digests, tokens
from pipelines.messages.view import Part, PartKind, View

PER_MESSAGE = 4
"""Tokens that a message costs beside its parts."""
PER_MEDIA = tokens.IMAGE_TOKENS
SHORT = 12
"""Shorter texts are remembered by themselves, longer ones by their digest."""
SHARED_FROM = 400
"""Characters from which on it is cheaper to ask what another process counted than to count."""
_KEPT = 200_000


class Shared(Protocol):
    """Counts that processes share. It may forget any of them, and be away: then it knows none."""

    def get(self, keys: Sequence[bytes]) -> Sequence[int | None]:
        """Return the tokens of each text by its digest, where they are known."""

    def put(self, counts: Mapping[bytes, int]) -> None:
        """Keep the tokens of texts by their digests."""


class Counter:
    """Counts texts and remembers what it counted; one serves a whole process."""

    def __init__(
        self,
        *,
        mode: tokens.Mode = tokens.Mode.TIKTOKEN,
        encoding: str = tokens.O200K,
        shared: Shared | None = None,
    ) -> None:
        """`encoding` and `shared` are of the mode that counts with a tokenizer; an estimate is made anew."""
        self.mode = mode
        self.encoding = encoding
        self._shared = shared if mode is tokens.Mode.TIKTOKEN else None
        self._known: OrderedDict[str | bytes, int] = OrderedDict()

    def text(self, text: str) -> int:
        """Return the tokens of a text."""
        return self._counted(text, text if len(text) < SHORT else digests.of_text(text))

    def learn(self, views: Iterable[View]) -> None:
        """Count a list's texts at once: what other processes counted is asked for and not counted again."""
        if self._shared is None:
            return
        parts = (part for view in views for part in view.parts if len(part.text) >= SHARED_FROM)
        unknown = {part.digest: part.text for part in parts if part.digest not in self._known}
        if not unknown:
            return
        fresh: dict[bytes, int] = {}
        for (key, text), found in zip(unknown.items(), self._shared.get(list(unknown)), strict=True):
            known = fresh[key] = self._count(text) if found is None else found
            self._remember(key, known)
            if found is not None:
                del fresh[key]
        if fresh:
            self._shared.put(fresh)

    def part(self, part: Part) -> int:
        """Return the tokens of a part."""
        name = self.text(part.name) if part.kind is PartKind.CALL else 0
        text = part.text
        return self._counted(text, text if len(text) < SHORT else part.digest) + name + part.media * PER_MEDIA

    def message(self, view: View) -> int:
        """Return the tokens of a message."""
        return PER_MESSAGE + sum(self.part(part) for part in view.parts)

    def total(self, views: Iterable[View]) -> int:
        """Return the tokens of a list."""
        return sum(map(self.message, views))

    def fit(self, text: str, max_tokens: int) -> int:
        """Return how many characters from the start of a text make at most `max_tokens` tokens; at least 1."""
        return tokens.fit(text, max_tokens, mode=self.mode, encoding=self.encoding)

    def of_list(self) -> Counter:
        """Return this counter for the work on one list: it looks at each message once."""
        return _OfList(self)

    def _counted(self, text: str, key: str | bytes) -> int:
        known = self._known.get(key)
        if known is None:
            known = self._count(text)
            self._remember(key, known)
        return known

    def _count(self, text: str) -> int:
        return tokens.count(text, mode=self.mode, encoding=self.encoding)

    def _remember(self, key: str | bytes, count: int) -> None:
        self._known[key] = count
        if len(self._known) > _KEPT:
            self._known.popitem(last=False)


class _OfList(Counter):
    def __init__(self, counter: Counter) -> None:
        super().__init__(mode=counter.mode, encoding=counter.encoding, shared=counter._shared)
        self._known = counter._known
        self._messages: dict[int, tuple[View, int]] = {}

    def message(self, view: View) -> int:
        found = self._messages.get(id(view))
        if found is None:
            # With the view itself, so that its id is no other's meanwhile.
            found = self._messages[id(view)] = (view, super().message(view))
        return found[1]
