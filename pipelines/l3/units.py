"""What may be taken out of a list together: the model's turns with the results that answer them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pipelines.messages.exchanges import exchanges
from pipelines.messages.view import PartKind, Role, View


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A model's message with all that answers it, or a message of nobody else's concern."""

    first: int
    last: int
    """The last message with a part of it."""
    places: frozenset[tuple[int, int]]
    """Its parts, as (number of the message, place)."""


def units(views: Sequence[View]) -> list[Unit]:
    """Return the units of a list, in order; what people and the system say is in none.

    Messages whose calls are answered by one message go together, and so do all of a model's messages in a row,
    so that nothing that is left refers to something that is gone.
    """
    groups = _Groups(len(views))
    for one in exchanges(views):
        if one.result_at is not None:
            groups.join(one.call_at, one.result_at)
    for at in range(1, len(views)):
        if _is_models(views[at]) and _is_models(views[at - 1]):
            groups.join(at - 1, at)
    found = []
    for members in groups.all():
        places = frozenset((at, place) for at in members for place in _places(views[at]))
        if places:
            found.append(Unit(first=members[0], last=members[-1], places=places))
    return sorted(found, key=lambda unit: unit.first)


def _is_models(view: View) -> bool:
    return view.role in (Role.ASSISTANT, Role.OTHER)


def _places(view: View) -> list[int]:
    if view.role is Role.SYSTEM:
        return []
    if view.role is Role.USER:
        return [part.place for part in view.of(PartKind.RESULT)]
    return [part.place for part in view.parts]


class _Groups:
    """Numbers that belong together."""

    def __init__(self, size: int) -> None:
        self._parent = list(range(size))

    def _root(self, one: int) -> int:
        while self._parent[one] != one:
            self._parent[one] = self._parent[self._parent[one]]
            one = self._parent[one]
        return one

    def join(self, one: int, other: int) -> None:
        first, second = sorted((self._root(one), self._root(other)))
        self._parent[second] = first

    def all(self) -> list[list[int]]:
        groups: dict[int, list[int]] = {}
        for one in range(len(self._parent)):
            groups.setdefault(self._root(one), []).append(one)
        return list(groups.values())
