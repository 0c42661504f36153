"""Lines of session files for the tests, in the shape Claude Code writes them."""

from __future__ import annotations

import io
import itertools
import json
from typing import Any

from pipelines import transcripts
from pipelines.pairs import PostedPair

_numbers = itertools.count(1)


def entry(kind: str, content: Any, **fields: Any) -> dict[str, Any]:
    """One line; `message_id` names the API message, other fields replace those of the line."""
    number = next(_numbers)
    message = {"role": kind, "content": content}
    if kind == "assistant":
        message["id"] = fields.pop("message_id", f"msg_{number}")
    return {
        "parentUuid": None,
        "isSidechain": False,
        "cwd": "/home/ada/shop",
        "sessionId": "11111111-2222-3333-4444-555555555555",
        "type": kind,
        "message": message,
        "uuid": f"uuid-{number}",
        "timestamp": f"2026-03-01T10:{number // 60 % 60:02d}:{number % 60:02d}.000Z",
        **fields,
    }


def prompt(text: Any, **fields: Any) -> dict[str, Any]:
    return entry("user", text, **fields)


def call(call_id: str, name: str = "Read", given: Any = None, **fields: Any) -> dict[str, Any]:
    block = {"type": "tool_use", "id": call_id, "name": name, "input": given or {"file_path": "a.py"}}
    return entry("assistant", [block], **fields)


def result(
    call_id: str, content: Any = "text", is_error: bool | None = None, **fields: Any
) -> dict[str, Any]:
    block = {"tool_use_id": call_id, "type": "tool_result", "content": content}
    if is_error is not None:
        block["is_error"] = is_error
    return entry("user", [block], **fields)


def agent_progress(call_id: str) -> dict[str, Any]:
    """What the host notes of a sub-agent's call while it runs."""
    inner = {"type": "assistant", "message": call(call_id)["message"], "uuid": f"inner-{call_id}"}
    data = {"type": "agent_progress", "agentId": "a1", "message": inner, "normalizedMessages": []}
    return {**entry("progress", None), "message": None, "data": data}


def written(*lines: dict[str, Any] | str) -> bytes:
    texts = [line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines]
    return "".join(f"{text}\n" for text in texts).encode("utf-8", "surrogatepass")


def events(content: bytes) -> list[transcripts.Event]:
    return list(transcripts.read(io.BytesIO(content)))


def pairs_in(content: bytes) -> list[PostedPair]:
    return [event.pair for event in events(content) if isinstance(event, transcripts.PairSeen)]


def prompts_in(content: bytes) -> list[str]:
    return [event.text for event in events(content) if isinstance(event, transcripts.PromptSeen)]


def oddities_in(content: bytes) -> list[tuple[int, str]]:
    return [(event.line, event.text) for event in events(content) if isinstance(event, transcripts.Oddity)]
