"""What holds for every list of messages, in every dialect, whole or broken."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.messages.lists import Fault, exchanges, orphans, problems, repaired, views
from pipelines.messages.view import PartKind, Raw, View
from tests.unit.messages.making import DIALECTS, any_lists, lists, mixed_lists, odd_messages

EDITED = {"content", "output", "arguments", "input", "text"}
anything = st.one_of(any_lists(), any_lists(faulty=True), mixed_lists())


def changes(before: Any, after: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield where two JSON values differ."""
    if isinstance(before, dict) and isinstance(after, dict) and before.keys() == after.keys():
        for key in before:
            yield from changes(before[key], after[key], (*path, key))
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for at, one in enumerate(before):
            yield from changes(one, after[at], (*path, at))
    elif before != after:
        yield path


def seen_again(view: View, raw: Raw) -> View:
    again = view.dialect.view(raw)
    assert again is not None
    return again


@given(data=st.data())
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_list_as_agents_write_it_is_taken_and_comes_back_as_the_same_object(
    dialect: str, data: Any
) -> None:
    raws = data.draw(lists(dialect))
    assert problems(raws) == []
    mended, notes = repaired(raws)
    assert mended is raws
    assert notes == []


@given(data=st.data())
@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_message_with_calls_is_read_in_its_dialect(dialect: str, data: Any) -> None:
    seen = views(data.draw(lists(dialect)))
    if any(view.of(PartKind.RESULT) for view in seen):
        assert {view.dialect.name for view in seen} == {dialect.removesuffix("_wrapped")}


@given(data=st.data())
@pytest.mark.parametrize("dialect", DIALECTS)
def test_in_a_whole_list_every_call_has_the_result_that_was_made_for_it(dialect: str, data: Any) -> None:
    for one in exchanges(views(data.draw(lists(dialect)))):
        if one.call.input == {}:
            assert one.result is None
            continue
        assert one.result is not None
        number = json.loads(one.call.text)["n"]
        assert re.search(r"result (\d+)\Z", one.result.text).group(1) == str(number)  # type: ignore[union-attr]


@given(raws=anything)
def test_views_keep_the_messages_and_their_order(raws: list[Raw]) -> None:
    before = copy.deepcopy(raws)
    assert all(view.raw is raw for view, raw in zip(views(raws), raws, strict=True))
    assert raws == before


@given(raws=anything)
def test_every_result_answers_one_earlier_call_at_most(raws: list[Raw]) -> None:
    seen = views(raws)
    paired = exchanges(seen)
    calls = [(at, part.place) for at, view in enumerate(seen) for part in view.of(PartKind.CALL)]
    assert [(one.call_at, one.call.place) for one in paired] == calls
    answering = [(one.result_at, one.result.place) for one in paired if one.result]
    lost = [(at, part.place) for at, part in orphans(seen, paired)]
    results = [(at, part.place) for at, view in enumerate(seen) for part in view.of(PartKind.RESULT)]
    assert sorted([*answering, *lost]) == sorted(results)  # type: ignore[type-var]
    for one in paired:
        if one.result is not None and one.result_at is not None:
            assert (one.call_at, one.call.place) < (one.result_at, one.result.place)
            assert one.result.call_id in ("", one.call.call_id)


@given(raws=any_lists(faulty=True), running=st.booleans())
def test_a_mended_list_is_taken_and_mending_it_again_changes_nothing(raws: list[Raw], running: bool) -> None:
    before = copy.deepcopy(raws)
    mended, notes = repaired(raws, running=running)
    assert raws == before
    assert problems(mended, running=running) == []
    assert repaired(mended, running=running)[0] is mended
    assert bool(notes) == (mended is not raws)


@given(raws=any_lists(faulty=True))
def test_mending_loses_no_result_that_has_its_call_and_no_word_that_was_said(raws: list[Raw]) -> None:
    seen = views(raws)
    mended = views(repaired(raws)[0])
    kept = [part.text for view in mended for part in view.of(PartKind.TEXT)]
    for view in seen:
        for part in view.of(PartKind.TEXT):
            assert not part.text.strip() or part.text in kept
    answered = [one.result.text for one in exchanges(mended) if one.result]
    for one in exchanges(seen):
        message = one and seen[one.call_at].raw.get("message", seen[one.call_at].raw)
        if one.result is not None and message.get("stopReason") != "aborted":
            assert one.result.text in answered


