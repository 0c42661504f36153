"""Canvas views written by hand."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

from pipelines.mermaid import CanvasView, EdgeView, NodeView

MOMENT = datetime(2026, 1, 19, 14, 2, 11, tzinfo=UTC)


def node(k: int, **fields: Any) -> NodeView:
    values: dict[str, Any] = {
        "node_id": f"001-N{k}",
        "act": "explore",
        "label": f"explore: file{k}.go",
        "status": "done",
        "summary": f"defines f{k}",
        "calls": 1,
        "first_seq": k,
        "last_seq": k,
        "updated": MOMENT,
    }
    return NodeView(**{**values, **fields})


def canvas(*nodes: NodeView, edges: tuple[EdgeView, ...] | None = None, **fields: Any) -> CanvasView:
    chain = tuple(EdgeView(source=a.node_id, target=b.node_id) for a, b in pairwise(nodes))
    values: dict[str, Any] = {
        "filename": "001-task.mmd",
        "number": 1,
        "label": "task",
        "goal": "Test the prompt",
        "status": "doing",
        "progress": 50,
        "created": MOMENT,
        "updated": MOMENT,
    }
    return CanvasView(nodes=nodes, edges=chain if edges is None else edges, **{**values, **fields})
