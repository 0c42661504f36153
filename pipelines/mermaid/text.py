"""The `.mmd` text of a canvas: what a model reads and what is exported."""

from __future__ import annotations

from collections.abc import Iterable

from pipelines.mermaid.encode import clean, encode, readable
from pipelines.mermaid.graph import CanvasView, EdgeView, NodeView
from pipelines.mermaid.header import write_header

MAX_CHARS = 4000
ROUND = frozenset({"test", "verify"})
"""Acts whose nodes are drawn with round ends."""
_WIDTHS = (
    (64, 140, 140),
    (64, 110, 80),
    (60, 90, 56),
    (56, 72, 44),
    (48, 48, 36),
    (40, 32, 24),
    (32, 0, 0),
    (16, 0, 0),
)
"""Widths of label, summary, and summary of the older half, from generous to tight."""
TIGHT = 4
"""Index of the widths a canvas is folded to fit."""


def write_text(view: CanvasView, *, max_chars: int = MAX_CHARS) -> str:
    """Return the canvas as Mermaid: a comment line of JSON, `flowchart TD`, nodes, edges.

    The text has at most `max_chars` characters as long as the nodes fit at all; summaries are shortened,
    those of the older half first, before anything else gives way.
    """
    for level in range(len(_WIDTHS)):
        text = _write(view, level)
        if len(text) <= max_chars:
            return text
    return text


def cut(text: str, width: int) -> str:
    """Return `text` in at most `width` characters, ending in an ellipsis when something is left out."""
    if len(text) <= width:
        return text
    return text[: max(0, width - 1)].rstrip() + "…" if width else ""


def node_line(node: NodeView, *, label_width: int, summary_width: int) -> str:
    """Return the line that declares a node."""
    parts = [_fit(node.label, label_width), f"status: {node.status}"]
    if summary := _fit(node.summary, summary_width):
        parts.append(f"summary: {summary}")
    left, right = ('(["', '"])') if node.act in ROUND else ('["', '"]')
    return f"    {node.node_id}{left}{'<br/>'.join(parts)}{right}"


def edge_line(edge: EdgeView) -> str:
    """Return the line that declares an edge."""
    arrow = "-.->" if edge.dotted else "-->"
    word = f"|{encode(edge.label)}|" if edge.label else ""
    return f"    {edge.source} {arrow}{word} {edge.target}"


def tight_size(node: NodeView, *, edges: int = 1) -> int:
    """Return the characters a node and its edges take at the tight widths, line breaks included."""
    label_width, summary_width, _ = _WIDTHS[TIGHT]
    line = node_line(node, label_width=label_width, summary_width=summary_width)
    edge = len("    ") + 2 * (len(node.node_id) + 1) + len(" -.->|dead end| \n")
    return len(line) + 1 + edges * edge


def _write(view: CanvasView, level: int) -> str:
    label_width, summary_width, old_width = _WIDTHS[level]
    goal = cut(clean(view.goal), max(24, 200 - 24 * level))
    header = write_header(goal=goal, progress=view.progress, created=view.created, updated=view.updated)
    recent = len(view.nodes) // 2
    lines = [header, "flowchart TD"]
    lines += [
        node_line(
            node, label_width=label_width, summary_width=summary_width if place >= recent else old_width
        )
        for place, node in enumerate(view.nodes)
    ]
    lines += map(edge_line, view.edges)
    return _joined(lines)


def _joined(lines: Iterable[str]) -> str:
    return "\n".join(lines) + "\n"


def _fit(text: str, width: int) -> str:
    """Cut so that the encoded text stays within `width`: entities count in full."""
    text = cut(clean(text), width)
    while len(shown := readable(text).strip()) > width and text:
        text = cut(text, max(0, min(len(text) - 1, len(text) * width // len(shown))))
    return shown if text else ""
