"""Reading recorded sessions of any dialect, as the message lists that a client would send."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pipelines import rawjson
from pipelines.messages.lists import repaired, views
from pipelines.messages.responses import CALLS, OUTPUTS
from pipelines.messages.view import Part, PartKind, Raw, Role

START = "(start)"
_LISTS = ("messages", "history", "traj", "trajectory", "conversation", "input")
"""Fields under which recordings keep their list."""
_ITEMS = frozenset({"message", *CALLS, *OUTPUTS})


class NoRecording(ValueError):
    """The file has no list of messages that is known here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """A session's messages in one form, Anthropic's: as a strict provider takes them."""

    name: str
    messages: list[Raw]

    @property
    def turns(self) -> list[int]:
        """Numbers of the messages that the model wrote, but for a first one."""
        return [at for at, raw in enumerate(self.messages) if raw["role"] == "assistant" and at]


def recordings(name: str, text: str) -> list[Recording]:
    """Return the sessions of a file: JSON lines of an agent, or JSON with one list of messages or several.

    Raises NoRecording.
    """
    lists = [raws for raws in _lists(text) if raws]
    if not lists:
        raise NoRecording(f"{name} has no list of messages that is known here")
    names = [name] if len(lists) == 1 else [f"{name} ({number})" for number in range(1, len(lists) + 1)]
    return [Recording(name=one, messages=plain(raws)) for one, raws in zip(names, lists, strict=True)]


def _lists(text: str) -> Iterator[list[Raw]]:
    try:
        document = rawjson.parse(text)
    except rawjson.JsonSyntaxError:
        yield from _of_lines(text)
        return
    whole = _list(document)
    if whole:
        yield whole
    elif isinstance(document, list):
        yield from (_list(one) for one in document)
    else:
        yield from _of_lines(text)


def _of_lines(text: str) -> Iterator[list[Raw]]:
    found: list[Raw] = []
    for line in text.splitlines():
        try:
            value = rawjson.parse(line)
        except rawjson.JsonSyntaxError:
            continue
        if isinstance(value, dict):
            message = _message(value)
            if message is not None:
                found.append(message)
            else:
                yield _list(value)
    yield found


def _list(value: Any) -> list[Raw]:
    """Return the messages of a list, or of the field that keeps one."""
    if isinstance(value, dict):
        value = next((value[name] for name in _LISTS if isinstance(value.get(name), list)), [])
    if not isinstance(value, list):
        return []
    found = [_message(one) for one in value if isinstance(one, dict)]
    return [one for one in found if one is not None]


def _message(value: Raw) -> Raw | None:
    """Return the message that a line or a member is or holds; none of a side conversation."""
    if value.get("isSidechain"):
        return None
    for inner in (value.get("message"), value.get("payload"), value):
        if isinstance(inner, dict) and (isinstance(inner.get("role"), str) or inner.get("type") in _ITEMS):
            return inner
    return None


def plain(raws: list[Raw]) -> list[Raw]:
    """Return a list of any dialect in Anthropic's, neighbours of one role joined, without the model's thinking."""
    found: list[Raw] = []
    for view in views(raws):
        role = "assistant" if view.role is Role.ASSISTANT else "user"
        blocks = [block for part in view.parts if (block := _block(part)) is not None]
        if not blocks or view.role is Role.OTHER:
            continue
        if found and found[-1]["role"] == role:
            found[-1]["content"] += blocks
        else:
            found.append({"role": role, "content": blocks})
    if found and found[0]["role"] == "assistant":
        found.insert(0, {"role": "user", "content": [{"type": "text", "text": START}]})
    return repaired(found)[0]


def _block(part: Part) -> Raw | None:
    match part.kind:
        case PartKind.TEXT if part.text.strip():
            return {"type": "text", "text": part.text}
        case PartKind.CALL:
            given = part.input if isinstance(part.input, dict) else {"input": part.text}
            return {"type": "tool_use", "id": part.call_id, "name": part.name or "tool", "input": given}
        case PartKind.RESULT:
            return {"type": "tool_result", "tool_use_id": part.call_id, "content": part.text}
    return None
