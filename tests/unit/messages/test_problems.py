"""What a strict provider would refuse, dialect by dialect."""

from __future__ import annotations

from typing import Any

import pytest

from pipelines.messages.lists import Fault, problems
from pipelines.messages.view import Raw
from tests.unit.messages.test_lists import calls, item, output, results, tool, use

USER = {"role": "user", "content": "go"}
SAID = {"role": "assistant", "content": "done"}
THINKING = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}
REASONING = {"type": "reasoning", "summary": []}


def blocks(role: str, *content: Any) -> Raw:
    return {"role": role, "content": list(content)}


def text(said: str) -> Raw:
    return {"type": "text", "text": said}


def pi_calls(*ids: str, **fields: Any) -> Raw:
    listed = [{"type": "toolCall", "id": one, "name": "bash", "arguments": {}} for one in ids]
    return {"role": "assistant", "content": listed, **fields}


def pi_result(call_id: str) -> Raw:
    return {"role": "toolResult", "toolCallId": call_id, "toolName": "bash", "content": [], "isError": False}


def function(name: str) -> Raw:
    return {"role": "assistant", "content": None, "function_call": {"name": name, "arguments": "{}"}}


def faults(raws: list[Raw], **options: bool) -> list[tuple[int, Fault]]:
    return [(problem.index, problem.fault) for problem in problems(raws, **options)]


