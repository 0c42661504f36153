"""Chat messages: `tool_calls` of the assistant, each answered by a message with role `tool`."""

from __future__ import annotations

from typing import Any

from pipelines.content import text_of
from pipelines.messages.fields import (
    are_blocks,
    are_blocks_but,
    as_written,
    is_blank,
    like,
    parsed,
    result_media,
    result_text,
    string,
    types_of,
    with_block,
)
from pipelines.messages.view import Part, PartKind, Raw, Role, View

_ROLES = {
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
    "user": Role.USER,
    "assistant": Role.ASSISTANT,
    "tool": Role.TOOL,
    "function": Role.TOOL,
}
_MEDIA = frozenset({"image_url", "input_audio", "file"})
_OWN_BLOCKS = _MEDIA | {"refusal"}
_OTHERS_BLOCKS = frozenset(
    {
        *("tool_use", "tool_result", "toolCall", "thinking", "redacted_thinking", "document", "image"),
        *("input_text", "output_text", "input_image", "input_file"),
    }
)
_CALL_KEYS = ("tool_calls", "function_call")


class OpenAIChat:
    """The dialect of OpenAI's Chat Completions, and of the many servers that speak it."""

    name = "openai_chat"

    def fits(self, raw: Raw) -> bool:
        content = raw.get("content")
        calls = raw.get("tool_calls") or []
        role = string(raw.get("role"))
        if role not in _ROLES or raw.get("type", "message") != "message" or "toolCallId" in raw:
            return False
        if not (isinstance(calls, list) and all(isinstance(call, dict) for call in calls)):
            return False
        if role != "assistant" and (calls or isinstance(raw.get("function_call"), dict)):
            return False
        has_call_keys = any(key in raw for key in _CALL_KEYS)
        if content is None:
            return "content" in raw or has_call_keys
        if isinstance(content, str):
            return True
        is_own = has_call_keys or role in ("tool", "function")
        return are_blocks(content) if is_own else are_blocks_but(content, _OTHERS_BLOCKS)

    def owns(self, raw: Raw) -> bool:
        return (
            any(key in raw for key in _CALL_KEYS)
            or raw["role"] in ("tool", "function")
            or raw.get("content") is None
            or bool(_OWN_BLOCKS & types_of(raw))
        )

    def view(self, raw: Raw) -> View | None:
        if not self.fits(raw):
            return None
        role = _ROLES[raw["role"]]
        if role is Role.TOOL:
            return View(raw=raw, role=role, parts=(_result(raw),), dialect=self)
        said = _said(raw)
        parts = [_said_part(block, place) for place, block in enumerate(said)]
        by_name = _is_by_name(raw)
        parts += [_call(call, len(said) + place, by_name) for place, call in enumerate(_calls(raw))]
        return View(raw=raw, role=role, parts=tuple(parts), dialect=self)

    def with_result(self, raw: Raw, place: int, text: str) -> Raw:
        return {**raw, "content": text}

    def with_input(self, raw: Raw, place: int, value: Any) -> Raw:
        return _with_call(raw, place, lambda call: _with_arguments(call, value))

    def with_text(self, raw: Raw, place: int, text: str) -> Raw:
        if isinstance(raw["content"], str):
            return {**raw, "content": text}
        return with_block(raw, place, text=text)

    def without(self, raw: Raw, places: frozenset[int]) -> Raw | None:
        if not places:
            return raw
        if _ROLES[raw["role"]] is Role.TOOL:
            return None
        said = _said(raw)
        kept = [block for place, block in enumerate(said) if place not in places]
        calls = [call for place, call in enumerate(_calls(raw), start=len(said)) if place not in places]
        if not calls and not any(map(_speaks, kept)):
            return None
        left = dict(raw)
        if len(kept) < len(said):
            left["content"] = kept or None
        if len(calls) < len(_calls(raw)):
            for key in _CALL_KEYS:
                left.pop(key, None)
            if calls:
                left["tool_calls"] = calls
        return left

    def with_id(self, raw: Raw, place: int, call_id: str) -> Raw:
        if _is_by_name(raw):
            return raw
        if raw["role"] == "tool":
            return {**raw, "tool_call_id": call_id}
        return _with_call(raw, place, lambda call: {**call, "id": call_id})

    def answer(self, raw: Raw, place: int, text: str) -> Raw:
        call = _calls(raw)[place - len(_said(raw))]
        if _is_by_name(raw):
            return {"role": "function", "name": string(call.get("name")), "content": text}
        return {"role": "tool", "tool_call_id": call.get("id"), "content": text}

    def user_message(self, text: str) -> Raw:
        return {"role": "user", "content": text}


def _said(raw: Raw) -> list[Any]:
    """Return what the message says: its one string, or its content blocks."""
    content = raw.get("content")
    if isinstance(content, str):
        return [content] if content or not _calls(raw) else []
    return content or []


def _speaks(block: Any) -> bool:
    return bool(block.strip()) if isinstance(block, str) else not is_blank(block)


def _calls(raw: Raw) -> list[dict[str, Any]]:
    """Return the message's calls: its `tool_calls`, else its one `function_call`."""
    calls: list[dict[str, Any]] = raw.get("tool_calls") or []
    legacy = raw.get("function_call")
    return calls or ([legacy] if isinstance(legacy, dict) else [])


def _is_by_name(raw: Raw) -> bool:
    """Say whether the message calls, or answers, with the older `function_call` that has no id."""
    return raw["role"] == "function" or (not raw.get("tool_calls") and "function_call" in raw)


def _with_call(raw: Raw, place: int, changed: Any) -> Raw:
    at = place - len(_said(raw))
    if not raw.get("tool_calls"):
        return {**raw, "function_call": changed(raw["function_call"])}
    calls = list(raw["tool_calls"])
    calls[at] = changed(calls[at])
    return {**raw, "tool_calls": calls}


def _with_arguments(call: dict[str, Any], value: Any) -> dict[str, Any]:
    if isinstance(call.get("custom"), dict):
        return {**call, "custom": {**call["custom"], "input": as_written(value)}}
    if isinstance(call.get("function"), dict):
        function = call["function"]
        return {**call, "function": {**function, "arguments": like(function.get("arguments"), value)}}
    return {**call, "arguments": like(call.get("arguments"), value)}


def _call(call: dict[str, Any], place: int, by_name: bool) -> Part:
    inner = next((call[key] for key in ("function", "custom") if isinstance(call.get(key), dict)), call)
    is_free_text = isinstance(call.get("custom"), dict)
    written = inner.get("input") if is_free_text else inner.get("arguments")
    return Part(
        kind=PartKind.CALL,
        place=place,
        text=as_written(written),
        call_id=string(call.get("id")),
        name=string(inner.get("name")),
        input=written if is_free_text else parsed(written),
        by_name=by_name,
    )


def _result(raw: Raw) -> Part:
    content = raw.get("content")
    return Part(
        kind=PartKind.RESULT,
        place=0,
        text=result_text(content),
        call_id=string(raw.get("tool_call_id")),
        name=string(raw.get("name") or raw.get("tool_name")),
        media=result_media(content),
        by_name=_is_by_name(raw),
    )


def _said_part(block: Any, place: int) -> Part:
    if isinstance(block, str):
        return Part(kind=PartKind.TEXT, place=place, text=block)
    if block["type"] == "text":
        return Part(kind=PartKind.TEXT, place=place, text=string(block.get("text")))
    if block["type"] in _MEDIA:
        return Part(kind=PartKind.MEDIA, place=place, media=1)
    return Part(kind=PartKind.OTHER, place=place, text=text_of([block]))
