"""L2 without a model: fold summarised steps into a canvas of few nodes that tell what was tried and found."""

from __future__ import annotations

from pipelines.l2.advance import advance, new_state, pause, resume
from pipelines.l2.folds import drawn_node, members
from pipelines.l2.state import CanvasState
from pipelines.l2.view import node_id, view
from pipelines.mermaid.graph import CanvasView, EdgeView, NodeView

__all__ = [
    "CanvasState",
    "CanvasView",
    "EdgeView",
    "NodeView",
    "advance",
    "drawn_node",
    "members",
    "new_state",
    "node_id",
    "pause",
    "resume",
    "view",
]
