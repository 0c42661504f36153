"""The nodes and edges of one canvas revision, as text, pages and stored revisions share them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeView:
    """One drawn node."""

    node_id: str
    """`NNN-Nk`."""
    act: str
    """explore, change, fix, test, verify, run, deliver, plan, delegate or ask; `earlier` for a folded stretch."""
    label: str
    """`verb: object`."""
    status: str
    """done, doing, blocked or paused."""
    summary: str
    """What was found, then how much was done, one line."""
    calls: int
    """Tool calls in the node, those of folded nodes included."""
    first_seq: int
    last_seq: int
    updated: datetime
    """The time of the newest call in the node."""
    folded: int = 0
    """How many own nodes this node has taken in; 0 for a node of its own."""
    dead_end: bool = False
    """The approach was given up or never worked."""
    phase: str = ""
    """What the agent's plan or the person's prompt called this stretch of work; may be empty."""
    phase_number: int = 0
    """Nodes of equal number were made in one stretch of work."""
    finding: str = ""
    """What was found, alone; may be empty."""
    counts: str = ""
    """How much was done, alone: `3 edits, 1 declined by the user`; may be empty."""

    def to_json(self) -> dict[str, Any]:
        """Return a JSON-ready dict; the time in ISO form."""
        return {
            "node_id": self.node_id,
            "act": self.act,
            "label": self.label,
            "status": self.status,
            "summary": self.summary,
            "calls": self.calls,
            "first_seq": self.first_seq,
            "last_seq": self.last_seq,
            "updated": self.updated.isoformat(),
            "folded": self.folded,
            "dead_end": self.dead_end,
            "phase": self.phase,
            "phase_number": self.phase_number,
            "finding": self.finding,
            "counts": self.counts,
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> NodeView:
        """Read what `to_json` wrote."""
        return cls(**{**data, "updated": datetime.fromisoformat(data["updated"])})


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeView:
    """One drawn edge between two node ids."""

    source: str
    target: str
    label: str = ""
    """Empty, or a word or two: failed, dead end, back to."""
    dotted: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return a JSON-ready dict."""
        return {"source": self.source, "target": self.target, "label": self.label, "dotted": self.dotted}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> EdgeView:
        """Read what `to_json` wrote."""
        return cls(**data)


@dataclass(frozen=True, slots=True, kw_only=True)
class CanvasView:
    """One revision of a canvas."""

    filename: str
    """`NNN-label.mmd`."""
    number: int
    label: str
    goal: str
    status: str
    """done, doing, blocked or paused."""
    progress: int
    """0 to 100."""
    created: datetime
    updated: datetime
    nodes: tuple[NodeView, ...]
    edges: tuple[EdgeView, ...]

    def to_json(self) -> dict[str, Any]:
        """Return a JSON-ready dict; times in ISO form."""
        return {
            "filename": self.filename,
            "number": self.number,
            "label": self.label,
            "goal": self.goal,
            "status": self.status,
            "progress": self.progress,
            "created": self.created.isoformat(),
            "updated": self.updated.isoformat(),
            "nodes": [node.to_json() for node in self.nodes],
            "edges": [edge.to_json() for edge in self.edges],
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> CanvasView:
        """Read what `to_json` wrote."""
        return cls(
            **{
                **data,
                "created": datetime.fromisoformat(data["created"]),
                "updated": datetime.fromisoformat(data["updated"]),
                "nodes": tuple(NodeView.from_json(node) for node in data["nodes"]),
                "edges": tuple(EdgeView.from_json(edge) for edge in data["edges"]),
            }
        )