@given(raws=mixed_lists())
def test_a_list_in_several_dialects_is_mended_as_far_as_it_goes(raws: list[Raw]) -> None:
    before = copy.deepcopy(raws)
    mended, _ = repaired(raws)
    assert raws == before
    assert all(isinstance(raw, dict) for raw in mended)
    json.dumps(mended)


@given(raws=odd_messages)
def test_no_message_is_too_odd_to_be_read_and_edited(raws: list[Raw]) -> None:
    before = copy.deepcopy(raws)
    seen = views(raws)
    for view in seen:
        for part in view.parts:
            if part.kind is PartKind.RESULT:
                seen_again(view, view.dialect.with_result(view.raw, part.place, "x"))
            elif part.kind is PartKind.CALL:
                seen_again(view, view.dialect.with_input(view.raw, part.place, {}))
                view.dialect.answer(view.raw, part.place, "x")
            view.dialect.without(view.raw, frozenset({part.place}))
    exchanges(seen)
    problems(raws)
    repaired(raws)
    assert raws == before


@given(raws=anything)
def test_an_edit_changes_its_part_and_nothing_else(raws: list[Raw]) -> None:
    before = copy.deepcopy(raws)
    for view in views(raws):
        for part in view.parts:
            edited: Raw
            if part.kind is PartKind.RESULT:
                edited, text = view.dialect.with_result(view.raw, part.place, "short"), "short"
            elif part.kind is PartKind.CALL:
                edited = view.dialect.with_input(view.raw, part.place, {"cut": True})
                text = '{"cut": true}'
            elif part.kind is PartKind.TEXT:
                edited, text = view.dialect.with_text(view.raw, part.place, "said"), "said"
            else:
                continue
            again = seen_again(view, edited)
            assert again.parts[part.place].text == text
            assert again.role is view.role
            assert [one for one in again.parts if one.place != part.place] == [
                one for one in view.parts if one.place != part.place
            ]
            after = again.parts[part.place]
            assert (after.call_id, after.name, after.is_error) == (part.call_id, part.name, part.is_error)
            paths = list(changes(view.raw, edited))
            assert len({path[: path.index(key) + 1] for path in paths for key in EDITED if key in path}) <= 2
            assert all(EDITED & set(path) for path in paths)
    assert raws == before


@given(raws=anything, data=st.data())
def test_taking_parts_out_leaves_the_others_and_never_an_empty_message(raws: list[Raw], data: Any) -> None:
    before = copy.deepcopy(raws)
    seen = views(raws)
    faults = {problem.index for problem in problems(raws) if problem.fault is Fault.EMPTY}
    for at, view in enumerate(seen):
        places = frozenset(part.place for part in view.parts if data.draw(st.booleans()))
        left = view.dialect.without(view.raw, places)
        if not places:
            assert left is view.raw
            continue
        kept = [part for part in view.parts if part.place not in places]
        if left is None:
            assert all(part.kind is PartKind.THINKING or not part.text.strip() for part in kept) or not kept
            continue
        again = seen_again(view, left)
        assert again.parts
        assert again.parts == tuple(
            replace(part, place=place) for place, part in enumerate(kept[: len(again.parts)])
        )
        assert all(part.kind is PartKind.THINKING for part in kept[len(again.parts) :])
        assert left.keys() <= view.raw.keys()
        if at not in faults:
            assert Fault.EMPTY not in {problem.fault for problem in problems([left])}
    assert raws == before


@given(data=st.data())
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_message_of_the_user_made_in_a_dialect_reads_as_such_and_is_taken(dialect: str, data: Any) -> None:
    seen = views(data.draw(lists(dialect)))
    for view in seen:
        made = seen_again(view, view.dialect.user_message("Where we are."))
        assert made.is_human
        assert [part.text for part in made.parts] == ["Where we are."]
        assert problems([made.raw]) == []
