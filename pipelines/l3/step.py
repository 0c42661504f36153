"""One step: all results and long inputs but the newest become stubs, at once and for good."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from pipelines.l3 import settings as pace
from pipelines.l3.memory import Memory
from pipelines.l3.strings import chosen, shown
from pipelines.l3.stub import Ref, input_stub, is_stub, result_stub
from pipelines.l3.weights import Counter
from pipelines.messages.view import Part, PartKind, View

MAX_DEPTH = 20


class Refs(Protocol):
    """Finds where results are kept."""

    def results(self, wanted: Sequence[tuple[Part, Part | None]]) -> list[Ref | None]:
        """Return for each result (with the call it answers) where its bytes are; None: nowhere, so it stays."""

    def text(self, text: str) -> str:
        """Return the ref id under which a text will be found once the list is given out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replaced:
    """A part that was replaced."""

    index: int
    """Of its message in the list."""
    place: int
    kind: PartKind
    call_id: str
    ref_id: str
    reason: str
    tokens_before: int
    tokens_after: int


@dataclass(slots=True, kw_only=True)
class Step:
    """What a step did."""

    replaced: list[Replaced] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Candidate:
    index: int
    view: View
    part: Part
    tokens: int


def savings(
    views: Sequence[View], window: int, counter: Counter, least: Mapping[str, float]
) -> list[tuple[int, int]]:
    """Return what could be replaced and is not yet: its message, and about how many tokens less a stub takes."""
    cut = tail_begins(views, window, counter)
    return [
        (one.index, saved)
        for one in _candidates(views[:cut], counter, least, names(views))
        if (saved := one.tokens - _stub_tokens(one.tokens)) > 0
    ]


def _stub_tokens(tokens: int) -> int:
    """Return about how many tokens the stub of so many takes."""
    return pace.STUB_TOKENS + min(pace.RESULT_BUDGET, int(tokens * pace.BUDGET_SHARE)) // 2


def tail_begins(views: Sequence[View], window: int, counter: Counter) -> int:
    """Return the index from which on messages stay as they are."""
    left, results, cut = pace.TAIL_SHARE * window, 0, len(views)
    while cut > 0:
        view = views[cut - 1]
        left -= counter.message(view)
        if left < 0 and results >= pace.TAIL_RESULTS:
            break
        results += len(view.of(PartKind.RESULT))
        cut -= 1
    return cut


def names(views: Sequence[View]) -> dict[str, Part]:
    """Return the calls by id; of one id the last."""
    return {part.call_id: part for view in views for part in view.of(PartKind.CALL)}


def step(
    views: Sequence[View],
    *,
    window: int,
    counter: Counter,
    memory: Memory,
    refs: Refs,
    calls: Mapping[str, Part],
    least: Mapping[str, float],
    start: int = 0,
) -> Step:
    """Replace all that can be from message `start` to the tail, and note it; the list itself is not changed.

    `least` gives by a tool's name how many tokens are the least that are replaced of it.
    `calls` are the calls by id as they came in, before any of their inputs was replaced: a result that has to be
    stored is stored with the whole input. So it is as soon as its call's input goes, though it stays itself.
    A stub keeps strings that nothing else in the list shows. The newest are looked at first, so that of several
    results with one string the newest keeps it.
    """
    cut = tail_begins(views, window, counter)
    candidates = [one for one in _candidates(views[:cut], counter, least, calls) if one.index >= start]
    taken = {(one.index, one.part.place) for one in candidates}
    visible = _visible(views, taken)
    results = [one for one in candidates if one.part.kind is PartKind.RESULT]
    going = {one.part.call_id for one in candidates if one.part.kind is PartKind.CALL}
    staying = [part for view in views[cut:] for part in view.of(PartKind.RESULT) if part.call_id in going]
    asked = [*(one.part for one in results), *staying]
    found = refs.results([(part, calls.get(part.call_id)) for part in asked])
    where = {(one.index, one.part.place): ref for one, ref in zip(results, found, strict=False)}
    stale = _stale(results, calls)
    done = Step()
    for one in reversed(candidates):
        if one.part.kind is PartKind.RESULT:
            place = (one.index, one.part.place)
            _replace_result(one, where[place], place in stale, visible, counter, memory, done)
        else:
            _replace_input(one, refs, visible, counter, memory, done)
    return done


def _candidates(
    views: Sequence[View], counter: Counter, least: Mapping[str, float], calls: Mapping[str, Part]
) -> list[_Candidate]:
    return list(_found(views, counter, least, calls))


