"""The Mermaid source that a page draws: status as class, shape and mark, phases as rows."""

from __future__ import annotations

from pipelines.mermaid.encode import clean, encode
from pipelines.mermaid.graph import CanvasView, NodeView
from pipelines.mermaid.text import ROUND, cut

MARKS = {"done": "✓", "doing": "▸", "blocked": "✕", "paused": "⏸"}
ROW = 4
"""Nodes side by side."""


def write_drawing(view: CanvasView) -> str:
    """Return Mermaid source with exactly one drawn node for each node of `view`, coloured by the page's classes."""
    lines = ["flowchart TB"]
    for node in view.nodes:
        lines.append(f"    {_declare(node)}")
    for edge in view.edges:
        arrow = "-.->" if edge.dotted else "-->"
        word = f'|"{encode(edge.label)}"|' if edge.label else ""
        lines.append(f"    {edge.source} {arrow}{word} {edge.target}")
    lines += [f"    class {node.node_id} {node.status};" for node in view.nodes]
    return "\n".join(lines) + "\n"


def _declare(node: NodeView) -> str:
    left, right = ('(["', '"])') if node.act in ROUND else ('["', '"]')
    if node.folded:
        left, right = '[["', '"]]'
    lines = [f"{MARKS[node.status]} {cut(clean(node.label), 44)}", cut(clean(node.summary), 44)]
    return f"{node.node_id}{left}{'<br/>'.join(encode(line) for line in lines if line)}{right}"
