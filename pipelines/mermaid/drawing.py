"""The Mermaid source that a page draws: status as class, shape and mark, phases as rows."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import pairwise

from pipelines.mermaid.encode import clean, encode
from pipelines.mermaid.graph import CanvasView, EdgeView, NodeView
from pipelines.mermaid.rows import Row, rows
from pipelines.mermaid.text import cut

MARKS = {"done": "✓", "doing": "▸", "blocked": "✕", "paused": "‖"}
SHAPES = {"done": ('["', '"]'), "doing": ('(["', '"])'), "blocked": ('{{"', '"}}'), "paused": ('[/"', '"/]')}
FOLD = ('[["', '"]]')
HEAD, OBJECT, FINDING, TITLE = 26, 28, 28, 90
"""Characters in the first, second and third line of a node, and in the name of a row."""


def write_drawing(view: CanvasView) -> str:
    """Return Mermaid source that draws exactly the nodes of `view`.

    Colours are the page's: each node has the class of its status, and `fold` or `deadend` where these hold.
    Where the edges are one chain, phases become rows (`subgraph` with ids `row0`, `row1`, …), and the links
    between rows go from row to row: Mermaid turns a row upright as soon as one of its nodes links to the outside.
    """
    chain = [(source.node_id, target.node_id) for source, target in pairwise(view.nodes)]
    lines = ["flowchart TB"]
    known = {node.node_id for node in view.nodes}
    edges = [edge for edge in view.edges if edge.source in known and edge.target in known]
    if set(chain) <= {(edge.source, edge.target) for edge in edges}:
        lines += _rows(rows(view.nodes), edges)
    else:
        lines += [f"    {_declare(node)}" for node in view.nodes]
        lines += [f"    {_link(edge.source, edge.target, edge)}" for edge in edges]
    for node in view.nodes:
        names = [node.status] + ["fold"] * bool(node.folded) + ["deadend"] * node.dead_end
        lines += [f"    class {node.node_id} {name};" for name in names]
    return "\n".join(lines) + "\n"


def _rows(found: Sequence[Row], edges: Sequence[EdgeView]) -> list[str]:
    home = {node.node_id: number for number, row in enumerate(found) for node in row.nodes}
    inside: dict[int, list[str]] = {number: [] for number in range(len(found))}
    between = []
    for edge in edges:
        upper, lower = home[edge.source], home[edge.target]
        if upper == lower:
            inside[upper].append(f"        {_link(edge.source, edge.target, edge)}")
        else:
            between.append(f"    {_link(f'row{upper}', f'row{lower}', edge)}")
    lines = []
    for number, row in enumerate(found):
        lines += [
            f'    subgraph row{number}["{encode(_narrow(clean(row.title), TITLE))}"]',
            "        direction LR",
        ]
        lines += [f"        {_declare(node)}" for node in row.nodes]
        lines += [*inside[number], "    end"]
    return lines + between


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


def _link(source: str, target: str, edge: EdgeView) -> str:
    arrow = "-.->" if edge.dotted else "-->"
    word = f'|"{encode(edge.label)}"|' if edge.label else ""
    return f"{source} {arrow}{word} {target}"
