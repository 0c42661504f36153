"""Messages with content blocks: `tool_use` by the assistant, answered by `tool_result` blocks of the user."""

from __future__ import annotations

from typing import Any

from pipelines.messages.fields import (
    are_blocks_but,
    is_blank,
    json_text,
    result_media,
    result_text,
    string,
    with_block,
)
from pipelines.messages.view import Part, PartKind, Raw, Role, View

THINKING = frozenset({"thinking", "redacted_thinking"})
_ROLES = {"system": Role.SYSTEM, "user": Role.USER, "assistant": Role.ASSISTANT}
_MEDIA = frozenset({"image", "document"})
_OTHERS_KEYS = ("tool_calls", "function_call", "tool_call_id", "toolCallId", "stopReason")
_OTHERS_BLOCKS = frozenset(
    {
        *("toolCall", "image_url", "input_audio", "file", "refusal"),
        *("input_text", "output_text", "input_image", "input_file"),
    }
)
_OWN_BLOCKS = frozenset({"tool_result", "redacted_thinking", "server_tool_use", "document"})


class Anthropic:
    """The dialect of Anthropic's Messages API."""

    name = "anthropic"

    def fits(self, raw: Raw) -> bool:
        content = raw.get("content")
        return (
            string(raw.get("role")) in _ROLES
            and raw.get("type", "message") == "message"
            and not any(key in raw for key in _OTHERS_KEYS)
            and (isinstance(content, str) or are_blocks_but(content, _OTHERS_BLOCKS))
        )

    def owns(self, raw: Raw) -> bool:
        blocks = raw["content"] if isinstance(raw["content"], list) else []
        return any(block["type"] in _OWN_BLOCKS or "signature" in block for block in blocks)

    def view(self, raw: Raw) -> View | None:
        if not self.fits(raw):
            return None
        content = raw["content"]
        if isinstance(content, str):
            parts: tuple[Part, ...] = (Part(kind=PartKind.TEXT, place=0, text=content),)
        else:
            parts = tuple(_part(block, place, raw["role"]) for place, block in enumerate(content))
        return View(raw=raw, role=_ROLES[raw["role"]], parts=parts, dialect=self)

    def with_result(self, raw: Raw, place: int, text: str) -> Raw:
        return with_block(raw, place, content=text)

    def with_input(self, raw: Raw, place: int, value: Any) -> Raw:
        return with_block(raw, place, input=value)

    def with_text(self, raw: Raw, place: int, text: str) -> Raw:
        if isinstance(raw["content"], str):
            return {**raw, "content": text}
        return with_block(raw, place, text=text)

    def without(self, raw: Raw, places: frozenset[int]) -> Raw | None:
        if not places:
            return raw
        if isinstance(raw["content"], str):
            return None
        left = [block for place, block in enumerate(raw["content"]) if place not in places]
        while (
            left and left[-1]["type"] in THINKING
        ):  # thinking about what is gone: no message may end with it
            left.pop()
        return {**raw, "content": left} if not all(map(is_blank, left)) else None

    def with_id(self, raw: Raw, place: int, call_id: str) -> Raw:
        key = "id" if raw["content"][place]["type"] == "tool_use" else "tool_use_id"
        return with_block(raw, place, **{key: call_id})

    def answer(self, raw: Raw, place: int, text: str) -> Raw:
        block = {
            "type": "tool_result",
            "tool_use_id": raw["content"][place].get("id"),
            "content": text,
            "is_error": True,
        }
        return {"role": "user", "content": [block]}

    def user_message(self, text: str) -> Raw:
        return {"role": "user", "content": [{"type": "text", "text": text}]}


def _part(block: dict[str, Any], place: int, role: str) -> Part:
    kind = block["type"]
    if kind == "text":
        return Part(kind=PartKind.TEXT, place=place, text=string(block.get("text")))
    if kind == "tool_use" and role == "assistant":
        value = block.get("input")
        return Part(
            kind=PartKind.CALL,
            place=place,
            text=json_text(value),
            call_id=string(block.get("id")),
            name=string(block.get("name")),
            input=value,
        )
    if kind == "tool_result" and role == "user":
        content = block.get("content")
        return Part(
            kind=PartKind.RESULT,
            place=place,
            text=result_text(content),
            call_id=string(block.get("tool_use_id")),
            is_error=block.get("is_error") is True,
            media=result_media(content),
        )
    if kind in THINKING:
        return Part(
            kind=PartKind.THINKING, place=place, text=string(block.get("thinking") or block.get("data"))
        )
    if kind in _MEDIA:
        return Part(kind=PartKind.MEDIA, place=place, media=1)
    return Part(kind=PartKind.OTHER, place=place, text=json_text(block))
