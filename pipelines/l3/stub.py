"""What stands in a message list for a result or an input that was taken out of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

RESULT = "[Offloaded Tool Result | node: "
INPUT = "[Offloaded Tool Input | "
_STUB = re.compile(r"\[Offloaded Tool (?:Result|Input) \| ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ref:
    """Where the exact bytes are, and what was read in them."""

    ref_id: str
    node_id: str | None = None
    summary: str = ""
    tokens: int = 0
    score: int = 5


def is_stub(text: str) -> bool:
    """Say whether a text stands for something that was taken out."""
    return _STUB.match(text) is not None


def result_stub(ref: Ref, strings: Sequence[str]) -> str:
    """Return the text for a result: the node it is on, its summary with the strings kept, and its ref id."""
    summary = " ".join([ref.summary, *([f"| {' '.join(strings)}"] if strings else [])]).strip()
    node = ref.node_id or "N/A"
    return f"{RESULT}{node}]\nSummary: {summary}\nresult_ref: {ref.ref_id} ({ref.tokens} tokens)"


def repeated(call_id: str) -> str:
    """Return the text for a result that is, to the character, the one of a later call in the list."""
    return f"{RESULT}N/A]\nSummary: the very text of the result of {call_id}, further down"


def input_stub(text: str, tokens: int, strings: Sequence[str], *, ref_id: str, head: int = 80) -> str:
    """Return the text for a long value of a call's input: how it begins, the strings kept, and its ref id."""
    begins = " ".join(text[: 4 * head].split())[:head]
    kept = f" | {' '.join(strings)}" if strings else ""
    return f"{INPUT}{tokens} tokens, result_ref: {ref_id}] {begins}{kept}"
