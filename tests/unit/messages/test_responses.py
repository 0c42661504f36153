"""Items of the Responses API: how they are seen, and what edits make of them."""

from __future__ import annotations

from typing import Any

import pytest

from pipelines.messages.dialects import RESPONSES
from pipelines.messages.view import PartKind, Role, View

CALL = {"type": "function_call", "call_id": "c1", "name": "shell", "arguments": '{"a": 1}', "id": "fc_1"}
SHELL = {
    "type": "local_shell_call",
    "call_id": "c2",
    "status": "completed",
    "action": {"type": "exec", "command": ["ls"], "env": {}},
}


def seen(raw: dict[str, Any]) -> View:
    view = RESPONSES.view(raw)
    assert view is not None
    return view


@pytest.mark.parametrize(
    ("raw", "role", "kind"),
    [
        (CALL, Role.ASSISTANT, PartKind.CALL),
        (SHELL, Role.ASSISTANT, PartKind.CALL),
        (
            {"type": "custom_tool_call", "call_id": "c", "name": "apply_patch", "input": "***"},
            Role.ASSISTANT,
            PartKind.CALL,
        ),
        ({"type": "function_call_output", "call_id": "c1", "output": "x"}, Role.TOOL, PartKind.RESULT),
        ({"type": "custom_tool_call_output", "call_id": "c", "output": "x"}, Role.TOOL, PartKind.RESULT),
        ({"type": "local_shell_call_output", "id": "c2", "output": "x"}, Role.TOOL, PartKind.RESULT),
        ({"type": "reasoning", "summary": [], "content": None}, Role.ASSISTANT, PartKind.THINKING),
        ({"type": "web_search_call", "id": "ws_1", "status": "completed"}, Role.ASSISTANT, PartKind.OTHER),
        ({"type": "some_new_call", "id": "x"}, Role.ASSISTANT, PartKind.OTHER),
        ({"type": "item_reference", "id": "x"}, Role.OTHER, PartKind.OTHER),
        ({"role": "developer", "content": "Be brief."}, Role.SYSTEM, PartKind.TEXT),
        (
            {"type": "message", "role": "user", "content": [{"type": "input_image", "image_url": "x"}]},
            Role.USER,
            PartKind.MEDIA,
        ),
    ],
)
def test_items(raw: dict[str, Any], role: Role, kind: PartKind) -> None:
    view = seen(raw)
    assert (view.role, [part.kind for part in view.parts]) == (role, [kind])


@pytest.mark.parametrize(
    "raw",
    [
        {"type": "message", "message": {"role": "user", "content": "x"}},
        {"role": "user", "content": [{"type": "text", "text": "x"}]},
        {"role": "tool", "tool_call_id": "a", "content": "x"},
        {"type": "custom", "data": 1},
        {"type": None},
        {"type": ["message"]},
    ],
)
def test_messages_of_other_dialects_are_not_seen(raw: dict[str, Any]) -> None:
    assert RESPONSES.view(raw) is None


def test_arguments_are_read_as_json_and_written_as_a_json_string() -> None:
    part = seen(CALL).parts[0]
    assert (part.call_id, part.name, part.input, part.text) == ("c1", "shell", {"a": 1}, '{"a": 1}')
    assert RESPONSES.with_input(CALL, 0, {"cut": True}) == {**CALL, "arguments": '{"cut": true}'}


def test_the_free_input_of_a_custom_tool_stays_a_string() -> None:
    raw = {"type": "custom_tool_call", "call_id": "c", "name": "apply_patch", "input": "*** Begin"}
    assert seen(raw).parts[0].input == "*** Begin"
    assert RESPONSES.with_input(raw, 0, {"cut": True})["input"] == '{"cut": true}'


def test_the_action_of_a_shell_stays_as_the_provider_wants_it() -> None:
    assert RESPONSES.with_input(SHELL, 0, {"cut": True}) is SHELL


def test_an_output_of_blocks_becomes_a_string() -> None:
    raw = {"type": "function_call_output", "call_id": "c", "output": [{"type": "input_text", "text": "a"}]}
    assert seen(raw).parts[0].text == "a"
    assert RESPONSES.with_result(raw, 0, "b") == {**raw, "output": "b"}


def test_the_output_of_a_shell_keeps_its_shape_and_a_screenshot_stays() -> None:
    outcome = {"type": "exit", "exit_code": 2}
    raw = {
        "type": "shell_call_output",
        "call_id": "c",
        "output": [{"stdout": "a" * 99, "stderr": "b", "outcome": outcome}, {"stdout": "c", "stderr": ""}],
    }
    edited = RESPONSES.with_result(raw, 0, "short")
    assert edited == {**raw, "output": [{"stdout": "short", "stderr": "", "outcome": outcome}]}
    screen = {"type": "computer_call_output", "call_id": "c", "output": {"type": "computer_screenshot"}}
    assert seen(screen).parts[0].media == 1
    assert RESPONSES.with_result(screen, 0, "short") is screen


def test_a_local_shell_is_paired_by_its_call_id_or_its_id() -> None:
    assert seen(SHELL).parts[0].call_id == "c2"
    assert seen({"type": "local_shell_call_output", "id": "c2", "output": ""}).parts[0].call_id == "c2"


def test_reasoning_reads_as_its_summary_and_passes_through() -> None:
    raw = {
        "type": "reasoning",
        "summary": [{"type": "summary_text", "text": "Plan"}],
        "encrypted_content": "g",
    }
    assert seen(raw).parts[0].text == "Plan"


@pytest.mark.parametrize(
    "kind", ["function_call", "custom_tool_call", "local_shell_call", "shell_call", "apply_patch_call"]
)
def test_an_answer_is_an_item_of_the_kind_that_the_call_wants(kind: str) -> None:
    answer = RESPONSES.answer({"type": kind, "call_id": "c9", "name": "x"}, 0, "none")
    part = seen(answer).parts[0]
    assert (answer["type"], part.call_id) == (f"{kind}_output", "c9")
    assert "none" in part.text


def test_a_message_without_one_of_its_parts_keeps_the_others() -> None:
    one, two = {"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}
    raw = {"type": "message", "role": "user", "content": [one, two]}
    assert RESPONSES.without(raw, frozenset({0})) == {**raw, "content": [two]}
    assert RESPONSES.without(raw, frozenset({0, 1})) is None
    assert RESPONSES.without(CALL, frozenset({0})) is None
