"""Recorded sessions are read as the lists that a client would have sent."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pipelines.messages.problems import problems
from pipelines.replay.recordings import NoRecording, recordings

CALL = {"type": "tool_use", "id": "c1", "name": "Bash", "input": {"command": "ls"}}
ANSWER = {"type": "tool_result", "tool_use_id": "c1", "content": "a.py"}
WANTED = [
    {"role": "user", "content": [{"type": "text", "text": "Look"}]},
    {"role": "assistant", "content": [{"type": "text", "text": "I look."}, CALL]},
    {"role": "user", "content": [ANSWER]},
    {"role": "assistant", "content": [{"type": "text", "text": "Done."}]},
]


def lines(*values: Any) -> str:
    return "\n".join(json.dumps(value) for value in values)


CLAUDE_CODE = lines(
    {"type": "summary", "summary": "A look"},
    {"type": "user", "message": {"role": "user", "content": "Look"}},
    {
        "type": "assistant",
        "message": {"role": "assistant", "id": "m1", "content": [{"type": "thinking", "thinking": "?"}]},
    },
    {
        "type": "assistant",
        "message": {"role": "assistant", "id": "m1", "content": [{"type": "text", "text": "I look."}]},
    },
    {"type": "assistant", "message": {"role": "assistant", "id": "m1", "content": [CALL]}},
    {"type": "user", "isSidechain": True, "message": {"role": "user", "content": "Another's work"}},
    {"type": "user", "message": {"role": "user", "content": [ANSWER]}},
    {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": "Done."}]}},
)
CHAT: list[dict[str, Any]] = [
    {"role": "user", "content": "Look"},
    {
        "role": "assistant",
        "content": "I look.",
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "Bash", "arguments": '{"command": "ls"}'}}
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "a.py"},
    {"role": "assistant", "content": "Done."},
]
CODEX = lines(
    {"type": "session_meta", "payload": {"id": "s"}},
    *(
        {"type": "response_item", "payload": item}
        for item in (
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Look"}]},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I look."}]},
            {"type": "function_call", "call_id": "c1", "name": "Bash", "arguments": '{"command": "ls"}'},
            {"type": "function_call_output", "call_id": "c1", "output": "a.py"},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Done."}]},
        )
    ),
)
PI = lines(
    {"type": "session", "id": "s"},
    {"type": "message", "message": {"role": "user", "content": [{"type": "text", "text": "Look"}]}},
    {
        "type": "message",
        "message": {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "I look."},
                {"type": "toolCall", "id": "c1", "name": "Bash", "arguments": {"command": "ls"}},
            ],
        },
    },
    {
        "type": "message",
        "message": {
            "role": "toolResult",
            "toolCallId": "c1",
            "toolName": "Bash",
            "content": [{"type": "text", "text": "a.py"}],
        },
    },
    {"type": "message", "message": {"role": "assistant", "content": [{"type": "text", "text": "Done."}]}},
)
FORMS = {
    "Claude Code": CLAUDE_CODE,
    "Codex": CODEX,
    "pi": PI,
    "chat list": json.dumps(CHAT),
    "chat lines": lines(*CHAT),
    "chat in a field": json.dumps({"messages": CHAT, "model": "m"}),
    "trajectory": json.dumps({"history": CHAT}, indent=1),
}


@pytest.mark.parametrize("name", FORMS)
def test_every_form_gives_the_same_list(name: str) -> None:
    [one] = recordings(name, FORMS[name])
    assert one.messages == WANTED
    assert problems(one.messages) == []
    assert one.turns == [1, 3]


def test_a_file_may_hold_several_sessions() -> None:
    for text in (json.dumps([{"traj": CHAT}, {"traj": CHAT}]), lines({"messages": CHAT}, {"messages": CHAT})):
        assert [one.name for one in recordings("runs", text)] == ["runs (1)", "runs (2)"]


def test_a_call_without_its_result_is_answered() -> None:
    [one] = recordings("cut", json.dumps([*CHAT[:2], CHAT[3]]))
    assert problems(one.messages) == []


@pytest.mark.parametrize("text", ["", "no json", "[]", "{}", '[{"a": 1}]', "42", "\x00\ud800"])
def test_what_has_no_messages_is_refused(text: str) -> None:
    with pytest.raises(NoRecording, match="no list of messages"):
        recordings("file", text)
