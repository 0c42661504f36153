"""Messages of content blocks: how they are seen, and what edits make of them."""

from __future__ import annotations

from typing import Any

import pytest

from pipelines.messages.dialects import ANTHROPIC
from pipelines.messages.view import PartKind, Role, View

USE = {"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {"path": "a.py"}}
TEXT = {"type": "text", "text": "Reading."}
THINKING = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}


def seen(raw: dict[str, Any]) -> View:
    view = ANTHROPIC.view(raw)
    assert view is not None
    return view


def test_content_that_is_a_string_is_one_text() -> None:
    raw = {"role": "user", "content": "hello"}
    assert [(part.kind, part.text) for part in seen(raw).parts] == [(PartKind.TEXT, "hello")]
    assert ANTHROPIC.with_text(raw, 0, "bye") == {"role": "user", "content": "bye"}


def test_every_block_is_a_part_and_unknown_ones_pass_through() -> None:
    server = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x"}}
    found = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
    raw = {"role": "assistant", "content": [THINKING, server, found, {"type": "new_kind"}, TEXT, USE]}
    view = seen(raw)
    assert view.role is Role.ASSISTANT
    assert [part.kind for part in view.parts] == [
        PartKind.THINKING,
        PartKind.OTHER,
        PartKind.OTHER,
        PartKind.OTHER,
        PartKind.TEXT,
        PartKind.CALL,
    ]
    edited = ANTHROPIC.with_input(raw, 5, {"cut": True})
    assert edited["content"][:5] == raw["content"][:5]
    assert edited["content"][5] == {**USE, "input": {"cut": True}}


def test_a_result_keeps_its_id_its_error_and_its_cache_mark() -> None:
    block = {
        "type": "tool_result",
        "tool_use_id": "toolu_1",
        "content": [{"type": "text", "text": "a"}, IMAGE],
        "is_error": True,
        "cache_control": {"type": "ephemeral"},
    }
    raw = {"role": "user", "content": [block, TEXT]}
    part = seen(raw).parts[0]
    assert (part.call_id, part.is_error, part.media) == ("toolu_1", True, 1)
    assert part.text.startswith("a\n[image/png")
    edited = ANTHROPIC.with_result(raw, 0, "short")
    assert edited == {"role": "user", "content": [{**block, "content": "short"}, TEXT]}


@pytest.mark.parametrize("content", [{}, {"content": None}, {"content": ""}, {"content": []}])
def test_a_result_with_nothing_in_it_reads_as_nothing(content: dict[str, Any]) -> None:
    block = {"type": "tool_result", "tool_use_id": "a", **content}
    assert seen({"role": "user", "content": [block]}).parts[0].text == ""


def test_ids_that_are_null_are_empty() -> None:
    view = seen({"role": "assistant", "content": [{**USE, "id": None}]})
    assert view.parts[0].call_id == ""


@pytest.mark.parametrize(
    "raw",
    [
        {"role": "assistant", "content": None},
        {"role": "assistant", "content": "x", "tool_calls": []},
        {"role": "tool", "content": "x"},
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]},
        {"role": "assistant", "content": [{"type": "toolCall", "id": "a", "name": "b", "arguments": {}}]},
        {"role": "user", "content": [{"text": "no type"}]},
        {"role": "user", "content": ["x"]},
        {"type": "message", "message": {"role": "user", "content": "x"}},
    ],
)
def test_messages_of_other_dialects_are_not_seen(raw: dict[str, Any]) -> None:
    assert ANTHROPIC.view(raw) is None


def test_without_its_calls_a_message_does_not_end_with_the_thinking_about_them() -> None:
    raw = {"role": "assistant", "content": [TEXT, THINKING, USE]}
    assert ANTHROPIC.without(raw, frozenset({2})) == {"role": "assistant", "content": [TEXT]}
    assert ANTHROPIC.without({**raw, "content": [THINKING, USE]}, frozenset({1})) is None


@pytest.mark.parametrize("left", ["", " \n"])
def test_nothing_is_left_of_a_message_with_only_blank_texts(left: str) -> None:
    raw = {"role": "assistant", "content": [{"type": "text", "text": left}, USE]}
    assert ANTHROPIC.without(raw, frozenset({1})) is None


def test_an_answer_is_a_message_of_the_user_with_an_error() -> None:
    raw = {"role": "assistant", "content": [TEXT, USE]}
    block = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "none", "is_error": True}
    assert ANTHROPIC.answer(raw, 1, "none") == {"role": "user", "content": [block]}


def test_a_result_beside_what_the_user_says_does_not_hide_the_user() -> None:
    block = {"type": "tool_result", "tool_use_id": "a", "content": "x"}
    assert seen({"role": "user", "content": [block, TEXT]}).is_human
    assert not seen({"role": "user", "content": [block]}).is_human
