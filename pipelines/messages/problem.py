"""A fault of a message list, as a strict provider finds it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from pipelines.messages.view import Raw

Message = tuple[int, Raw]
"""A message and its number in the list."""


class Fault(StrEnum):
    """What is wrong."""

    UNANSWERED = "unanswered"  # a call without its result where the dialect wants it
    ORPHAN = "orphan"  # a result of no call, or not where its call wants it
    EARLY = "early"  # a result before its call
    DUPLICATE = "duplicate"  # a second result of one call, or a second call with one id
    BAD_ID = "bad id"  # an id that is missing or has characters the provider refuses
    EMPTY = "empty"  # a message or a text with nothing in it
    ORDER = "order"  # parts or messages in an order the provider refuses


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A fault, where it is, and a sentence that says what would be refused."""

    index: int
    """The number of the message, from 0."""
    fault: Fault
    text: str


class Pairing:
    """The calls of a list as they wait for their results.

    `calls` gives the last message that calls with an id. With `in_list` no two calls of the list may share an id,
    else no two of those that wait together.
    """

    def __init__(self, calls: dict[str, int], *, in_list: bool = False) -> None:
        self._calls = calls
        self._in_list = in_list
        self._ids: set[str] = set()
        self._open: dict[str, tuple[int, str]] = {}
        self._done: set[str] = set()

    def called(self, index: int, key: str, name: str) -> Iterator[Problem]:
        """Note a call; report an id that another call has."""
        if key in self._ids:
            yield Problem(index=index, fault=Fault.DUPLICATE, text=f"Two calls have one id: {name}.")
        self._ids.add(key)
        self._open[key] = (index, name)

    def answered(self, index: int, key: str, name: str) -> Iterator[Problem]:
        """Note a result; report one that answers no waiting call."""
        if key in self._open:
            del self._open[key]
            self._done.add(key)
        elif key in self._done:
            yield Problem(index=index, fault=Fault.DUPLICATE, text=f"A second result answers {name}.")
        elif self._calls.get(key, -1) > index:
            yield Problem(index=index, fault=Fault.EARLY, text=f"The result for {name} is before its call.")
        elif index == 0:
            yield Problem(
                index=index, fault=Fault.ORPHAN, text=f"The list begins with the result for {name}."
            )
        else:
            yield Problem(index=index, fault=Fault.ORPHAN, text=f"The result for {name} has no call here.")

    def close(self, running_from: float = math.inf) -> Iterator[Problem]:
        """Report the calls that still wait, but for those from a message on; wait for none of them any more."""
        for index, name in self._open.values():
            if index < running_from:
                yield Problem(index=index, fault=Fault.UNANSWERED, text=f"Nothing answers {name}.")
        self._open.clear()
        self._done.clear()
        if not self._in_list:
            self._ids.clear()