def _found(
    views: Sequence[View], counter: Counter, least: Mapping[str, float], calls: Mapping[str, Part]
) -> Iterator[_Candidate]:
    for index, view in enumerate(views):
        for part in view.parts:
            if part.kind is PartKind.RESULT and not is_stub(part.text) and not part.media:
                call = calls.get(part.call_id)
                count = counter.part(part)
                if count >= max(pace.LEAST_TOKENS, least.get(call.name if call else part.name, 0)):
                    yield _Candidate(index, view, part, count)
            elif part.kind is PartKind.CALL and isinstance(part.input, dict | str) and _is_free(view, part):
                count = sum(count for _, _, count in _long_texts(part.input, counter))
                if count and count >= least.get(part.name, 0):
                    yield _Candidate(index, view, part, count)


def _is_free(view: View, part: Part) -> bool:
    """Say whether the dialect lets the input of the call be written otherwise."""
    return view.dialect.with_input(view.raw, part.place, part.input) is not view.raw


def _texts(value: Any, way: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield every text inside an input with the way to it."""
    if isinstance(value, str):
        yield way, value
    elif isinstance(value, dict | list) and len(way) < MAX_DEPTH:
        steps = value.items() if isinstance(value, dict) else enumerate(value)
        for step_, one in steps:
            yield from _texts(one, (*way, step_))


def _long_texts(value: Any, counter: Counter) -> Iterator[tuple[tuple[str | int, ...], str, int]]:
    """Yield each long text inside an input with the way to it and its tokens."""
    for way, text in _texts(value):
        if len(text) > pace.LEAST_INPUT_TOKENS and not is_stub(text):
            count = counter.text(text)
            if count >= pace.LEAST_INPUT_TOKENS:
                yield way, text, count


def _put(value: Any, way: tuple[str | int, ...], text: str) -> Any:
    """Return the value with the text at the end of the way replaced."""
    if not way:
        return text
    copy: Any = dict(value) if isinstance(value, dict) else list(value)
    copy[way[0]] = _put(value[way[0]], way[1:], text)
    return copy


def _visible(views: Sequence[View], taken: set[tuple[int, int]]) -> set[str]:
    seen: set[str] = set()
    for index, view in enumerate(views):
        for part in view.parts:
            if (index, part.place) not in taken:
                seen |= shown(part.text)
    return seen


def _stale(results: list[_Candidate], calls: Mapping[str, Part]) -> set[tuple[int, int]]:
    """Return the results whose very call was made again later."""
    seen: set[tuple[str, str]] = set()
    stale = set()
    for one in reversed(results):
        call = calls.get(one.part.call_id)
        if call is None:
            continue
        asked = (call.name, call.text)
        if asked in seen:
            stale.add((one.index, one.part.place))
        seen.add(asked)
    return stale


def _replace_result(
    one: _Candidate,
    ref: Ref | None,
    is_stale: bool,
    visible: set[str],
    counter: Counter,
    memory: Memory,
    done: Step,
) -> None:
    text = one.part.text
    if ref is None:
        visible |= shown(text)
        return
    budget = 0 if is_stale else min(pace.RESULT_BUDGET, int(one.tokens * pace.BUDGET_SHARE))
    said = shown(ref.summary)
    stub = result_stub(ref, chosen(text, besides=visible, also=said, budget=budget, count=counter.text))
    after = counter.text(stub)
    if after >= one.tokens:
        visible |= shown(text)
        return
    visible |= shown(stub)
    memory.results[one.part.key] = stub
    done.replaced.append(
        Replaced(
            index=one.index,
            place=one.part.place,
            kind=PartKind.RESULT,
            call_id=one.part.call_id,
            ref_id=ref.ref_id,
            reason="the same call was made again" if is_stale else "older than the newest results",
            tokens_before=one.tokens,
            tokens_after=after,
        )
    )


def _replace_input(
    one: _Candidate, refs: Refs, visible: set[str], counter: Counter, memory: Memory, done: Step
) -> None:
    value = one.part.input
    long = {way: (text, count) for way, text, count in _long_texts(value, counter)}
    for way, text in _texts(value):
        if way not in long:
            visible |= shown(text)
    for way, (text, before) in long.items():
        budget = min(pace.INPUT_BUDGET, int(before * pace.BUDGET_SHARE))
        ref = refs.text(text)
        strings = chosen(text, besides=visible, budget=budget, count=counter.text)
        stub = input_stub(text, before, strings, ref_id=ref)
        after = counter.text(stub)
        if after >= before:
            visible |= shown(text)
            continue
        value = _put(value, way, stub)
        visible |= shown(stub)
        done.replaced.append(
            Replaced(
                index=one.index,
                place=one.part.place,
                kind=PartKind.CALL,
                call_id=one.part.call_id,
                ref_id=ref,
                reason=f"long text of the input, at {'.'.join(map(str, way)) or 'its root'}",
                tokens_before=before,
                tokens_after=after,
            )
        )
    if value is not one.part.input:
        memory.inputs[one.part.key] = value
