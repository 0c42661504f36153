"""The Mermaid source that a page draws: status as class, shape and mark."""

from __future__ import annotations

import unicodedata

from pipelines.mermaid.encode import clean, encode
from pipelines.mermaid.graph import CanvasView, EdgeView, NodeView
from pipelines.mermaid.text import cut

MARKS = {"done": "✓", "doing": "▸", "blocked": "✕", "paused": "‖"}
SHAPES = {"done": ('["', '"]'), "doing": ('(["', '"])'), "blocked": ('{{"', '"}}'), "paused": ('("', '")')}
FOLD = ('[["', '"]]')
HEAD, OBJECT, FINDING = 34, 34, 48
"""Characters in the first, second and third line of a node; a page may have room for fewer."""


def write_drawing(view: CanvasView) -> str:
    """Return Mermaid source that draws exactly the nodes of `view` and the edges between them.

    Colours are the page's: each node has the class of its status, and `fold` or `deadend` where these hold.
    There are no subgraphs: an arrow in or out of one would have to end at its frame, for Mermaid turns a subgraph
    upright as soon as one of its nodes links to the outside. The page puts the nodes side by side.
    """
    known = {node.node_id for node in view.nodes}
    edges = [edge for edge in view.edges if edge.source in known and edge.target in known]
    lines = ["flowchart TB"]
    lines += [f"    {_declare(node)}" for node in view.nodes]
    lines += [f"    {_link(edge)}" for edge in edges]
    for node in view.nodes:
        names = [node.status] + ["fold"] * bool(node.folded) + ["deadend"] * node.dead_end
        lines += [f"    class {node.node_id} {name};" for name in names]
    return "\n".join(lines) + "\n"


def _declare(node: NodeView) -> str:
    left, right = FOLD if node.folded else SHAPES[node.status]
    verb, _, subject = clean(node.label).partition(": ")
    finding = node.finding or node.counts or node.summary
    counts = node.counts if node.finding else ""
    head = " · ".join(part for part in (f"{MARKS[node.status]} {verb}", clean(counts)) if part)
    lines = [_narrow(head, HEAD), _middle_cut(subject, OBJECT), _narrow(clean(finding), FINDING)]
    return f"{node.node_id}{left}{'<br/>'.join(encode(line) for line in lines if line)}{right}"


def _middle_cut(text: str, width: int) -> str:
    """Cut one long name in its middle, since names differ at their ends; other text at its end."""
    first, space, rest = text.partition(" ")
    if not text.isascii() or len(text) <= width or len(first) <= width - 8:
        return _narrow(text, width)
    room = width - (len(rest) + 1 if space and len(rest) < width // 2 else 0)
    tail = room // 2
    return f"{first[: room - tail - 1]}…{first[-tail:]}" + (f" {rest}" if room < width else "")


def _narrow(text: str, width: int) -> str:
    """Cut `text` at its end to the room of `width` Latin characters; CJK and emoji take two."""
    taken = 0
    for place, char in enumerate(text):
        taken += 2 if unicodedata.east_asian_width(char) in "WF" else 1
        if taken > width:
            return cut(text, place)
    return text


def _link(edge: EdgeView) -> str:
    arrow = "-.->" if edge.dotted else "-->"
    word = f'|"{encode(edge.label)}"|' if edge.label else ""
    return f"{edge.source} {arrow}{word} {edge.target}"
