"""What the Responses API refuses.

Every call that waits for an output has one after it, and only one; an output has its call before it. Call ids are
not empty and no two calls share one. A reasoning item is followed by what the model did next. A message says
something.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipelines.messages.fields import is_blank, string
from pipelines.messages.problem import Fault, Message, Pairing, Problem
from pipelines.messages.responses import CALLS, OUTPUTS, call_id_of
from pipelines.messages.view import Raw

_NOT_OF_THE_MODEL = frozenset({*OUTPUTS, "mcp_approval_response"})


def check(messages: Sequence[Message], running_from: float) -> Iterator[Problem]:
    """Yield what would be refused. Calls from item `running_from` on may still be without outputs."""
    calls = {call_id_of(raw): index for index, raw in messages if raw.get("type") in CALLS}
    waiting = Pairing(calls, in_list=True)
    for place, (index, raw) in enumerate(messages):
        kind = raw.get("type", "message")
        call_id = call_id_of(raw)
        if kind in CALLS or kind in OUTPUTS:
            if not call_id:
                yield Problem(index=index, fault=Fault.BAD_ID, text=f"The {kind} has no call_id.")
            note = waiting.called if kind in CALLS else waiting.answered
            yield from note(index, call_id, call_id or "a call without an id")
        elif kind == "reasoning":
            if place + 1 == len(messages) or not is_of_the_model(messages[place + 1][1]):
                yield Problem(
                    index=index,
                    fault=Fault.ORDER,
                    text="A reasoning item is not followed by what the model did next.",
                )
        elif kind == "message" and _says_nothing(raw):
            yield Problem(index=index, fault=Fault.EMPTY, text=f"The {raw['role']} message says nothing.")
    yield from waiting.close(running_from)


def tidied(raw: Raw) -> Raw | None:
    """Return the item; None when it is an empty message."""
    return None if raw.get("type", "message") == "message" and _says_nothing(raw) else raw


def is_of_the_model(raw: Raw) -> bool:
    """Say whether the model made this item: reasoning, a call, or an assistant's message."""
    kind = raw.get("type", "message")
    return raw["role"] == "assistant" if kind == "message" else kind not in _NOT_OF_THE_MODEL


def _says_nothing(raw: Raw) -> bool:
    content = raw["content"]
    return not string(content).strip() if isinstance(content, str) else all(map(is_blank, content))
