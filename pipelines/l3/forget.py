"""Taking the oldest whole exchanges out of a list, and saying what they were and where they are kept."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from pipelines import rawjson
from pipelines.l3.apply import reviewed
from pipelines.l3.history import CanvasText, history_text
from pipelines.l3.strings import chosen, shown
from pipelines.l3.units import units
from pipelines.l3.weights import Counter
from pipelines.messages.view import Part, PartKind, View

Gone = dict[int, set[int]]
"""Places of parts by the number of their message."""


@dataclass(slots=True, kw_only=True)
class Forgotten:
    """A list without its oldest exchanges."""

    views: list[View]
    head: int
    """How many messages of the new list are its settled beginning,"""
    covered: int
    """and for how many of the old one they stand."""
    numbers: list[int | None]
    """For each message of the new list its number in the old one; None for the one that tells of the rest."""
    removed: list[int]
    """Numbers of the old list's messages of which something is gone."""
    injected: str
    told: str
    """The key of the message with that text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """How much a list may have when exchanges went, in tokens."""

    until: int
    """Exchanges go until the list has no more than these."""
    canvases: int
    """The most for the canvases of one message that tells what went,"""
    told: int
    """and the most for all such messages together: beyond it the older ones go too."""
    strings: int


def forget(
    views: Sequence[View],
    *,
    keep_from: int,
    budget: Budget,
    told: Collection[str],
    canvases: Sequence[CanvasText],
    keep: Callable[[str], str],
    counter: Counter,
) -> Forgotten | None:
    """Take out the oldest exchanges that end before message `keep_from`, until the list is within its budget.

    What people and the system say stays; what goes is given to `keep`, which returns the ref id it is kept by.
    `told` are the keys of the messages that tell of earlier ones. None when there is nothing to take out.
    """
    gone = _going(views, keep_from, budget.until, counter)
    if not gone:
        return None
    ends = max(gone) + 1
    own = [at for at, view in enumerate(views[:ends]) if view.key in told]
    if sum(counter.message(views[at]) for at in own) > budget.told:
        gone |= {at: {part.place for part in views[at].parts} for at in own}
    left, numbers = _left(views[:ends], gone)
    text = _text(views, gone, [*left, *views[ends:]], budget, canvases, keep, counter)
    dialect = views[min(gone)].dialect
    telling = dialect.view(dialect.user_message(text))
    if telling is None:
        raise AssertionError(f"a message made in {dialect.name} is none of it")
    place = sum(1 for at in numbers if at < min(gone))
    left.insert(place, telling)
    return Forgotten(
        views=[*left, *views[ends:]],
        head=len(left),
        covered=ends,
        numbers=[*numbers[:place], None, *numbers[place:], *range(ends, len(views))],
        removed=sorted(gone),
        injected=text,
        told=telling.key,
    )


def _going(views: Sequence[View], keep_from: int, until: int, counter: Counter) -> Gone:
    total = counter.total(views)
    gone: Gone = {}
    for unit in units(views):
        if total <= until or unit.last >= keep_from:
            break
        for at, place in unit.places:
            total -= counter.part(_part(views[at], place))
            gone.setdefault(at, set()).add(place)
    return gone


def _part(view: View, place: int) -> Part:
    return next(part for part in view.parts if part.place == place)


def _left(views: Sequence[View], gone: Gone) -> tuple[list[View], list[int]]:
    """Return what is left of each message that is not gone whole, and its number."""
    left, numbers = [], []
    for at, view in enumerate(views):
        raw = view.raw if at not in gone else view.dialect.without(view.raw, frozenset(gone[at]))
        if raw is not None:
            left.append(view if raw is view.raw else reviewed(view, raw))
            numbers.append(at)
    return left, numbers


def _text(
    views: Sequence[View],
    gone: Gone,
    left: Sequence[View],
    budget: Budget,
    canvases: Sequence[CanvasText],
    keep: Callable[[str], str],
    counter: Counter,
) -> str:
    visible: set[str] = set()
    for view in left:
        for part in view.parts:
            visible |= shown(part.text)
    said = "\n".join(
        part.text
        for at, places in sorted(gone.items(), reverse=True)
        for part in views[at].parts
        if part.place in places and part.kind is not PartKind.THINKING
    )
    return history_text(
        canvases,
        chosen(said, besides=visible, budget=budget.strings, count=counter.text),
        removed=len(gone),
        ref_id=keep(rawjson.dump([views[at].raw for at in sorted(gone)])),
        budget=budget.canvases,
        count=counter.text,
    )


def humans(views: Sequence[View], told: Collection[str]) -> list[int]:
    """Return the numbers of the messages in which a person speaks, not we of what was taken out."""
    return [at for at, view in enumerate(views) if view.is_human and view.key not in told]
