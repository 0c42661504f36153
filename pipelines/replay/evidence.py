"""What a turn uses of what was read before: strings that can be looked for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipelines.messages.fields import json_text
from pipelines.messages.view import Raw

SHORTEST, LONGEST = 6, 120
"""Characters of a string that counts."""
FAR = 20
"""A source more than so many messages back is far."""
_WORD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./:\-]{4,}[A-Za-z0-9_]")
_TELLING = re.compile(r"[\d/_.]|[a-z][A-Z]")


def evidence(text: str) -> frozenset[str]:
    """Return the identifiers, paths and numbers of a text: those with a digit, `/`, `_`, `.` or an inner capital."""
    return frozenset(
        word.strip(".:-/")
        for word in _WORD.findall(text)
        if SHORTEST <= len(word) <= LONGEST and _TELLING.search(word)
    )


def block_text(block: Raw) -> str:
    """Return what a model reads of a block of `recordings.plain`, or of what a policy made of one."""
    match block["type"]:
        case "tool_use":
            return f"{block['name']}\n{json_text(block['input'])}"
        case "tool_result":
            content = block["content"]
            return content if isinstance(content, str) else "\n".join(one.get("text", "") for one in content)
    return str(block.get("text", ""))


def message_text(raw: Raw) -> str:
    """Return what a model reads of a message, its role first."""
    content = raw["content"]
    texts = [content] if isinstance(content, str) else map(block_text, content)
    return "\n".join([raw["role"], *texts])


def used(messages: Sequence[Raw]) -> dict[int, list[tuple[str, int]]]:
    """Return for each message of the model the strings in it that an earlier tool result was the first to show, each
    with the number of that result's message."""
    first: dict[str, tuple[bool, int]] = {}
    found: dict[int, list[tuple[str, int]]] = {}
    for at, raw in enumerate(messages):
        if raw["role"] == "assistant":
            said = evidence("\n".join(map(block_text, raw["content"])))
            found[at] = [(one, first[one][1]) for one in said if one in first and first[one][0]]
        for block in raw["content"]:
            for one in evidence(block_text(block)):
                first.setdefault(one, (block["type"] == "tool_result", at))
    return found
