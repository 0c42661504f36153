"""Chat messages: how they are seen, and what edits make of them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pipelines.messages.dialects import OPENAI_CHAT as CHAT
from pipelines.messages.view import PartKind, Role, View

FUNCTION = {"name": "read_file", "arguments": '{"path": "a.py"}'}
CALL = {"id": "call_1", "type": "function", "function": FUNCTION}
OTHER_CALL = {"id": "call_2", "type": "function", "function": {"name": "bash", "arguments": "{}"}}


def seen(raw: dict[str, Any]) -> View:
    view = CHAT.view(raw)
    assert view is not None
    return view


@pytest.mark.parametrize(
    ("role", "expected"),
    [
        ("system", Role.SYSTEM),
        ("developer", Role.SYSTEM),
        ("user", Role.USER),
        ("assistant", Role.ASSISTANT),
        ("tool", Role.TOOL),
        ("function", Role.TOOL),
    ],
)
def test_roles(role: str, expected: Role) -> None:
    assert seen({"role": role, "content": "x"}).role is expected


@pytest.mark.parametrize(
    "raw",
    [
        {"role": "toolResult", "toolCallId": "a", "content": []},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "x"}]},
        {"role": "user", "content": [{"type": "input_text", "text": "x"}]},
        {"type": "function_call", "call_id": "a", "name": "b", "arguments": "{}"},
        {"role": "user", "content": 7},
        {"role": "assistant", "tool_calls": ["x"], "content": None},
        {"role": ["user"], "content": "x"},
        {"role": "user"},
        {},
    ],
)
def test_messages_of_other_dialects_are_not_seen(raw: dict[str, Any]) -> None:
    assert CHAT.view(raw) is None


def test_an_assistant_message_has_its_text_first_and_then_its_calls() -> None:
    view = seen({"role": "assistant", "content": "Reading.", "tool_calls": [CALL, OTHER_CALL]})
    assert [(part.kind, part.place) for part in view.parts] == [
        (PartKind.TEXT, 0),
        (PartKind.CALL, 1),
        (PartKind.CALL, 2),
    ]
    call = view.parts[1]
    assert (call.call_id, call.name, call.input) == ("call_1", "read_file", {"path": "a.py"})
    assert call.text == '{"path": "a.py"}'


@pytest.mark.parametrize("content", [None, ""])
def test_content_that_is_empty_beside_calls_is_no_part(content: str | None) -> None:
    view = seen({"role": "assistant", "content": content, "tool_calls": [CALL]})
    assert [part.kind for part in view.parts] == [PartKind.CALL]


def test_parts_of_content_are_text_media_and_others() -> None:
    view = seen(
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "See"},
                {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
                {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}},
                {"type": "file", "file": {"file_id": "file-1"}},
                {"type": "refusal", "refusal": "No."},
            ],
        }
    )
    media = PartKind.MEDIA
    assert [part.kind for part in view.parts] == [PartKind.TEXT, media, media, media, PartKind.OTHER]


def test_arguments_that_are_no_json_are_the_text_itself() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "bash", "arguments": '{"cut'}}
    assert seen({"role": "assistant", "content": None, "tool_calls": [call]}).parts[0].input == '{"cut'


def test_an_input_is_written_as_a_json_string_and_only_there() -> None:
    raw = {"role": "assistant", "content": "x", "tool_calls": [CALL, OTHER_CALL], "x_trace": 1}
    edited = CHAT.with_input(raw, 1, {"path": "é"})
    function = {"name": "read_file", "arguments": '{"path": "é"}'}
    assert edited == {**raw, "tool_calls": [{**CALL, "function": function}, OTHER_CALL]}


def test_arguments_that_came_as_an_object_stay_an_object() -> None:
    call = {"function": {"name": "bash", "arguments": {"command": "ls"}}}
    raw = {"role": "assistant", "content": "", "tool_calls": [call]}
    assert seen(raw).parts[0].input == {"command": "ls"}
    assert CHAT.with_input(raw, 0, {"a": 1})["tool_calls"][0]["function"]["arguments"] == {"a": 1}


def test_a_custom_tool_has_its_input_as_text() -> None:
    call = {"id": "c", "type": "custom", "custom": {"name": "patch", "input": "*** Begin"}}
    raw = {"role": "assistant", "content": None, "tool_calls": [call]}
    part = seen(raw).parts[0]
    assert (part.name, part.text, part.input) == ("patch", "*** Begin", "*** Begin")
    edited = CHAT.with_input(raw, 0, {"cut": True})
    assert edited["tool_calls"][0]["custom"] == {"name": "patch", "input": '{"cut": true}'}


def test_the_older_function_call_pairs_by_name() -> None:
    raw = {"role": "assistant", "content": None, "function_call": FUNCTION}
    part = seen(raw).parts[0]
    assert (part.kind, part.name, part.call_id, part.by_name) == (PartKind.CALL, "read_file", "", True)
    edited = CHAT.with_input(raw, 0, {"a": 1})
    assert json.loads(edited["function_call"]["arguments"]) == {"a": 1}
    answer = CHAT.answer(raw, 0, "none")
    assert answer == {"role": "function", "name": "read_file", "content": "none"}
    assert seen(answer).parts[0].by_name
    assert CHAT.with_id(raw, 0, "new") is raw


def test_a_result_of_blocks_becomes_a_string_and_keeps_its_id() -> None:
    raw = {"role": "tool", "tool_call_id": "call_1", "content": [{"type": "text", "text": "a"}], "x": 1}
    assert seen(raw).parts[0].text == "a"
    assert CHAT.with_result(raw, 0, "b") == {**raw, "content": "b"}


@pytest.mark.parametrize("content", [None, "", []])
def test_a_result_with_nothing_in_it_reads_as_nothing(content: Any) -> None:
    assert seen({"role": "tool", "tool_call_id": "c", "content": content}).parts[0].text == ""


def test_without_a_call_the_others_stay() -> None:
    raw = {"role": "assistant", "content": None, "tool_calls": [CALL, OTHER_CALL], "refusal": None}
    assert CHAT.without(raw, frozenset({0})) == {**raw, "tool_calls": [OTHER_CALL]}


def test_without_its_calls_a_message_that_speaks_has_no_list_of_calls() -> None:
    raw = {"role": "assistant", "content": "Reading.", "tool_calls": [CALL]}
    assert CHAT.without(raw, frozenset({1})) == {"role": "assistant", "content": "Reading."}


def test_without_its_text_a_message_that_calls_has_null_content() -> None:
    raw = {"role": "assistant", "content": "Reading.", "tool_calls": [CALL]}
    assert CHAT.without(raw, frozenset({0})) == {**raw, "content": None}
    listed = {**raw, "content": [{"type": "text", "text": "Reading."}]}
    assert CHAT.without(listed, frozenset({0})) == {**raw, "content": None}


@pytest.mark.parametrize(
    ("raw", "places"),
    [
        ({"role": "assistant", "content": None, "tool_calls": [CALL]}, {0}),
        ({"role": "assistant", "content": "", "tool_calls": [CALL]}, {0}),
        ({"role": "assistant", "content": " \n", "tool_calls": [CALL]}, {1}),
        ({"role": "assistant", "content": None, "function_call": FUNCTION}, {0}),
        ({"role": "tool", "tool_call_id": "c", "content": "x"}, {0}),
        ({"role": "user", "content": "x"}, {0}),
    ],
)
def test_nothing_is_left_of_a_message_without_all_it_says(raw: dict[str, Any], places: set[int]) -> None:
    assert CHAT.without(raw, frozenset(places)) is None


def test_without_nothing_is_the_message_itself() -> None:
    raw = {"role": "user", "content": "x"}
    assert CHAT.without(raw, frozenset()) is raw


def test_ids_of_calls_and_results_are_replaced_in_place() -> None:
    raw = {"role": "assistant", "content": "x", "tool_calls": [CALL, OTHER_CALL]}
    assert CHAT.with_id(raw, 2, "new")["tool_calls"] == [CALL, {**OTHER_CALL, "id": "new"}]
    assert CHAT.with_id({"role": "tool", "content": "x"}, 0, "new")["tool_call_id"] == "new"
    assert CHAT.answer(raw, 1, "none") == {"role": "tool", "tool_call_id": "call_1", "content": "none"}
