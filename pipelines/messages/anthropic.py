"""Messages with content blocks: `tool_use` by the assistant, answered by `tool_result` blocks of the user."""

from __future__ import annotations

import json
from typing import Any

from pipelines.content import media_of, text_of
from pipelines.messages.view import Part, PartKind, Raw, Role, View

_ROLES = {"system": Role.SYSTEM, "user": Role.USER, "assistant": Role.ASSISTANT}
_THINKING = frozenset({"thinking", "redacted_thinking"})
_MEDIA = frozenset({"image", "document"})
_BLOCKS = frozenset({"text", "tool_use", "tool_result", *_THINKING, *_MEDIA})


class Anthropic:
    """The dialect of Anthropic's Messages API."""

    name = "anthropic"

    def view(self, raw: Raw) -> View | None:
        role = _ROLES.get(raw.get("role", ""))
        content = raw.get("content")
        if role is None or "tool_calls" in raw or not isinstance(content, str | list):
            return None
        if isinstance(content, str):
            parts: tuple[Part, ...] = (Part(kind=PartKind.TEXT, place=0, text=content),)
        elif all(isinstance(block, dict) and block.get("type") in _BLOCKS for block in content):
            parts = tuple(_part(block, place) for place, block in enumerate(content))
        else:
            return None
        return View(raw=raw, role=role, parts=parts, dialect=self)

    def with_result(self, raw: Raw, place: int, text: str) -> Raw:
        return _changed(raw, place, content=text)

    def with_input(self, raw: Raw, place: int, value: Any) -> Raw:
        return _changed(raw, place, input=value)

    def with_text(self, raw: Raw, place: int, text: str) -> Raw:
        return (
            {**raw, "content": text} if isinstance(raw["content"], str) else _changed(raw, place, text=text)
        )

    def without(self, raw: Raw, places: frozenset[int]) -> Raw | None:
        if isinstance(raw["content"], str):
            return None if places else raw
        left = [block for place, block in enumerate(raw["content"]) if place not in places]
        return {**raw, "content": left} if left else None

    def user_message(self, text: str) -> Raw:
        return {"role": "user", "content": [{"type": "text", "text": text}]}


def _part(block: dict[str, Any], place: int) -> Part:
    kind = block["type"]
    if kind == "text":
        return Part(kind=PartKind.TEXT, place=place, text=str(block.get("text", "")))
    if kind == "tool_use":
        value = block.get("input")
        return Part(
            kind=PartKind.CALL,
            place=place,
            text=json.dumps(value, ensure_ascii=False),
            call_id=str(block.get("id", "")),
            name=str(block.get("name", "")),
            input=value,
        )
    if kind == "tool_result":
        content = block.get("content", "")
        return Part(
            kind=PartKind.RESULT,
            place=place,
            text=text_of(content) if content is not None else "",
            call_id=str(block.get("tool_use_id", "")),
            is_error=block.get("is_error") is True,
            media=len(media_of(content)) if not isinstance(content, str) else 0,
        )
    if kind in _THINKING:
        return Part(
            kind=PartKind.THINKING, place=place, text=str(block.get("thinking") or block.get("data") or "")
        )
    return Part(kind=PartKind.MEDIA, place=place, media=1)


def _changed(raw: Raw, place: int, **fields: Any) -> Raw:
    content = list(raw["content"])
    content[place] = {**content[place], **fields}
    return {**raw, "content": content}
