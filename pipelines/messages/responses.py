"""Items of the Responses API: each call and each output is an item of its own, paired by `call_id`."""

from __future__ import annotations

from typing import Any

from pipelines.content import text_of
from pipelines.messages.fields import (
    are_blocks,
    are_blocks_but,
    as_written,
    is_blank,
    json_text,
    like,
    parsed,
    result_media,
    result_text,
    string,
    types_of,
    with_block,
)
from pipelines.messages.view import Part, PartKind, Raw, Role, View

CALLS = {
    "function_call": "arguments",
    "custom_tool_call": "input",
    "local_shell_call": "action",
    "shell_call": "action",
    "apply_patch_call": "operation",
    "computer_call": "action",
}
"""The items that must be answered, and the field that holds their input."""
OUTPUTS = {f"{kind}_output" for kind in CALLS}
_ROLES = {
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
    "user": Role.USER,
    "assistant": Role.ASSISTANT,
}
_TEXTS = frozenset({"text", "input_text", "output_text"})
_MEDIA = frozenset({"input_image", "input_file", "input_audio"})
_OWN_BLOCKS = frozenset({"input_text", "output_text", "input_image", "input_file"})
_OTHERS_BLOCKS = frozenset(
    {
        "tool_use",
        "tool_result",
        "toolCall",
        "thinking",
        "redacted_thinking",
        "image",
        "image_url",
        "file",
        "text",
    }
)
_OTHERS_KEYS = ("tool_calls", "function_call", "tool_call_id", "toolCallId", "stopReason")
_OF_THE_MODEL = ("reasoning", "web_search_call", "file_search_call", "code_interpreter_call")
_MORE_OF_THE_MODEL = ("image_generation_call", "mcp_call", "mcp_list_tools", "mcp_approval_request")
_OF_NOBODY = ("mcp_approval_response", "item_reference", "compaction", "compaction_summary", "ghost_snapshot")
_KNOWN = {*CALLS, *OUTPUTS, *_OF_THE_MODEL, *_MORE_OF_THE_MODEL, *_OF_NOBODY}


class Responses:
    """The dialect of OpenAI's Responses API."""

    name = "responses"

    def fits(self, raw: Raw) -> bool:
        kind = raw.get("type", "message")
        if kind != "message":
            return isinstance(kind, str) and "role" not in raw and (kind in _KNOWN or kind.endswith("_call"))
        content = raw.get("content")
        return (
            string(raw.get("role")) in _ROLES
            and not any(key in raw for key in _OTHERS_KEYS)
            and (isinstance(content, str) or are_blocks_but(content, _OTHERS_BLOCKS))
        )

    def owns(self, raw: Raw) -> bool:
        return raw.get("type", "message") != "message" or bool(_OWN_BLOCKS & types_of(raw))

    def view(self, raw: Raw) -> View | None:
        if not self.fits(raw):
            return None
        if raw.get("type", "message") != "message":
            part, role = _item(raw)
            return View(raw=raw, role=role, parts=(part,), dialect=self)
        content = raw["content"]
        if isinstance(content, str):
            parts: tuple[Part, ...] = (Part(kind=PartKind.TEXT, place=0, text=content),)
        else:
            parts = tuple(_said(block, place) for place, block in enumerate(content))
        return View(raw=raw, role=_ROLES[raw["role"]], parts=parts, dialect=self)

    def with_result(self, raw: Raw, place: int, text: str) -> Raw:
        """A shell's output keeps its shape; a screenshot cannot become text and stays."""
        if raw["type"] == "computer_call_output":
            return raw
        if raw["type"] == "shell_call_output" and isinstance(raw.get("output"), list):
            outputs = [output for output in raw["output"] if isinstance(output, dict)]
            first = outputs[0] if outputs else {"outcome": {"type": "exit", "exit_code": 0}}
            return {**raw, "output": [{**first, "stdout": text, "stderr": ""}]}
        return {**raw, "output": text}

    def with_input(self, raw: Raw, place: int, value: Any) -> Raw:
        """Only a function's arguments and a custom tool's text can be anything; other actions stay."""
        if raw["type"] == "function_call":
            return {**raw, "arguments": like("", value)}
        return {**raw, "input": as_written(value)} if raw["type"] == "custom_tool_call" else raw

    def with_text(self, raw: Raw, place: int, text: str) -> Raw:
        if isinstance(raw["content"], str):
            return {**raw, "content": text}
        return with_block(raw, place, text=text)

    def without(self, raw: Raw, places: frozenset[int]) -> Raw | None:
        if not places:
            return raw
        if raw.get("type", "message") != "message" or isinstance(raw["content"], str):
            return None
        left = [block for place, block in enumerate(raw["content"]) if place not in places]
        return {**raw, "content": left} if not all(map(is_blank, left)) else None

    def with_id(self, raw: Raw, place: int, call_id: str) -> Raw:
        return {**raw, "call_id": call_id}

    def answer(self, raw: Raw, place: int, text: str) -> Raw:
        kind = f"{raw['type']}_output"
        answer: Raw = {"type": kind, "call_id": call_id_of(raw), "output": text}
        if kind == "shell_call_output":
            outcome = {"type": "exit", "exit_code": 1}
            answer["output"] = [{"stdout": "", "stderr": text, "outcome": outcome}]
        elif kind == "apply_patch_call_output":
            answer["status"] = "failed"
        elif kind == "local_shell_call_output":
            answer["id"] = call_id_of(raw)
        return answer

    def user_message(self, text: str) -> Raw:
        return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}


def call_id_of(raw: Raw) -> str:
    """Return the id that pairs a call and its output; a local shell's may be only in `id`."""
    found = string(raw.get("call_id"))
    local = string(raw.get("type")).startswith("local_shell_call")
    return found or (string(raw.get("id")) if local else "")


def _item(raw: Raw) -> tuple[Part, Role]:
    kind = raw["type"]
    if kind in CALLS:
        value = raw.get(CALLS[kind])
        part = Part(
            kind=PartKind.CALL,
            place=0,
            text=as_written(value),
            call_id=call_id_of(raw),
            name=string(raw.get("name")) or kind.removesuffix("_call"),
            input=parsed(value) if kind == "function_call" else value,
        )
        return part, Role.ASSISTANT
    if kind in OUTPUTS:
        output = raw.get("output")
        media = 1 if kind == "computer_call_output" else 0
        part = Part(
            kind=PartKind.RESULT,
            place=0,
            text=result_text(output),
            call_id=call_id_of(raw),
            media=media or result_media(output),
        )
        return part, Role.TOOL
    if kind == "reasoning":
        return Part(kind=PartKind.THINKING, place=0, text=_reasoning(raw)), Role.ASSISTANT
    role = Role.OTHER if kind in _OF_NOBODY else Role.ASSISTANT
    return Part(kind=PartKind.OTHER, place=0, text=json_text(raw)), role


def _reasoning(raw: Raw) -> str:
    found = [raw[key] for key in ("summary", "content") if are_blocks(raw.get(key))]
    return "\n".join(string(block.get("text")) for blocks in found for block in blocks)


def _said(block: dict[str, Any], place: int) -> Part:
    if block["type"] in _TEXTS:
        return Part(kind=PartKind.TEXT, place=place, text=string(block.get("text")))
    if block["type"] in _MEDIA:
        return Part(kind=PartKind.MEDIA, place=place, media=1)
    return Part(kind=PartKind.OTHER, place=place, text=text_of([block]))
