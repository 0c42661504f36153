"""Lone surrogates in messages: the SDK's JSON reader and writer refuse them, but a text may have them.

JavaScript cuts texts in the middle of a character, and writes the half that is left as `\\ud83d`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

_WRITTEN = re.compile(rb"\\u[dD][89a-fA-F]")
_LONE = re.compile("[\ud800-\udfff]")
_PACKED = "arguments as JSON text"


def pack(message: bytes) -> bytes:
    """Return a JSON message that the SDK can read: where a tool's arguments hold lone surrogates they are one
    text of ASCII JSON, which `unpack` reads back. Elsewhere, where only names stand, they are replaced."""
    if not _WRITTEN.search(message):
        return message
    try:
        value = json.loads(message)
    except (ValueError, RecursionError):
        return message
    if not _LONE.search(json.dumps(value, ensure_ascii=False)):
        return message  # only whole characters, each written as its two halves
    params = value.get("params") if isinstance(value, dict) else None
    if isinstance(params, dict) and isinstance(params.get("arguments"), dict):
        params["arguments"] = {_PACKED: json.dumps(params["arguments"])}
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")


def unpack(arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the arguments as the client sent them."""
    packed = arguments.get(_PACKED)
    if len(arguments) != 1 or not isinstance(packed, str):
        return arguments
    try:
        value = json.loads(packed)
    except (ValueError, RecursionError):
        return arguments
    return value if isinstance(value, dict) else arguments


def escape(text: str) -> str:
    """Write each lone surrogate as `\\ud83d`; inside a JSON text that is what it means."""
    return _LONE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