TAKEN = {
    "nothing": [],
    "anthropic: results in two messages": [USER, use("a", "b"), results("b"), results("a")],
    "anthropic: calls in two messages": [USER, use("a"), use("b"), results("a", "b")],
    "anthropic: text after results": [USER, use("a"), blocks("user", *results("a")["content"], text("and?"))],
    "anthropic: an empty last message of the assistant": [USER, use("a"), results("a"), blocks("assistant")],
    "anthropic: a system message": [{"role": "system", "content": "x"}, USER, use("a"), results("a")],
    "anthropic: a result without content": [
        USER,
        use("a"),
        blocks("user", {"type": "tool_result", "tool_use_id": "a"}),
    ],
    "chat: ids used again": [USER, calls("c"), tool("c"), calls("c"), tool("c")],
    "chat: the assistant first": [SAID, USER],
    "chat: an empty result": [USER, calls("a"), tool("a", content="")],
    "chat: the older function calls": [USER, function("f"), {"role": "function", "name": "f", "content": ""}],
    "chat: a refusal": [USER, {"role": "assistant", "content": None, "refusal": "No."}],
    "responses: a message between call and output": [
        item("a"),
        {"role": "user", "content": "x"},
        output("a"),
    ],
    "responses: reasoning before what it led to": [REASONING, item("a"), output("a"), REASONING, SAID],
    "pi: an aborted turn": [USER, pi_calls("a", stopReason="aborted"), pi_calls(stopReason="error"), USER],
    "pi: ids used again": [pi_calls("c"), pi_result("c"), pi_calls("c"), pi_result("c")],
    "a stranger": [USER, calls("a"), tool("a"), {"role": "exit", "content": ""}],
}
REFUSED = {
    "anthropic: no result": ([USER, use("a"), USER], [(1, Fault.UNANSWERED)]),
    "anthropic: no result at the end": ([USER, use("a", "b"), results("a")], [(1, Fault.UNANSWERED)]),
    "anthropic: a result later": (
        [USER, use("a"), USER, SAID, results("a")],
        [(1, Fault.UNANSWERED), (4, Fault.ORPHAN)],
    ),
    "anthropic: a result before its call": (
        [results("a"), use("a")],
        [(0, Fault.EARLY), (1, Fault.UNANSWERED)],
    ),
    "anthropic: a leading result": ([results("a"), SAID], [(0, Fault.ORPHAN)]),
    "anthropic: a second result": ([USER, use("a"), results("a", "a")], [(2, Fault.DUPLICATE)]),
    "anthropic: an id of two calls": (
        [USER, use("a"), results("a"), use("a"), results("a")],
        [(3, Fault.DUPLICATE)],
    ),
    "anthropic: characters of an id": ([USER, use("f:1"), results("f:1")], [(1, Fault.BAD_ID)]),
    "anthropic: no id": ([USER, use(""), results("")], [(1, Fault.BAD_ID)]),
    "anthropic: text before results": (
        [USER, use("a"), blocks("user", text("so"), *results("a")["content"])],
        [(2, Fault.ORDER)],
    ),
    "anthropic: text after a call": (
        [USER, blocks("assistant", *use("a")["content"], text("so")), results("a")],
        [(1, Fault.ORDER)],
    ),
    "anthropic: thinking at the end": ([USER, blocks("assistant", THINKING), USER], [(1, Fault.ORDER)]),
    "anthropic: the assistant first": ([use("a"), results("a")], [(0, Fault.ORDER)]),
    "anthropic: an empty message": ([USER, use("a"), results("a"), blocks("user"), SAID], [(3, Fault.EMPTY)]),
    "anthropic: an empty text": (
        [USER, use("a"), results("a"), blocks("assistant", text(" "))],
        [(3, Fault.EMPTY)],
    ),
    "anthropic: an empty text in a result": (
        [
            USER,
            use("a"),
            blocks("user", {"type": "tool_result", "tool_use_id": "a", "content": [text("")]}),
        ],
        [(2, Fault.EMPTY)],
    ),
    "chat: no result": ([USER, calls("a", "b"), tool("a"), USER], [(1, Fault.UNANSWERED)]),
    "chat: a message between": (
        [USER, calls("a"), USER, tool("a")],
        [(1, Fault.UNANSWERED), (3, Fault.ORPHAN)],
    ),
    "chat: results of two messages after the second": (
        [USER, calls("a"), calls("b"), tool("a"), tool("b")],
        [(1, Fault.UNANSWERED), (3, Fault.ORPHAN)],
    ),
    "chat: a leading result": ([tool("a"), USER], [(0, Fault.ORPHAN)]),
    "chat: a result before its call": (
        [USER, tool("a"), calls("a")],
        [(1, Fault.EARLY), (2, Fault.UNANSWERED)],
    ),
    "chat: a second result": ([USER, calls("a"), tool("a"), tool("a")], [(3, Fault.DUPLICATE)]),
    "chat: an id twice in a message": (
        [USER, calls("a", "a"), tool("a"), tool("a")],
        [(1, Fault.DUPLICATE), (3, Fault.DUPLICATE)],
    ),
    "chat: no ids": ([USER, calls(""), tool("")], [(1, Fault.BAD_ID), (2, Fault.BAD_ID)]),
    "chat: an empty message": ([{"role": "user", "content": ""}, SAID], [(0, Fault.EMPTY)]),
    "chat: null and no calls": ([USER, {"role": "assistant", "content": None}], [(1, Fault.EMPTY)]),
    "chat: an empty list of calls": (
        [USER, {"role": "assistant", "content": "x", "tool_calls": []}],
        [(1, Fault.EMPTY)],
    ),
    "chat: a result of null": ([USER, calls("a"), tool("a", content=None)], [(2, Fault.EMPTY)]),
    "chat: another function's result": (
        [USER, function("f"), {"role": "function", "name": "g", "content": ""}],
        [(1, Fault.UNANSWERED), (2, Fault.ORPHAN)],
    ),
    "responses: no output": ([USER, item("a"), item("b"), output("b")], [(1, Fault.UNANSWERED)]),
    "responses: an output before its call": (
        [USER, output("a"), item("a")],
        [(1, Fault.EARLY), (2, Fault.UNANSWERED)],
    ),
    "responses: an output of nothing": ([USER, item("a"), output("a"), output("x")], [(3, Fault.ORPHAN)]),
    "responses: a second output": ([USER, item("a"), output("a"), output("a")], [(3, Fault.DUPLICATE)]),
    "responses: an id of two calls": (
        [item("a"), output("a"), item("a"), output("a")],
        [(2, Fault.DUPLICATE)],
    ),
    "responses: reasoning that nothing follows": ([item("a"), output("a"), REASONING], [(2, Fault.ORDER)]),
    "responses: reasoning before the user": (
        [REASONING, USER, item("a"), output("a")],
        [(0, Fault.ORDER)],
    ),
    "pi: no result": ([USER, pi_calls("a"), USER], [(1, Fault.UNANSWERED)]),
    "pi: a result of an aborted turn": (
        [USER, pi_calls("a", stopReason="aborted"), pi_result("a")],
        [(2, Fault.ORPHAN)],
    ),
    "pi: a result later": (
        [USER, pi_calls("a"), USER, pi_result("a")],
        [(1, Fault.UNANSWERED), (3, Fault.ORPHAN)],
    ),
    "pi: an empty message": ([USER, pi_calls("a"), pi_result("a"), pi_calls()], [(3, Fault.EMPTY)]),
}


@pytest.mark.parametrize("name", TAKEN)
def test_taken(name: str) -> None:
    assert faults(TAKEN[name]) == []


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    raws, expected = REFUSED[name]
    assert faults(raws) == expected
    assert all(problem.text.endswith(".") for problem in problems(raws))


@pytest.mark.parametrize(
    "raws",
    [
        [USER, use("a", "b"), results("b")],
        [USER, use("a"), results("a"), use("b")],
        [USER, calls("a", "b"), tool("a")],
        [USER, item("a"), output("a"), item("b"), item("c"), output("c")],
        [USER, pi_calls("a")],
    ],
)
def test_calls_of_the_last_turn_may_be_running(raws: list[Raw]) -> None:
    assert [fault for _, fault in faults(raws)] == [Fault.UNANSWERED]
    assert faults(raws, running=True) == []


@pytest.mark.parametrize(
    "raws",
    [
        [USER, use("a"), USER],
        [USER, use("a"), USER, use("b"), results("b")],
        [USER, calls("a"), calls("b"), tool("b")],
        [USER, item("a"), USER],
        [USER, pi_calls("a"), SAID],
    ],
)
def test_calls_of_an_earlier_turn_are_running_no_more(raws: list[Raw]) -> None:
    assert [fault for _, fault in faults(raws, running=True)] == [Fault.UNANSWERED]
