"""One drawn node with what its label and summary are made from."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """An own node, or a fold of neighbours."""

    k: int
    lo: int
    """The first own node it stands for; `k` itself for an own node."""
    hi: int
    act: str
    fold: str = ""
    """Empty for an own node; `attempts` for failed tries at one thing, `chapter` for an older stretch."""
    status: str = "done"
    """done or blocked; doing and paused are shown, never stored."""
    calls: int = 0
    first_seq: int = 0
    last_seq: int = 0
    updated: datetime
    phase: int = 0
    stretch: int = 0
    objects: tuple[tuple[str, int], ...] = ()
    """What its calls were about, with the number of calls; the most frequent ones."""
    more_objects: int = 0
    """Objects that were let go."""
    check: str = ""
    call: str = ""
    """Its most telling call, one line."""
    finding: str = ""
    """The most telling result, one line."""
    weight: int = -1
    """How telling that result is."""
    error: str = ""
    edits: int = 0
    runs: int = 0
    """Runs of tests, builds and other programs."""
    declined: int = 0
    said: str = ""
    """What the person said when they last declined a call."""
    added: int = 0
    """Lines added by edits, where the calls tell; `removed` likewise."""
    removed: int = 0
    asides: int = 0
    """Calls that only went along: to-do lists, looks in between."""
    failures: int = 0
    passed: int | None = None
    failed: int | None = None
    deps: bool = False
    """Dependency work."""
    turning: bool = False
    """It changed what is known and takes in no further runs."""
    given_up: bool = False
    back_to: int = 0
    """The own node that the work went back to."""
    steps: int = 1
    """Own nodes inside."""
    dead_ends: int = 0
    """Dead ends inside a fold."""
    topic: str = ""
    """What a chapter was about."""

    def to_json(self) -> dict[str, Any]:
        """Return a JSON-ready dict without the fields that have their default."""
        data = {name: value for name, default in _DEFAULTS if (value := getattr(self, name)) != default}
        data["updated"] = self.updated.isoformat()
        return data

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Node:
        """Read what `to_json` wrote."""
        values = dict(data)
        values["updated"] = datetime.fromisoformat(values["updated"])
        values["objects"] = tuple((str(text), int(count)) for text, count in values.get("objects", ()))
        return cls(**values)


_DEFAULTS = tuple((item.name, item.default) for item in fields(Node))
