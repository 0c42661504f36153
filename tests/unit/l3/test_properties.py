"""What holds of every compression, whatever the list, the dialect and the level."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.l3.compress import Request, compress
from pipelines.l3.fakes import MemoryRefs
from pipelines.l3.forget import humans
from pipelines.l3.history import CanvasText
from pipelines.l3.memory import Memory
from pipelines.l3.outcome import Level, Outcome
from pipelines.l3.weights import Counter
from pipelines.messages.dialects import views
from pipelines.messages.problems import problems
from pipelines.messages.view import PartKind, Raw
from tests.unit.messages.making import DIALECTS, any_lists, lists

COUNTER = Counter()
CANVAS = CanvasText(number=1, filename="001-task.mmd", goal="Mend <it>", mermaid="flowchart TD\n  a --> b")
REF = re.compile(r"ofl_[A-Z2-7]{13}")
LEVELS = st.sampled_from([None, *Level])


def grown(raws: list[Raw]) -> list[Raw]:
    """Return a list whose results and inputs are long enough to be worth replacing."""
    out = list(raws)
    for at, view in enumerate(views(raws)):
        for part in view.parts:
            if part.kind is PartKind.RESULT:
                lines = "".join(f"src/pkg_{n}/mod_{part.place}_{n}.py: def parse_{n}()\n" for n in range(30))
                out[at] = view.dialect.with_result(out[at], part.place, part.text + lines)
            elif part.kind is PartKind.CALL and isinstance(part.input, dict):
                long = {**part.input, "patch": f"{part.text} line of a patch_{at}\n" * 40}
                out[at] = view.dialect.with_input(out[at], part.place, long)
    return out


def run(
    raws: list[Raw], memory: Memory | None = None, refs: MemoryRefs | None = None, **more: Any
) -> Outcome:
    request = Request(messages=raws, **{"window": 4_000, **more})
    return compress(
        request,
        memory=memory if memory is not None else Memory(),
        refs=refs or MemoryRefs(),
        canvases=lambda: [CANVAS],
        counter=COUNTER,
    )


def stored(memory: Memory) -> Memory:
    """Return a memory as it is read back."""
    return Memory.from_json(json.loads(json.dumps(memory.to_json())), memory.trails())


def written(raws: list[Raw]) -> list[str]:
    return [json.dumps(raw) for raw in raws]


def texts(raws: list[Raw]) -> list[str]:
    return [part.text for view in views(raws) for part in view.parts]


@pytest.mark.parametrize("dialect", DIALECTS)
@settings(max_examples=60)
@given(data=st.data(), level=LEVELS, window=st.sampled_from([500, 2_000, 8_000]))
def test_a_valid_list_stays_valid(
    dialect: str, data: st.DataObject, level: Level | None, window: int
) -> None:
    raws = grown(data.draw(lists(dialect)))
    outcome = run(raws, level=level, window=window)
    assert problems(outcome.messages) == []


@given(raws=any_lists(faulty=True), level=LEVELS)
def test_a_broken_list_comes_out_valid_and_nothing_of_it_is_lost(
    raws: list[Raw], level: Level | None
) -> None:
    raws = grown(raws)
    refs = MemoryRefs()
    outcome = run(raws, refs=refs, level=level)
    assert problems(outcome.messages, running=True) == []
    if problems(raws, running=True):
        assert any(note.startswith("the list was mended: ") for note in outcome.notes)
    labels = [label for note in outcome.notes for label in REF.findall(note)]
    changed = [raw for label in labels for raw in json.loads(refs.kept[label])]
    assert all(raw in raws for raw in changed)


@given(raws=any_lists(faulty=True))
def test_a_broken_list_sent_again_is_mended_to_the_same_bytes(raws: list[Raw]) -> None:
    raws = grown(raws)
    memory = Memory()
    assert written(run(raws, memory).messages) == written(run(raws, memory).messages)


@given(raws=any_lists(faulty=True), level=LEVELS, window=st.sampled_from([500, 4_000, 100_000]))
def test_tokens_never_grow_and_the_last_request_stays(
    raws: list[Raw], level: Level | None, window: int
) -> None:
    raws = grown(raws)
    outcome = run(raws, level=level, window=window)
    assert outcome.tokens_after <= outcome.tokens_before
    assert outcome.tokens_after == COUNTER.total(views(outcome.messages))
    seen = views(raws)
    for last in humans(seen, ())[-1:]:
        said = [part.text for part in seen[last].parts if part.kind is PartKind.TEXT and part.text.strip()]
        assert set(said) <= set(texts(outcome.messages))


@given(raws=any_lists(), level=LEVELS)
def test_compressing_again_changes_nothing(raws: list[Raw], level: Level | None) -> None:
    raws = grown(raws)
    memory = Memory()
    first = run(raws, memory, level=level)
    assert written(run(first.messages, stored(memory)).messages) == written(first.messages)


@given(raws=any_lists(), level=LEVELS)
def test_a_raw_list_sent_again_gives_the_same_bytes(raws: list[Raw], level: Level | None) -> None:
    raws = grown(raws)
    memory = Memory()
    first = run(raws, memory, level=level)
    again = run(raws, stored(memory))
    assert written(again.messages) == written(first.messages)
    assert again.stable_prefix_tokens == again.tokens_after


@settings(max_examples=40)
@given(raws=any_lists(), window=st.sampled_from([1_000, 4_000, 30_000]))
def test_what_was_sent_stays_the_beginning_unless_the_report_says_why(raws: list[Raw], window: int) -> None:
    raws = grown(raws)
    memory, before = Memory(), list[str]()
    for length in range(1, len(raws) + 1):
        outcome = run(raws[:length], memory, window=window)
        now = written(outcome.messages)
        if not (outcome.replaced or outcome.deleted or outcome.truncated or outcome.notes):
            assert now[: len(before)] == before
        before = now


@given(raws=any_lists(), level=LEVELS)
def test_every_ref_that_a_stub_names_leads_to_what_it_stands_for(
    raws: list[Raw], level: Level | None
) -> None:
    raws = grown(raws)
    refs = MemoryRefs()
    outcome = run(raws, refs=refs, level=level)
    inside = {text for view in views(raws) for part in view.parts for text in _strings(part)}
    for text in texts(outcome.messages):
        for label in REF.findall(text):
            assert leads_back(label, refs, inside)
    for one in outcome.replaced:
        assert one.ref_id in refs.kept
        assert one.tokens_after < one.tokens_before


def leads_back(label: str, refs: MemoryRefs, inside: set[str]) -> bool:
    """Say whether a ref is of a text of the list, or of messages that have such texts or refs of them."""
    kept = refs.kept[label]
    if kept in inside:
        return True
    if " earlier messages were taken out | " in kept:
        return all(leads_back(one, refs, inside) for one in REF.findall(kept))
    gone = [part for view in views(json.loads(kept)) for part in view.parts]
    return all(
        text in inside or all(leads_back(one, refs, inside) for one in REF.findall(text))
        for part in gone
        for text in _strings(part)
    )


def _strings(part: Any) -> list[str]:
    found = [part.text]
    if isinstance(part.input, dict):
        found += [value for value in part.input.values() if isinstance(value, str)]
    return found


@given(raws=any_lists())
def test_without_a_way_to_read_back_nothing_is_replaced(raws: list[Raw]) -> None:
    outcome = run(grown(raws), can_deref=False)
    assert outcome.replaced == []
    assert not any(REF.search(text) for text in texts(outcome.messages))


@given(raws=any_lists(), level=LEVELS)
def test_what_is_kept_keeps_its_order(raws: list[Raw], level: Level | None) -> None:
    raws = [{**raw, "x_number": number} for number, raw in enumerate(grown(raws))]
    outcome = run(raws, level=level)
    numbers = [raw["x_number"] for raw in outcome.messages if "x_number" in raw]
    assert numbers == sorted(set(numbers))


@given(raws=any_lists(faulty=True))
def test_the_list_that_came_in_is_not_changed(raws: list[Raw]) -> None:
    raws = grown(raws)
    before = written(raws)
    run(raws, level=Level.EMERGENCY, window=500)
    assert written(raws) == before
