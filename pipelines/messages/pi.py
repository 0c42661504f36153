"""Messages of pi and OpenClaw: `toolCall` blocks of the assistant, answered by messages with role `toolResult`."""

from __future__ import annotations

from typing import Any

from pipelines.messages.fields import (
    are_blocks_but,
    as_written,
    is_blank,
    json_text,
    parsed,
    result_media,
    result_text,
    string,
    with_block,
)
from pipelines.messages.view import Part, PartKind, Raw, Role, View

_ROLES = {
    "system": Role.SYSTEM,
    "user": Role.USER,
    "assistant": Role.ASSISTANT,
    "toolResult": Role.TOOL,
    "tool": Role.TOOL,
}
_CALLS = {"toolCall": "arguments", "tool_use": "input"}
_OTHERS_KEYS = ("tool_calls", "function_call", "tool_call_id")
_OTHERS_BLOCKS = frozenset(
    {
        *("tool_result", "server_tool_use", "redacted_thinking", "document"),
        *("image_url", "input_audio", "file", "refusal"),
        *("input_text", "output_text", "input_image", "input_file"),
    }
)


def is_incomplete(raw: Raw) -> bool:
    """Say whether the host keeps this assistant message from the model: its turn was aborted or failed."""
    return raw.get("role") == "assistant" and raw.get("stopReason") in ("aborted", "error")


class Pi:
    """The dialect that pi and OpenClaw keep their messages in."""

    name = "pi"

    def fits(self, raw: Raw) -> bool:
        role = string(raw.get("role"))
        content = raw.get("content")
        return (
            role in _ROLES
            and "type" not in raw
            and (role != "tool" or "toolCallId" in raw)
            and not any(key in raw for key in _OTHERS_KEYS)
            and (isinstance(content, str) or are_blocks_but(content, _OTHERS_BLOCKS))
        )

    def owns(self, raw: Raw) -> bool:
        if _ROLES[raw["role"]] is Role.TOOL or "stopReason" in raw:
            return True
        blocks = raw["content"] if isinstance(raw["content"], list) else []
        return any(
            block["type"] == "toolCall" or "thinkingSignature" in block or "mimeType" in block
            for block in blocks
        )

    def view(self, raw: Raw) -> View | None:
        if not self.fits(raw):
            return None
        role = _ROLES[raw["role"]]
        content = raw["content"]
        if role is Role.TOOL:
            parts: tuple[Part, ...] = (_result(raw),)
        elif isinstance(content, str):
            parts = (Part(kind=PartKind.TEXT, place=0, text=content),)
        else:
            parts = tuple(_part(block, place, role) for place, block in enumerate(content))
        return View(raw=raw, role=role, parts=parts, dialect=self)

    def with_result(self, raw: Raw, place: int, text: str) -> Raw:
        content = text if isinstance(raw["content"], str) else [{"type": "text", "text": text}]
        return {**raw, "content": content}

    def with_input(self, raw: Raw, place: int, value: Any) -> Raw:
        return with_block(raw, place, **{_CALLS[raw["content"][place]["type"]]: value})

    def with_text(self, raw: Raw, place: int, text: str) -> Raw:
        if isinstance(raw["content"], str):
            return {**raw, "content": text}
        return with_block(raw, place, text=text)

    def without(self, raw: Raw, places: frozenset[int]) -> Raw | None:
        if not places:
            return raw
        if _ROLES[raw["role"]] is Role.TOOL or isinstance(raw["content"], str):
            return None
        left = [block for place, block in enumerate(raw["content"]) if place not in places]
        while left and left[-1]["type"] == "thinking":  # thinking about what is gone
            left.pop()
        return {**raw, "content": left} if not all(map(is_blank, left)) else None

    def with_id(self, raw: Raw, place: int, call_id: str) -> Raw:
        if _ROLES[raw["role"]] is Role.TOOL:
            return {**raw, "toolCallId": call_id}
        return with_block(raw, place, id=call_id)

    def answer(self, raw: Raw, place: int, text: str) -> Raw:
        call = raw["content"][place]
        return {
            "role": "toolResult",
            "toolCallId": call.get("id"),
            "toolName": string(call.get("name")),
            "content": [{"type": "text", "text": text}],
            "isError": True,
            **({"timestamp": raw["timestamp"]} if "timestamp" in raw else {}),
        }

    def user_message(self, text: str) -> Raw:
        return {"role": "user", "content": [{"type": "text", "text": text}]}


def _result(raw: Raw) -> Part:
    content = raw["content"]
    return Part(
        kind=PartKind.RESULT,
        place=0,
        text=result_text(content),
        call_id=string(raw.get("toolCallId")),
        name=string(raw.get("toolName")),
        is_error=raw.get("isError") is True,
        media=result_media(content),
    )


def _part(block: dict[str, Any], place: int, role: Role) -> Part:
    kind = block["type"]
    if kind == "text":
        return Part(kind=PartKind.TEXT, place=place, text=string(block.get("text")))
    if kind in _CALLS and role is Role.ASSISTANT:
        value = block.get(_CALLS[kind])
        return Part(
            kind=PartKind.CALL,
            place=place,
            text=as_written(value),
            call_id=string(block.get("id")),
            name=string(block.get("name")),
            input=parsed(value),
        )
    if kind == "thinking":
        return Part(kind=PartKind.THINKING, place=place, text=string(block.get("thinking")))
    if kind == "image":
        return Part(kind=PartKind.MEDIA, place=place, media=1)
    return Part(kind=PartKind.OTHER, place=place, text=json_text(block))
