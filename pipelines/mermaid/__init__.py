"""The Mermaid text of a canvas: the terse form a model reads, and the form a page draws."""

from __future__ import annotations

from pipelines.mermaid.drawing import write_drawing
from pipelines.mermaid.encode import encode
from pipelines.mermaid.graph import CanvasView, EdgeView, NodeView
from pipelines.mermaid.header import Header, read_header
from pipelines.mermaid.text import write_text

__all__ = [
    "CanvasView",
    "EdgeView",
    "Header",
    "NodeView",
    "encode",
    "read_header",
    "write_drawing",
    "write_text",
]
