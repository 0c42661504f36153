"""Nodes side by side, phase by phase, so that a drawing uses the width and reads like text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from pipelines.mermaid.graph import NodeView

EARLIER = "earlier work, folded"
WIDE = 4
"""Nodes in a row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row of the drawing, under the name of the phase it belongs to."""

    title: str
    nodes: tuple[NodeView, ...]


def rows(nodes: Sequence[NodeView]) -> tuple[Row, ...]:
    """Return the nodes in reading order: long phases over several rows, short neighbours in one."""
    found: list[Row] = []
    for (earlier, number), group in groupby(nodes, key=_phase):
        phase = tuple(group)
        if earlier:
            found += [
                Row(title="" if place else EARLIER, nodes=part) for place, part in enumerate(_parts(phase))
            ]
            continue
        if found and number and len(found[-1].nodes) + len(phase) <= WIDE and not _stands_alone(found[-1]):
            found[-1] = Row(title=_both(found[-1].title, phase[0].phase), nodes=found[-1].nodes + phase)
            continue
        for place, part in enumerate(_parts(phase)):
            found.append(Row(title="" if place else phase[0].phase, nodes=part))
    return tuple(found)


def _phase(node: NodeView) -> tuple[bool, int]:
    earlier = node.act == "earlier"
    return earlier, 0 if earlier else node.phase_number


def _parts(phase: tuple[NodeView, ...]) -> list[tuple[NodeView, ...]]:
    """Cut a phase into rows whose lengths differ by one at most."""
    count = -(-len(phase) // WIDE)
    edges = [len(phase) * number // count for number in range(count + 1)]
    return [phase[start:end] for start, end in pairwise(edges)]


def _stands_alone(row: Row) -> bool:
    return any(node.act == "earlier" for node in row.nodes)


def _both(first: str, second: str) -> str:
    return " · ".join(dict.fromkeys(title for title in (first, second) if title))
