"""What was decided for a session, so that it is done again exactly so when the host sends its raw list again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from pipelines import rawjson


def chain(keys: Iterable[str]) -> str:
    """Return what a run of messages is known by."""
    return rawjson.digest(list(keys))


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
    """Keys of the messages that were sent the last time,"""
    received: list[str] = field(default_factory=list)
    """and of those that came in."""

    def to_json(self) -> dict[str, Any]:
        """Return the decisions as JSON."""
        head = self.head
        return {
            "results": self.results,
            "inputs": self.inputs,
            "same": self.same,
            "told": self.told,
            "sent": self.sent,
            "received": self.received,
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
    def from_json(cls, value: dict[str, Any]) -> Memory:
        """Read what `to_json` wrote."""
        head = value.get("head")
        return cls(
            results=dict(value.get("results", {})),
            inputs=dict(value.get("inputs", {})),
            head=Head(**head) if head else None,
            same=dict(value.get("same", {})),
            told=list(value.get("told", [])),
            sent=list(value.get("sent", [])),
            received=list(value.get("received", [])),
        )
