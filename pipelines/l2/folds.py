"""Neighbouring nodes become one node with a new number; old numbers still resolve."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from pipelines.l2.join import OBJECTS_KEPT
from pipelines.l2.node import Node
from pipelines.l2.state import CanvasState, Draft
from pipelines.l2.topic import FAILING_ENDS, how_it_ended, topic

MAX_CHAPTERS = 4
TOGETHER = 3
"""How many of the oldest chapters become one."""


def fold(draft: Draft, lo: int, hi: int, kind: str) -> Node:
    """Put the nodes at places `lo` to `hi` into one node of `kind` (`attempts` or `chapter`)."""
    inside = draft.nodes[lo : hi + 1]
    node = _sum(inside, draft.next_k, kind)
    if kind == "chapter":
        planned = {number: title for number, title, own in draft.phases if own}
        end = how_it_ended(inside)
        status = "blocked" if end in FAILING_ENDS else "done"
        node = replace(node, topic=topic(inside, planned), finding=end, status=status)
    draft.next_k += 1
    draft.nodes[lo : hi + 1] = [node]
    draft.folds += (node.k, node.lo, node.hi)
    return node


def fold_to_fit(draft: Draft, fits: Callable[[Draft], bool]) -> None:
    """Fold the oldest stretches until `fits`, at the latest when one node is left."""
    while len(draft.nodes) > 1 and not fits(draft):
        chapters = _leading_chapters(draft.nodes)
        open_failures = frozenset(draft.open_checks.values())
        if chapters > MAX_CHAPTERS:
            fold(draft, 0, TOGETHER - 1, "chapter")
            continue
        lo, hi = _oldest_stretch(draft.nodes, chapters, open_failures)
        if hi <= lo:
            lo, hi = (0, min(1, len(draft.nodes) - 1)) if chapters < TOGETHER else (0, TOGETHER - 1)
        fold(draft, lo, hi, "chapter")


def drawn_node(state: CanvasState, k: int) -> int:
    """Return the number of the node that stands for node `k` in the drawing now.

    Raises KeyError when the canvas never had a node `k`.
    """
    own = _range(state, k)[0]
    for node in state.nodes:
        if node.lo <= own <= node.hi:
            return node.k
    raise KeyError(k)


def members(state: CanvasState, k: int) -> list[tuple[int, int]]:
    """Return inclusive ranges of the own node numbers that node `k` stands for; empty for an unknown number."""
    try:
        return [_range(state, k)]
    except KeyError:
        return []


def _range(state: CanvasState, k: int) -> tuple[int, int]:
    if not 0 < k < state.next_k:
        raise KeyError(k)
    numbers: Sequence[int] = state.folds[::3]
    place = bisect_left(numbers, k)
    if place < len(numbers) and numbers[place] == k:
        return state.folds[3 * place + 1], state.folds[3 * place + 2]
    return k, k


def _leading_chapters(nodes: Sequence[Node]) -> int:
    count = 0
    while count < len(nodes) and nodes[count].fold == "chapter":
        count += 1
    return count


def _oldest_stretch(nodes: Sequence[Node], start: int, open_failures: frozenset[int]) -> tuple[int, int]:
    """Return the places of the oldest stretch worth a chapter: a third of the nodes, whole phases when they fit,
    without an open failure as long as there is something else to fold."""
    rest = len(nodes) - start
    want = max(2, rest // 3)
    lo = start
    limit = start + max(2, rest // 2)
    while lo < limit and _stays(nodes[lo], open_failures):
        lo += 1
    hi = lo
    while hi + 1 < min(lo + want, len(nodes) - 1) and not _stays(nodes[hi + 1], open_failures):
        hi += 1
    whole = hi
    while whole > lo + 1 and nodes[whole].phase == nodes[whole + 1].phase:
        whole -= 1
    return (lo, whole) if whole - lo + 1 >= max(2, want // 2) else (lo, hi)


def _stays(node: Node, open_failures: frozenset[int]) -> bool:
    return node.fold == "chapter" or (not node.fold and node.k in open_failures)


def _sum(inside: Sequence[Node], k: int, kind: str) -> Node:
    objects: Counter[str] = Counter()
    for node in [node for node in inside if not node.check or node.fold] or inside:
        objects.update(dict(node.objects))
    best = max(inside, key=lambda node: node.weight)
    last = inside[-1]
    failed = next((node for node in reversed(inside) if node.error), None)
    attempts = kind == "attempts"
    return Node(
        k=k,
        lo=inside[0].lo,
        hi=last.hi,
        act="fix" if attempts else "earlier",
        fold=kind,
        status="blocked" if attempts else "done",
        calls=sum(node.calls for node in inside),
        first_seq=min(node.first_seq for node in inside),
        last_seq=max(node.last_seq for node in inside),
        updated=max(node.updated for node in inside),
        phase=last.phase,
        stretch=-1,
        objects=tuple(objects.most_common(OBJECTS_KEPT)),
        more_objects=sum(node.more_objects for node in inside) + max(0, len(objects) - OBJECTS_KEPT),
        check=last.check,
        call=best.call,
        finding=best.finding,
        weight=best.weight,
        error=failed.error if failed else "",
        edits=sum(node.edits for node in inside),
        runs=sum(node.runs for node in inside),
        declined=sum(node.declined for node in inside),
        failures=sum(node.failures for node in inside),
        passed=last.passed,
        failed=last.failed,
        turning=False,
        given_up=attempts,
        steps=sum(node.steps for node in inside),
        dead_ends=sum(node.dead_ends + (node.given_up and not node.fold) for node in inside) + attempts,
    )
