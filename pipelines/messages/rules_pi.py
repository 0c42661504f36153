"""What pi and OpenClaw cannot turn into a request that a provider takes.

They leave out assistant messages that were aborted or failed, with their calls, and put an answer of their own
after a call that has none directly after its message: a result that comes later answers nothing then.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipelines.messages.fields import is_blank, string
from pipelines.messages.pi import is_incomplete
from pipelines.messages.problem import Fault, Message, Pairing, Problem
from pipelines.messages.view import Raw

_CALLS = ("toolCall", "tool_use")


def check(messages: Sequence[Message], running_from: float) -> Iterator[Problem]:
    """Yield what would be refused. Calls from message `running_from` on may still be without results."""
    waiting = Pairing({call_id: index for index, raw in messages for call_id, _ in _calls(raw)})
    for index, raw in messages:
        if raw["role"] in ("toolResult", "tool"):
            call_id = string(raw.get("toolCallId"))
            if not call_id:
                yield Problem(index=index, fault=Fault.BAD_ID, text="A result names no call.")
            yield from waiting.answered(index, call_id, call_id or "a call without an id")
            continue
        yield from waiting.close()
        if not is_incomplete(raw) and _says_nothing(raw):
            yield Problem(index=index, fault=Fault.EMPTY, text=f"The {raw['role']} message says nothing.")
        for call_id, name in _calls(raw):
            if not call_id:
                yield Problem(index=index, fault=Fault.BAD_ID, text=f"A call of {name} has no id.")
            yield from waiting.called(index, call_id, call_id or f"a call of {name}")
    yield from waiting.close(running_from)


def tidied(raw: Raw) -> Raw | None:
    """Return the message; None when it is empty."""
    if raw["role"] in ("toolResult", "tool") or is_incomplete(raw):
        return raw
    return None if _says_nothing(raw) else raw


def _calls(raw: Raw) -> list[tuple[str, str]]:
    """Return id and tool of each call that reaches the model."""
    if raw["role"] != "assistant" or is_incomplete(raw) or isinstance(raw["content"], str):
        return []
    return [
        (string(block.get("id")), string(block.get("name")))
        for block in raw["content"]
        if block["type"] in _CALLS
    ]


def _says_nothing(raw: Raw) -> bool:
    content = raw["content"]
    return not content.strip() if isinstance(content, str) else all(map(is_blank, content))
