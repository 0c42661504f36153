"""What the Messages API refuses.

Neighbouring messages of one role are one turn. The calls of an assistant's turn end it (no text after them), and the
user's turn after it begins with one result for each, and no others. Ids have letters, digits, `_` and `-` only and
no two calls share one. The first turn is the user's, a turn does not end with thinking, and no text is empty. A
message with role `system` is the host's own way to carry the system prompt and is not looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from pipelines.messages.anthropic import THINKING
from pipelines.messages.fields import is_blank, string
from pipelines.messages.problem import Fault, Message, Pairing, Problem
from pipelines.messages.view import Raw

ID = re.compile(r"[a-zA-Z0-9_-]+")
Block = tuple[int, dict[str, Any]]


def check(messages: Sequence[Message], running_from: float) -> Iterator[Problem]:
    """Yield what would be refused. Calls from message `running_from` on may still be without results."""
    turns = list(_turns(messages))
    calls = {
        string(block.get("id")): index
        for _, blocks in turns
        for index, block in blocks
        if block["type"] == "tool_use"
    }
    yield from _emptiness(messages)
    if turns and turns[0][0] != "user":
        yield Problem(
            index=turns[0][1][0][0] if turns[0][1] else messages[0][0],
            fault=Fault.ORDER,
            text="The first message is not the user's.",
        )
    waiting = Pairing(calls, in_list=True)
    for role, blocks in turns:
        if role == "user":
            yield from _results(waiting, blocks)
        else:
            yield from waiting.close()
            yield from _calls(waiting, blocks)
    yield from waiting.close(running_from)


def tidied(raw: Raw) -> Raw | None:
    """Return the message without the empty texts in it; None when nothing is left."""
    content = raw["content"]
    if raw["role"] == "system":
        return raw
    if isinstance(content, str):
        return raw if content.strip() else None
    left = [_tidied_block(block) for block in content if not is_blank(block)]
    return None if not left else raw if left == content else {**raw, "content": left}


def _tidied_block(block: dict[str, Any]) -> dict[str, Any]:
    if not _has_blank_inside(block):
        return block
    left = [inner for inner in block["content"] if not (isinstance(inner, dict) and is_blank(inner))]
    return {**block, "content": left or ""}


def _has_blank_inside(block: dict[str, Any]) -> bool:
    content = block.get("content")
    return (
        block["type"] == "tool_result"
        and isinstance(content, list)
        and any(isinstance(inner, dict) and is_blank(inner) for inner in content)
    )


def _turns(messages: Sequence[Message]) -> Iterator[tuple[str, list[Block]]]:
    role, blocks = "", list[Block]()
    for index, raw in messages:
        if raw["role"] == "system":
            continue
        if raw["role"] != role:
            if role:
                yield role, blocks
            role, blocks = raw["role"], []
        content = raw["content"]
        listed = [{"type": "text", "text": content}] if isinstance(content, str) else content
        blocks += [(index, block) for block in listed]
    if role:
        yield role, blocks


def _emptiness(messages: Sequence[Message]) -> Iterator[Problem]:
    for index, raw in messages:
        content = raw["content"]
        if raw["role"] == "system":
            continue
        if not content or (isinstance(content, str) and not content.strip()):
            if (index, raw["role"]) != (messages[-1][0], "assistant") or content:
                yield Problem(index=index, fault=Fault.EMPTY, text=f"The {raw['role']} message says nothing.")
        elif isinstance(content, list) and any(
            is_blank(block) or _has_blank_inside(block) for block in content
        ):
            yield Problem(index=index, fault=Fault.EMPTY, text="A text block is empty.")


def _calls(waiting: Pairing, blocks: list[Block]) -> Iterator[Problem]:
    called = False
    for index, block in blocks:
        if block["type"] == "tool_use":
            called = True
            call_id = string(block.get("id"))
            name = call_id or f"a call of {string(block.get('name'))}"
            if not ID.fullmatch(call_id):
                yield Problem(
                    index=index, fault=Fault.BAD_ID, text=f"{name} has no id of letters, digits, _ and -."
                )
            yield from waiting.called(index, call_id, name)
        elif called and block["type"] == "text":
            yield Problem(index=index, fault=Fault.ORDER, text="Text follows a call in the assistant's turn.")
    if blocks and blocks[-1][1]["type"] in THINKING:
        yield Problem(index=blocks[-1][0], fault=Fault.ORDER, text="The assistant's turn ends with thinking.")


def _results(waiting: Pairing, blocks: list[Block]) -> Iterator[Problem]:
    spoke = False
    for index, block in blocks:
        if block["type"] != "tool_result":
            spoke = True
            continue
        call_id = string(block.get("tool_use_id"))
        if spoke:
            yield Problem(
                index=index, fault=Fault.ORDER, text=f"The result for {call_id} stands after other content."
            )
        yield from waiting.answered(index, call_id, call_id or "a call without an id")
