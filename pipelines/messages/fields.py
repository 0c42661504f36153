"""Fields of messages read with care: ids that are null, arguments that are no JSON, JSON too deep to write."""

from __future__ import annotations

import json
from typing import Any

from pipelines import rawjson
from pipelines.content import media_of, text_of
from pipelines.messages.view import Raw


def string(value: Any) -> str:
    """Return a string as it is, and an empty one for anything else."""
    return value if isinstance(value, str) else ""


def json_text(value: Any) -> str:
    """Write a JSON value as a model reads it; nothing for what is nested too deeply."""
    try:
        return json.dumps(value, ensure_ascii=False)
    except (RecursionError, TypeError, ValueError):
        return ""


def parsed(value: Any) -> Any:
    """Read arguments written as JSON; a text that is no JSON, and a value that is no text, come back as they are."""
    if not isinstance(value, str):
        return value
    try:
        return rawjson.parse(value)
    except ValueError:
        return value


def as_written(value: Any) -> str:
    """Return the text of arguments: a string as it is, another value as JSON."""
    return value if isinstance(value, str) else json_text(value)


def like(before: Any, value: Any) -> Any:
    """Return a JSON value the way arguments were written before: as JSON text, or as the value itself."""
    return value if isinstance(before, dict) else json_text(value)


def result_text(content: Any) -> str:
    """Flatten what a result holds; no content, and a list of none, are an empty text."""
    return "" if content is None or content == [] else text_of(content)


def result_media(content: Any) -> int:
    """Count the images and other media that a result holds beside text."""
    return 0 if isinstance(content, str) else len(media_of(content))


def are_blocks(content: Any) -> bool:
    """Say whether content is a list of typed blocks."""
    return _types(content) is not None


def are_blocks_but(content: Any, others: frozenset[str]) -> bool:
    """Say whether content is a list of typed blocks, none of them of these types."""
    types = _types(content)
    return types is not None and others.isdisjoint(types)


def types_of(raw: Raw) -> set[str]:
    """Return the types of a message's content blocks; none when the content is no list of blocks."""
    return _types(raw.get("content")) or set()


def _types(content: Any) -> set[str] | None:
    if not isinstance(content, list):
        return None
    types = set()
    for block in content:
        kind = block.get("type") if isinstance(block, dict) else None
        if not isinstance(kind, str):
            return None
        types.add(kind)
    return types


def with_block(raw: Raw, place: int, **fields: Any) -> Raw:
    """Return the message with fields of one content block replaced."""
    content = list(raw["content"])
    content[place] = {**content[place], **fields}
    return {**raw, "content": content}


def is_blank(block: dict[str, Any]) -> bool:
    """Say whether a block is a text without a visible character."""
    return (
        block.get("type") in ("text", "input_text", "output_text") and not string(block.get("text")).strip()
    )
