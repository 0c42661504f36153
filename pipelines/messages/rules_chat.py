"""What Chat Completions refuses.

Each call of an assistant message is answered by one `tool` message directly after it, in any order and with
nothing between; a `tool` message answers a call of the assistant message before it, once. Ids are not empty. A
message says something, unless it calls; a list of calls is not empty.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pipelines.messages.fields import string
from pipelines.messages.problem import Fault, Message, Pairing, Problem
from pipelines.messages.view import Raw


def check(messages: Sequence[Message], running_from: float) -> Iterator[Problem]:
    """Yield what would be refused. Calls from message `running_from` on may still be without results."""
    waiting = Pairing({key: index for index, raw in messages for key, _ in _calls(raw)})
    for index, raw in messages:
        if raw["role"] in ("tool", "function"):
            yield from _result(waiting, index, raw)
            continue
        yield from waiting.close()
        yield from _emptiness(index, raw)
        for key, name in _calls(raw):
            if key == "id:":
                yield Problem(index=index, fault=Fault.BAD_ID, text=f"A call of {name} has no id.")
            yield from waiting.called(index, key, name)
    yield from waiting.close(running_from)


def tidied(raw: Raw) -> Raw | None:
    """Return the message without what is empty in it; None when it is all empty."""
    if raw["role"] in ("tool", "function"):
        return {**raw, "content": ""} if raw.get("content") in (None, []) else raw
    if raw.get("tool_calls") == []:
        raw = {key: value for key, value in raw.items() if key != "tool_calls"}
    content = raw.get("content")
    if _calls(raw):
        return {**raw, "content": None} if isinstance(content, list) and _says_nothing(content) else raw
    return None if _says_nothing(content) and not raw.get("refusal") else raw


def _calls(raw: Raw) -> list[tuple[str, str]]:
    """Return a key and a name for sentences of each call."""
    found = [
        (f"id:{string(call.get('id'))}", string(call.get("id")) or "a call without an id")
        for call in raw.get("tool_calls") or []
    ]
    legacy = raw.get("function_call")
    if not found and isinstance(legacy, dict):
        name = string(legacy.get("name"))
        found.append((f"name:{name}", name))
    return found


def _result(waiting: Pairing, index: int, raw: Raw) -> Iterator[Problem]:
    if raw["role"] == "function":
        name = string(raw.get("name"))
        yield from waiting.answered(index, f"name:{name}", name)
    else:
        call_id = string(raw.get("tool_call_id"))
        if not call_id:
            yield Problem(index=index, fault=Fault.BAD_ID, text="A tool message names no call.")
        yield from waiting.answered(index, f"id:{call_id}", call_id or "a call without an id")
    if raw.get("content") is None or raw["content"] == []:
        yield Problem(
            index=index, fault=Fault.EMPTY, text="A tool message has no content, not even an empty text."
        )


def _emptiness(index: int, raw: Raw) -> Iterator[Problem]:
    if raw.get("tool_calls") == []:
        yield Problem(index=index, fault=Fault.EMPTY, text="The list of tool calls is empty.")
    content = raw.get("content")
    if _calls(raw):
        if isinstance(content, list) and _says_nothing(content):
            yield Problem(index=index, fault=Fault.EMPTY, text="The content's parts are all empty.")
    elif _says_nothing(content) and not raw.get("refusal"):
        yield Problem(index=index, fault=Fault.EMPTY, text=f"The {raw['role']} message says nothing.")


def _says_nothing(content: Any) -> bool:
    if isinstance(content, list):
        return all(block.get("type") == "text" and not string(block.get("text")).strip() for block in content)
    return not content or not content.strip()
