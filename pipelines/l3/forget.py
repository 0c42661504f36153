"""Taking the oldest whole exchanges out of a list, and saying what they were."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from pipelines.l3 import settings as pace
from pipelines.l3.apply import reviewed
from pipelines.l3.history import CanvasText, history_text
from pipelines.l3.strings import chosen, shown
from pipelines.l3.units import Unit, units
from pipelines.l3.weights import Counter
from pipelines.messages.view import PartKind, Role, View


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
    removed: list[int] = field(default_factory=list)
    """Numbers of the old list's messages of which something is gone."""
    injected: str = ""


def forget(
    views: Sequence[View],
    *,
    until: int,
    keep_from: int,
    window: int,
    mmd_budget: int,
    canvases: Sequence[CanvasText],
    counter: Counter,
) -> Forgotten | None:
    """Take out the oldest exchanges that end before message `keep_from`, until the list has at most `until` tokens.

    What people and the system say stays. None when there is nothing to take out.
    """
    total = counter.total(views)
    going: list[Unit] = []
    for unit in units(views):
        if total <= until or unit.last >= keep_from:
            break
        total -= sum(counter.part(_part(views, place)) for place in unit.places)
        going.append(unit)
    if not going:
        return None
    return _without(views, going, window, mmd_budget, canvases, counter)


def _part(views: Sequence[View], place: tuple[int, int]):  # type: ignore[no-untyped-def]
    at, number = place
    return next(part for part in views[at].parts if part.place == number)


def _without(
    views: Sequence[View],
    going: Sequence[Unit],
    window: int,
    mmd_budget: int,
    canvases: Sequence[CanvasText],
    counter: Counter,
) -> Forgotten:
    gone: dict[int, set[int]] = {}
    for unit in going:
        for at, place in unit.places:
            gone.setdefault(at, set()).add(place)
    begins, ends = going[0].first, max(unit.last for unit in going) + 1
    left: list[View] = []
    numbers: list[int | None] = []
    for at, view in enumerate(views[:ends]):
        raw = view.raw if at not in gone else view.dialect.without(view.raw, frozenset(gone[at]))
        if raw is not None:
            left.append(view if raw is view.raw else reviewed(view, raw))
            numbers.append(at)
    text = _text(views, gone, left + list(views[ends:]), len(gone), window, mmd_budget, canvases, counter)
    place = sum(1 for at in numbers if at is not None and at < begins)
    model = views[begins]
    message = model.dialect.user_message(text)
    told = model.dialect.view(message)
    if told is not None:
        left.insert(place, told)
        numbers.insert(place, None)
    return Forgotten(
        views=[*left, *views[ends:]],
        head=len(left),
        covered=ends,
        numbers=[*numbers, *range(ends, len(views))],
        removed=sorted(gone),
        injected=text,
    )


def _text(
    views: Sequence[View],
    gone: dict[int, set[int]],
    left: Sequence[View],
    removed: int,
    window: int,
    mmd_budget: int,
    canvases: Sequence[CanvasText],
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
    strings = chosen(said, besides=visible, budget=int(pace.STRINGS_SHARE * window), count=counter.text)
    return history_text(canvases, strings, removed=removed, budget=mmd_budget, count=counter.text)


def last_human(views: Sequence[View]) -> int:
    """Return the number of the last message in which a person speaks; -1 for none."""
    return max((at for at, view in enumerate(views) if view.is_human), default=-1)


def first_human(views: Sequence[View]) -> int:
    """Return the number of the first message in which a person speaks; -1 for none."""
    return next((at for at, view in enumerate(views) if view.is_human and view.role is Role.USER), -1)
