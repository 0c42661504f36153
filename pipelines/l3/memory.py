"""What was decided for a session, so that it is done again exactly so when the host sends its raw list again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pipelines import digests
from pipelines.messages.fields import json_text
from pipelines.messages.view import PartKind, View

SPARE = 500_000
"""Characters of what stands for results that are not in the list now, and as many for inputs."""
_TRAIL = 16
"""Digits of a key that are kept to know a message again: two of a session's lists agree in them by no chance."""
_REPLACED = (PartKind.RESULT, PartKind.CALL)


def chain(keys: Iterable[str]) -> str:
    """Return what a run of messages is known by."""
    return digests.of_fields(*keys)


@dataclass(slots=True, kw_only=True)
class Head:
    """The beginning of a list, as it is sent since exchanges were taken out of it."""

    count: int
    """Messages of the raw list that it stands for."""
    raw_chain: str
    """Of those messages."""
    sent: list[dict[str, Any]]
    """The messages that are sent for them."""
    sent_chain: str
    """Of the messages sent, for a host that keeps what it was given."""


@dataclass(slots=True, kw_only=True)
class Memory:
    """The decisions of one session."""

    results: dict[str, str] = field(default_factory=dict)
    """By part key, the text that stands for a result."""
    inputs: dict[str, Any] = field(default_factory=dict)
    """By part key, the input that stands for a call's."""
    same: dict[str, str] = field(default_factory=dict)
    """By part key, the text that stands for a result that comes again further down."""
    head: Head | None = None
    told: list[str] = field(default_factory=list)
    """Keys of the messages in which we said what was taken out."""
    sent: list[str] = field(default_factory=list)
    """Keys of the messages that were sent the last time, or how they begin,"""
    received: list[str] = field(default_factory=list)
    """and of those that came in."""

    def let_go(self, received: Sequence[View], sent: Sequence[View]) -> None:
        """Drop the oldest decisions about parts that neither list has, raw or replaced.

        A host may send another list in between and then its raw one again: so many are kept as take SPARE characters.
        """
        keys = {part.key for view in received for part in view.parts if part.kind in _REPLACED}
        texts = {part.text for view in sent for part in view.parts if part.kind in _REPLACED}
        for decided in (self.results, self.inputs, self.same):
            spare = SPARE
            for key, value in reversed(list(decided.items())):
                text = value if isinstance(value, str) else json_text(value)
                if key not in keys and text not in texts:
                    spare -= len(text)
                    if spare < 0:
                        del decided[key]

    def trails(self) -> bytes:
        """Return what was sent and received, eight bytes for each message."""
        packed = [
            b"".join(bytes.fromhex(key[:_TRAIL]) for key in keys) for keys in (self.sent, self.received)
        ]
        return len(self.sent).to_bytes(4, "big") + b"".join(packed)

    def to_json(self) -> dict[str, Any]:
        """Return the decisions as JSON; the order of keys counts. `trails` are apart: they change with every list."""
        head = self.head
        return {
            "results": self.results,
            "inputs": self.inputs,
            "same": self.same,
            "told": self.told,
            "head": None
            if head is None
            else {
                "count": head.count,
                "raw_chain": head.raw_chain,
                "sent": head.sent,
                "sent_chain": head.sent_chain,
            },
        }

    @classmethod
    def from_json(cls, value: dict[str, Any], trails: bytes = b"") -> Memory:
        """Read what `to_json` and `trails` gave."""
        head = value.get("head")
        keys = [trails[at : at + _TRAIL // 2].hex() for at in range(4, len(trails), _TRAIL // 2)]
        sent = int.from_bytes(trails[:4], "big")
        return cls(
            results=dict(value.get("results", {})),
            inputs=dict(value.get("inputs", {})),
            head=Head(**head) if head else None,
            same=dict(value.get("same", {})),
            told=list(value.get("told", [])),
            sent=keys[:sent],
            received=keys[sent:],
        )
