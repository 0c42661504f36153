"""The working memory of the canvas fold, frozen between steps and open while steps are folded in."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any

from pipelines.l2.node import Node


@dataclass(frozen=True, slots=True, kw_only=True)
class CanvasState:
    """All that the fold of one canvas remembers."""

    number: int
    label: str
    goal: str
    created: datetime
    updated: datetime
    paused: bool = False
    nodes: tuple[Node, ...] = ()
    """The drawn nodes, oldest first."""
    folds: tuple[int, ...] = ()
    """Flat triples of fold number, first and last own node, in order of fold number."""
    phases: tuple[tuple[int, str, bool], ...] = ()
    """Number, title and whether the title is the agent's own plan, of the phases that drawn nodes belong to and
    of the present one, which is last."""
    next_k: int = 1
    last_seq: int = 0
    stretch: int = 0
    """Runs, deliveries and sub-agents begin a new stretch; nodes take in calls of their own stretch only."""
    plan_done: int = 0
    plan_total: int = 0
    plan_active: str = ""
    open_checks: tuple[tuple[str, int], ...] = ()
    """Checks whose last run failed, with the own node of that run; the newest 16."""
    failing: str = ""
    """The failing check that the present work tries to mend."""
    attempts: tuple[int, ...] = ()
    """Own nodes of the failed runs since the mending began; the newest three."""
    since_failed: int = 0
    """Calls since the last failed run."""
    ever_changed: bool = False
    unproven: bool = False
    """Something was changed after the last passing check or delivery."""
    delivered: bool = False
    seen: tuple[str, ...] = ()
    """Names met lately, the newest last; at most 48."""

    def to_json(self) -> dict[str, Any]:
        """Return a JSON-ready dict; `from_json` reads it back to an equal state."""
        data: dict[str, Any] = {name: getattr(self, name) for name in _PLAIN}
        data["created"] = self.created.isoformat()
        data["updated"] = self.updated.isoformat()
        data["nodes"] = [node.to_json() for node in self.nodes]
        return data

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> CanvasState:
        """Read what `to_json` wrote, also after a trip through JSON text."""
        values = {name: data[name] for name in _PLAIN}
        for name in ("folds", "attempts", "seen"):
            values[name] = tuple(values[name])
        for name in ("phases", "open_checks"):
            values[name] = tuple(tuple(pair) for pair in values[name])
        return cls(
            **values,
            created=datetime.fromisoformat(data["created"]),
            updated=datetime.fromisoformat(data["updated"]),
            nodes=tuple(map(Node.from_json, data["nodes"])),
        )


_PLAIN = tuple(item.name for item in fields(CanvasState) if item.name not in ("created", "updated", "nodes"))


@dataclass(slots=True, kw_only=True)
class Draft:
    """A state that is being changed; field for field as `CanvasState`."""

    number: int
    label: str
    goal: str
    created: datetime
    updated: datetime
    paused: bool
    nodes: list[Node] = field(default_factory=list)
    folds: list[int] = field(default_factory=list)
    phases: list[tuple[int, str, bool]] = field(default_factory=list)
    next_k: int
    last_seq: int
    stretch: int
    plan_done: int
    plan_total: int
    plan_active: str
    open_checks: dict[str, int] = field(default_factory=dict)
    failing: str
    attempts: list[int] = field(default_factory=list)
    since_failed: int
    ever_changed: bool
    unproven: bool
    delivered: bool
    seen: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, state: CanvasState) -> Draft:
        """Open a state."""
        values = {item.name: getattr(state, item.name) for item in fields(CanvasState)}
        for name in ("nodes", "folds", "phases", "attempts", "seen"):
            values[name] = list(values[name])
        values["open_checks"] = dict(values["open_checks"])
        return cls(**values)

    def freeze(self) -> CanvasState:
        """Close it again."""
        values = {item.name: getattr(self, item.name) for item in fields(CanvasState)}
        for name in ("nodes", "folds", "phases", "attempts", "seen"):
            values[name] = tuple(values[name])
        values["open_checks"] = tuple(self.open_checks.items())
        return CanvasState(**values)

    @property
    def phase(self) -> int:
        """The number of the present phase."""
        return self.phases[-1][0] if self.phases else 0

    @property
    def tail(self) -> Node | None:
        """The newest node."""
        return self.nodes[-1] if self.nodes else None

    def index(self, k: int) -> int:
        """Return the place of own node `k` among the drawn nodes, or -1 when it was folded away."""
        for place in range(len(self.nodes) - 1, -1, -1):
            if self.nodes[place].k == k:
                return place
        return -1
