from __future__ import annotations

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.l2 import CanvasState, advance, drawn_node, members, node_id, pause, resume, view
from pipelines.mermaid import write_drawing, write_text
from pipelines.records import Prompt, Step
from tests.unit.l2.making import asks, runs, state

SMALL = st.sampled_from([(40, 4000), (12, 4000), (5, 4000), (40, 1500), (2, 900)])


def one_by_one(
    steps: list[Step], prompts: list[Prompt], **budget: int
) -> list[tuple[CanvasState, dict[int, int]]]:
    now, places, revisions = state(), {}, []
    waiting = list(prompts)
    for step in steps:
        due = [prompt for prompt in waiting if prompt.before_seq <= step.seq]
        waiting = waiting[len(due) :]
        now, fresh = advance(now, [step], due, **budget)
        places |= fresh
        revisions.append((now, dict(places)))
    return revisions


@given(data=st.data(), steps=runs(), budget=SMALL)
@settings(max_examples=150, deadline=None)
def test_every_step_leads_to_a_drawn_node_in_every_revision_and_budgets_hold(
    data: st.DataObject, steps: list[Step], budget: tuple[int, int]
) -> None:
    nodes, chars = budget
    prompts = data.draw(asks(steps[-1].seq))
    for now, places in one_by_one(steps, prompts, max_nodes=nodes, max_chars=chars):
        shown = view(now)
        ids = [node.node_id for node in shown.nodes]
        assert len(set(ids)) == len(ids) <= nodes
        assert len(write_text(shown, max_chars=chars)) <= chars
        for k in places.values():
            drawn = drawn_node(now, k)
            assert node_id(now.number, drawn) in ids
            assert any(lo <= k <= hi for lo, hi in members(now, drawn))
        assert sum(node.calls for node in shown.nodes) == len(places)


@given(data=st.data(), steps=runs(), budget=SMALL)
@settings(max_examples=100, deadline=None)
def test_folding_one_by_one_equals_folding_at_once(
    data: st.DataObject, steps: list[Step], budget: tuple[int, int]
) -> None:
    nodes, chars = budget
    prompts = data.draw(asks(steps[-1].seq))
    last, places = one_by_one(steps, prompts, max_nodes=nodes, max_chars=chars)[-1]
    tail = [prompt for prompt in prompts if prompt.before_seq > steps[-1].seq]
    last, _ = advance(last, [], tail, max_nodes=nodes, max_chars=chars)
    at_once, all_places = advance(state(), steps, prompts, max_nodes=nodes, max_chars=chars)
    assert at_once == last
    assert all_places == places


@given(steps=runs(), budget=SMALL)
@settings(max_examples=80, deadline=None)
def test_numbers_of_folds_resolve_for_ever(steps: list[Step], budget: tuple[int, int]) -> None:
    nodes, chars = budget
    before: dict[int, list[tuple[int, int]]] = {}
    for now, _ in one_by_one(steps, [], max_nodes=nodes, max_chars=chars):
        drawn = {node.k for node in now.nodes}
        for k in range(1, now.next_k):
            assert drawn_node(now, k) in drawn
            assert members(now, k) == before.setdefault(k, members(now, k))


@given(steps=runs())
@settings(max_examples=60, deadline=None)
def test_a_state_survives_a_trip_through_json_text(steps: list[Step]) -> None:
    now, _ = advance(state(), steps, max_nodes=8)
    text = json.dumps(now.to_json()).encode("utf-8")
    assert CanvasState.from_json(json.loads(text)) == now


@given(steps=runs(max_size=30))
@settings(max_examples=60, deadline=None)
def test_only_the_newest_node_is_ever_doing_and_pausing_shows_it_paused(steps: list[Step]) -> None:
    now, _ = advance(state(), steps)
    statuses = [node.status for node in view(now).nodes]
    assert set(statuses[:-1]) <= {"done", "blocked"}
    paused = [node.status for node in view(pause(now)).nodes]
    assert paused == ["paused" if status == "doing" else status for status in statuses]
    assert view(resume(pause(now))) == view(now)


@given(steps=runs(max_size=30))
@settings(max_examples=60, deadline=None)
def test_hostile_text_stays_inside_its_label(steps: list[Step]) -> None:
    shown = view(advance(state(), steps)[0])
    for text in (write_text(shown), write_drawing(shown)):
        text.encode("utf-8")
        declared = [line for line in text.split("\n") if re.match(r" +\d{3}-N\d+[^ \d]", line)]
        assert len(declared) == len(shown.nodes)


def test_an_unknown_number_resolves_to_nothing() -> None:
    assert members(state(), 1) == []
    with pytest.raises(KeyError):
        drawn_node(state(), 1)
