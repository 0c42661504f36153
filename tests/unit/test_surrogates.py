from __future__ import annotations

import json
from typing import Any

import pydantic_core
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from canvases.mcp.surrogates import escape, pack, unpack

ANY_TEXT = st.text(st.characters(exclude_categories=()))


def message(arguments: Any, **more: Any) -> dict[str, Any]:
    return {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "x", "arguments": arguments},
        **more,
    }


def arrived(sent: bytes) -> Any:
    """Read a packed message as the SDK does, and return its arguments."""
    return unpack(pydantic_core.from_json(pack(sent))["params"]["arguments"])


@given(st.dictionaries(ANY_TEXT, ANY_TEXT | st.lists(ANY_TEXT)))
@example({"a": "\\ud83d\udc00"})
def test_any_arguments_arrive_as_they_were_sent(arguments: dict[str, Any]) -> None:
    assert arrived(json.dumps(message(arguments)).encode()) == arguments


@pytest.mark.parametrize("text", ["🦊", "a", "\\ud83d", "世界", "\x00"])
def test_a_message_of_whole_characters_is_left_as_it_is(text: str) -> None:
    sent = json.dumps(message({"content": text})).encode()
    assert pack(sent) == sent


@pytest.mark.parametrize(
    "sent", [b"{\\ud800", b"\xff\\ud800", b'["\\ud800"]', b'"\\udc00"', b"[" * 100_000 + b"\\ud800"]
)
def test_what_is_no_request_is_passed_on_and_never_raises(sent: bytes) -> None:
    pack(sent)


def test_half_characters_outside_the_arguments_are_replaced() -> None:
    sent = json.dumps(message({"a": 1}, id="\ud800")).encode()
    assert pydantic_core.from_json(pack(sent))["id"] == "?"


@given(ANY_TEXT)
def test_escaped_json_can_be_sent_and_read_back(text: str) -> None:
    written = escape(json.dumps([text], ensure_ascii=False))
    written.encode()
    assert json.loads(written) == [text]
