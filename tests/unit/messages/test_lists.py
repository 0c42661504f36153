"""Lists: which dialect a message is read in, and which result answers which call."""

from __future__ import annotations

from typing import Any

import pytest

from pipelines.messages.lists import exchanges, orphans, views
from pipelines.messages.view import Raw, Role

PLAIN = {"role": "user", "content": "x"}
BLOCKS = {"role": "user", "content": [{"type": "text", "text": "x"}]}


def names(raws: list[Raw]) -> list[str]:
    return [view.dialect.name for view in views(raws)]


def use(*ids: str) -> Raw:
    blocks = [{"type": "tool_use", "id": one, "name": "Read", "input": {}} for one in ids]
    return {"role": "assistant", "content": blocks}


def results(*ids: str) -> Raw:
    return {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": one, "content": "ok"} for one in ids],
    }


def calls(*ids: str, names: tuple[str, ...] = ()) -> Raw:
    listed = [
        {"id": one, "type": "function", "function": {"name": name, "arguments": "{}"}}
        for one, name in zip(ids, names or ["read"] * len(ids), strict=True)
    ]
    return {"role": "assistant", "content": None, "tool_calls": listed}


def tool(call_id: str, **fields: Any) -> Raw:
    return {"role": "tool", "tool_call_id": call_id, "content": "ok", **fields}


def item(call_id: str) -> Raw:
    return {"type": "function_call", "call_id": call_id, "name": "shell", "arguments": "{}"}


def output(call_id: str) -> Raw:
    return {"type": "function_call_output", "call_id": call_id, "output": "ok"}


def test_a_message_that_several_dialects_write_alike_is_read_as_its_neighbours() -> None:
    assert names([PLAIN, use("a"), results("a")]) == ["anthropic"] * 3
    assert names([PLAIN, calls("a"), tool("a")]) == ["openai_chat"] * 3
    assert names([PLAIN, item("a"), output("a")]) == ["responses"] * 3
    pi = {"role": "assistant", "content": [{"type": "toolCall", "id": "a", "name": "b", "arguments": {}}]}
    assert names([PLAIN, BLOCKS, pi]) == ["pi"] * 3


def test_in_a_mixed_list_the_nearest_neighbour_decides() -> None:
    raws = [use("a"), results("a"), PLAIN, PLAIN, item("b"), output("b")]
    assert names(raws) == ["anthropic"] * 3 + ["responses"] * 3


def test_a_neighbour_decides_only_what_its_dialect_can_write() -> None:
    assert names([item("a"), output("a"), BLOCKS, calls("b"), tool("b")])[2] == "openai_chat"
    assert names([item("a"), output("a"), BLOCKS])[2] == "openai_chat"


def test_a_list_that_nothing_decides_is_read_in_one_dialect() -> None:
    assert names([PLAIN, BLOCKS, PLAIN]) == ["openai_chat"] * 3
    assert names([PLAIN, use("a"), BLOCKS]) == ["anthropic"] * 3


@pytest.mark.parametrize("raw", [{}, {"role": "exit"}, {"type": "custom"}, {"role": "user", "content": 7}])
def test_what_no_dialect_knows_passes_through(raw: Raw) -> None:
    view = views([PLAIN, raw, PLAIN])[1]
    assert (view.role, view.dialect.name, len(view.parts)) == (Role.OTHER, "unknown", 1)
    assert view.dialect.with_text(raw, 0, "x") is raw
    assert view.dialect.without(raw, frozenset({0})) is None


HUMAN = {"role": "user", "content": "wait"}
PAIRINGS = {
    "in order": ([calls("a", "b"), tool("a"), tool("b")], [(0, 0, 1), (0, 1, 2)]),
    "out of order": ([calls("a", "b"), tool("b"), tool("a")], [(0, 0, 2), (0, 1, 1)]),
    "one id in every turn": (
        [calls("call_0"), tool("call_0"), calls("call_0"), tool("call_0")],
        [(0, 0, 1), (2, 0, 3)],
    ),
    "one id twice in a message": ([calls("c", "c"), tool("c"), tool("c")], [(0, 0, 1), (0, 1, 2)]),
    "one id in two messages of a run": (
        [calls("c"), calls("c"), tool("c"), tool("c")],
        [(0, 0, 2), (1, 0, 3)],
    ),
    "the nearest of two that wait": ([calls("c"), HUMAN, calls("c"), tool("c")], [(0, 0, None), (2, 0, 3)]),
    "the nearest of a run": ([calls("c"), calls("c"), tool("c")], [(0, 0, None), (1, 0, 2)]),
    "an earlier turn's call": (
        [calls("a"), HUMAN, calls("b"), tool("b"), tool("a")],
        [(0, 0, 4), (2, 0, 3)],
    ),
    "results of one run for several messages": (
        [calls("a"), calls("b"), tool("b"), tool("a")],
        [(0, 0, 3), (1, 0, 2)],
    ),
    "no ids": ([calls("", ""), tool(""), tool("")], [(0, 0, 1), (0, 1, 2)]),
    "results without ids": ([calls("a", "b"), tool(""), tool("b")], [(0, 0, 1), (0, 1, 2)]),
    "results with names only": (
        [calls("", "", names=("read", "bash")), tool("", name="bash"), tool("", name="read")],
        [(0, 0, 2), (0, 1, 1)],
    ),
    "no result": ([calls("a", "b"), tool("b")], [(0, 0, None), (0, 1, 1)]),
    "a second result": ([calls("a"), tool("a"), tool("a")], [(0, 0, 1)]),
    "a result before its call": ([tool("a"), calls("a")], [(1, 0, None)]),
    "a result of nothing": ([calls("a"), tool("x"), tool("a")], [(0, 0, 2)]),
    "items side by side": ([item("c"), item("c"), output("c"), output("c")], [(0, 0, 2), (1, 0, 3)]),
    "blocks of one message": ([use("a", "b"), results("b", "a")], [(0, 0, 1), (0, 1, 1)]),
    "the older function calls": (
        [
            {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
            {"role": "function", "name": "f", "content": "ok"},
        ],
        [(0, 0, 1)],
    ),
    "a tool message after an older function call": (
        [{"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}}, tool("")],
        [(0, 0, None)],
    ),
}


@pytest.mark.parametrize("name", PAIRINGS)
def test_which_result_answers_which_call(name: str) -> None:
    raws, expected = PAIRINGS[name]
    found = [(one.call_at, one.call.place, one.result_at) for one in exchanges(views(raws))]
    assert found == expected


def test_results_that_answer_nothing_are_found() -> None:
    seen = views([tool("a"), calls("a"), tool("a"), tool("a"), tool("x")])
    assert [at for at, _ in orphans(seen, exchanges(seen))] == [0, 3, 4]


def test_an_empty_list_has_nothing() -> None:
    assert views([]) == []
    assert exchanges([]) == []
