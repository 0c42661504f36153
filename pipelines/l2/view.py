"""The nodes and edges of a canvas as they are shown."""

from __future__ import annotations

from itertools import pairwise

from pipelines.l2.node import Node
from pipelines.l2.progress import progress
from pipelines.l2.state import CanvasState
from pipelines.l2.words import counts, finding, label, summary
from pipelines.mermaid.graph import CanvasView, EdgeView, NodeView


def node_id(number: int, k: int) -> str:
    """Return `NNN-Nk`; both numbers may be of any width."""
    return f"{number:03d}-N{k}"


def view(state: CanvasState) -> CanvasView:
    """Return the canvas as it stands; a pure function of the state."""
    percent = progress(state)
    return CanvasView(
        filename=f"{state.number:03d}-{state.label}.mmd",
        number=state.number,
        label=state.label,
        goal=state.goal,
        status=_status(state, percent),
        progress=percent,
        created=state.created,
        updated=state.updated,
        nodes=tuple(
            node_view(state.number, node, status=shown, title=title)
            for node, shown, title in _shown(state, percent)
        ),
        edges=_edges(state),
    )


def node_view(number: int, node: Node, *, status: str, title: str) -> NodeView:
    """Return one node as it is shown."""
    return NodeView(
        node_id=node_id(number, node.k),
        act=node.act,
        label=label(node),
        status=status,
        summary=summary(node),
        finding=finding(node),
        counts=counts(node),
        calls=node.calls,
        first_seq=node.first_seq,
        last_seq=node.last_seq,
        updated=node.updated,
        folded=node.steps if node.fold else 0,
        dead_end=node.given_up,
        phase=title,
        phase_number=node.phase,
    )


def _shown(state: CanvasState, percent: int) -> list[tuple[Node, str, str]]:
    titles = {number: title for number, title, _ in state.phases}
    shown = [(node, node.status, titles.get(node.phase, "")) for node in state.nodes]
    if shown and shown[-1][1] == "done" and percent < 100:
        node, _, title = shown[-1]
        shown[-1] = (node, "paused" if state.paused else "doing", title)
    return shown


def _status(state: CanvasState, percent: int) -> str:
    if percent == 100:
        return "done"
    if state.paused:
        return "paused"
    return "blocked" if state.nodes and state.nodes[-1].status == "blocked" else "doing"


def _edges(state: CanvasState) -> tuple[EdgeView, ...]:
    edges = []
    for source, target in pairwise(state.nodes):
        word, dotted = _word(source, target)
        edges.append(_edge(state, source, target, word, dotted=dotted))
    for node in state.nodes:
        goal = next((other for other in state.nodes if other.lo <= node.back_to <= other.hi), None)
        if goal and goal is not node:
            edges.append(_edge(state, node, goal, "back to", dotted=True))
    return tuple(edges)


def _edge(state: CanvasState, source: Node, target: Node, word: str, *, dotted: bool) -> EdgeView:
    return EdgeView(
        source=node_id(state.number, source.k),
        target=node_id(state.number, target.k),
        label=word,
        dotted=dotted,
    )


def _word(source: Node, target: Node) -> tuple[str, bool]:
    if source.given_up and target.act != "explore":
        return "dead end", True
    if source.status == "blocked":
        return "failed", False
    return "", False
