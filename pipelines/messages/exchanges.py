"""Which result answers which call of a list, by position and id."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from pipelines.messages.view import Part, PartKind, View


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """A call and the result that answers it."""

    call_at: int
    """The number of the message that holds the call."""
    call: Part
    result_at: int | None = None
    """The number of the message that holds the result; None when nothing answers the call."""
    result: Part | None = None


Found = tuple[int, Part]


@dataclass(slots=True)
class _Round:
    """The calls of a model's turn, and the results that came before its next calls."""

    calls: list[Found] = field(default_factory=list)
    results: list[Found] = field(default_factory=list)


def exchanges(views: Sequence[View]) -> list[Exchange]:
    """Return every call in order, each with its result.

    A result answers the nearest call before it that has its id and no answer yet; of calls with one id in one
    message the first. A result without an id answers the next call of the turn before it that none answers by id.
    Every result answers one call at most; those that answer none are `orphans`.
    """
    calls: list[Found] = []
    answers: dict[int, Found] = {}
    waiting: dict[str, list[int]] = defaultdict(list)
    for turn in _rounds(views):
        first = len(calls)
        calls += turn.calls
        left = _settle(turn, first, answers)
        for found in left:
            if found[1].call_id and waiting[found[1].call_id]:
                answers[waiting[found[1].call_id].pop()] = found
        for number in reversed(range(first, len(calls))):
            if number not in answers and calls[number][1].call_id:
                waiting[calls[number][1].call_id].append(number)
    return [_exchange(call, answers.get(number)) for number, call in enumerate(calls)]


def orphans(views: Sequence[View], paired: Sequence[Exchange]) -> list[Found]:
    """Return the results that answer no call, as (number of the message, part)."""
    answering = {(one.result_at, one.result.place) for one in paired if one.result is not None}
    return [
        (at, part)
        for at, view in enumerate(views)
        for part in view.parts
        if part.kind is PartKind.RESULT and (at, part.place) not in answering
    ]


def _exchange(call: Found, answer: Found | None) -> Exchange:
    if answer is None:
        return Exchange(call_at=call[0], call=call[1])
    return Exchange(call_at=call[0], call=call[1], result_at=answer[0], result=answer[1])


def _rounds(views: Sequence[View]) -> Iterator[_Round]:
    turn, closed = _Round(), False
    for at, view in enumerate(views):
        for part in view.parts:
            if part.kind is PartKind.RESULT:
                turn.results.append((at, part))
                closed = True
            elif part.kind is PartKind.CALL:
                if closed:
                    yield turn
                    turn, closed = _Round(), False
                turn.calls.append((at, part))
        closed = closed or view.is_human
    yield turn


def _settle(turn: _Round, first: int, answers: dict[int, Found]) -> list[Found]:
    """Pair a turn's calls and results; return the results left over. Calls are numbered from `first`."""
    by_key: dict[tuple[bool, str], list[int]] = defaultdict(list)
    for number, (_, call) in enumerate(turn.calls, start=first):
        by_key[_key(call)].append(number)
    wanted: dict[tuple[bool, str], list[Found]] = defaultdict(list)
    nameless: list[Found] = []
    left: list[Found] = []
    for found in turn.results:
        if found[1].call_id or found[1].by_name:
            wanted[_key(found[1])].append(found)
        else:
            nameless.append(found)
    for key, results in wanted.items():
        numbers = _nearest(by_key.get(key, []), len(results), lambda number: turn.calls[number - first][0])
        answers.update(zip(numbers, results, strict=False))
        left += results[len(numbers) :]
    _settle_nameless(turn, first, nameless, answers)
    return sorted(left, key=lambda found: (found[0], found[1].place))


def _settle_nameless(turn: _Round, first: int, nameless: list[Found], answers: dict[int, Found]) -> None:
    """Pair results without ids with the calls still open: those without ids first, else in order."""
    still_open = [
        number
        for number, (_, call) in enumerate(turn.calls, start=first)
        if number not in answers and not call.by_name
    ]
    in_order = deque(sorted(still_open, key=lambda number: bool(turn.calls[number - first][1].call_id)))
    of_name: dict[str, deque[int]] = defaultdict(deque)
    for number in in_order:
        of_name[turn.calls[number - first][1].name].append(number)
    for found in nameless:
        name = found[1].name
        queue = (of_name.get(name) or of_name.get("") or deque()) if name else in_order
        while queue and queue[0] in answers:
            queue.popleft()
        if queue:
            answers[queue.popleft()] = found


def _nearest(numbers: list[int], count: int, message_of: Callable[[int], int]) -> list[int]:
    """Choose the calls that `count` results answer: of the last messages, and of one message the first."""
    if count >= len(numbers):
        return numbers
    by_message: dict[int, list[int]] = defaultdict(list)
    for number in numbers:
        by_message[message_of(number)].append(number)
    chosen: list[int] = []
    for message in sorted(by_message, reverse=True):
        chosen += by_message[message][: count - len(chosen)]
    return sorted(chosen)


def _key(part: Part) -> tuple[bool, str]:
    return (part.by_name, part.name if part.by_name else part.call_id)
