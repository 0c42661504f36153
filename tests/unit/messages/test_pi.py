"""Messages of pi and OpenClaw, bare and in their envelope."""

from __future__ import annotations

from typing import Any

import pytest

from pipelines.messages.dialects import PI, views
from pipelines.messages.view import PartKind, Raw, Role, View

CALL = {"type": "toolCall", "id": "t1", "name": "bash", "arguments": {"command": "ls"}}
RESULT = {
    "role": "toolResult",
    "toolCallId": "t1",
    "toolName": "bash",
    "content": [{"type": "text", "text": "a"}],
    "details": {"diff": "x"},
    "isError": True,
    "timestamp": 5,
}


def seen(raw: Raw) -> View:
    view = PI.view(raw)
    assert view is not None
    return view


def wrapped(raw: Raw) -> Raw:
    return {"type": "message", "id": "m1", "parentId": None, "message": raw}


def test_a_result_is_a_message_of_its_own() -> None:
    view = seen(RESULT)
    part = view.parts[0]
    assert (view.role, part.kind) == (Role.TOOL, PartKind.RESULT)
    assert (part.call_id, part.name, part.text, part.is_error) == ("t1", "bash", "a", True)
    edited = PI.with_result(RESULT, 0, "short")
    assert edited == {**RESULT, "content": [{"type": "text", "text": "short"}]}


def test_a_result_that_was_a_string_stays_one() -> None:
    raw = {"role": "tool", "toolCallId": "t1", "content": "a"}
    assert seen(raw).role is Role.TOOL
    assert PI.with_result(raw, 0, "b") == {**raw, "content": "b"}


def test_blocks_of_the_assistant() -> None:
    thinking = {"type": "thinking", "thinking": "Hm.", "thinkingSignature": "s"}
    image = {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}
    raw = {
        "role": "assistant",
        "content": [thinking, {"type": "text", "text": "x"}, image, CALL, {"type": "new"}],
    }
    view = seen(raw)
    assert [part.kind for part in view.parts] == [
        PartKind.THINKING,
        PartKind.TEXT,
        PartKind.MEDIA,
        PartKind.CALL,
        PartKind.OTHER,
    ]
    assert view.parts[3].input == {"command": "ls"}
    assert PI.with_input(raw, 3, {"cut": True})["content"][3] == {**CALL, "arguments": {"cut": True}}


def test_calls_written_as_tool_use_have_their_input_there() -> None:
    block = {"type": "tool_use", "id": "t1", "name": "bash", "input": {"command": "ls"}}
    raw = {"role": "assistant", "content": [block]}
    assert [view.dialect.name for view in views([raw, RESULT])] == ["pi", "pi"]
    assert PI.with_input(raw, 0, {"cut": True})["content"] == [{**block, "input": {"cut": True}}]


@pytest.mark.parametrize(
    "raw",
    [
        {"role": "bashExecution", "command": "ls", "output": "x"},
        {"role": "tool", "tool_call_id": "a", "content": "x"},
        {"role": "assistant", "content": None, "tool_calls": []},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a"}]},
        {"role": "toolResult", "toolCallId": "a"},
    ],
)
def test_messages_of_other_dialects_are_not_seen(raw: dict[str, Any]) -> None:
    assert PI.view(raw) is None


def test_edits_go_inside_the_envelope() -> None:
    call, result = views([wrapped({"role": "assistant", "content": [CALL]}), wrapped(RESULT)])
    assert (call.dialect.name, result.role) == ("pi", Role.TOOL)
    assert result.dialect.with_result(result.raw, 0, "b") == wrapped(PI.with_result(RESULT, 0, "b"))
    assert call.dialect.with_input(call.raw, 0, {})["message"]["content"] == [{**CALL, "arguments": {}}]
    assert call.dialect.without(call.raw, frozenset({0})) is None
    assert call.dialect.without(call.raw, frozenset()) is call.raw
    assert call.dialect.user_message("x")["type"] == "message"
    assert call.dialect.answer(call.raw, 0, "none")["message"]["toolCallId"] == "t1"


def test_other_dialects_may_be_in_the_envelope() -> None:
    result = {"type": "tool_result", "tool_use_id": "a", "content": "x"}
    seen = views([wrapped({"role": "user", "content": "x"}), wrapped({"role": "user", "content": [result]})])
    assert [view.dialect.name for view in seen] == ["anthropic", "anthropic"]
    edited = seen[1].dialect.with_result(seen[1].raw, 0, "b")
    assert edited == wrapped({"role": "user", "content": [{**result, "content": "b"}]})


def test_an_answer_has_the_fields_that_a_result_has() -> None:
    raw = {"role": "assistant", "content": [CALL], "timestamp": 5}
    answer = PI.answer(raw, 0, "none")
    assert answer.keys() <= RESULT.keys()
    assert seen(answer).parts[0].is_error
