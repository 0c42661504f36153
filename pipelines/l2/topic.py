"""What a stretch of work was about, for the name of a chapter."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from pipelines.l2.naming import short_name
from pipelines.l2.node import Node
from pipelines.l2.reading import is_path

FAILING_ENDS = frozenset({"check failing", "not delivered"})
_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-|[0-9a-f]{16}")


def topic(inside: Sequence[Node], planned: Mapping[int, str]) -> str:
    """Return the item of the agent's plan that most of the calls belong to, else what was changed or read."""
    calls: Counter[str] = Counter()
    for node in inside:
        calls[planned.get(node.phase, "")] += node.calls
    del calls[""]
    if calls:
        return calls.most_common(1)[0][0]
    changed = _most(node for node in inside if node.edits)
    about = changed or _most(inside)
    return ("work on " if changed else "") + ", ".join(map(short_name, about))


def how_it_ended(inside: Sequence[Node]) -> str:
    """Return how the last check or delivery of a stretch ended; empty when it had none."""
    for node in reversed(inside):
        if node.fold == "chapter" and node.finding:
            return node.finding
        if node.act == "deliver" and node.status == "blocked":
            before = any(other.act == "deliver" and other.status == "done" for other in inside)
            return "delivered, then one delivery failed" if before else "not delivered"
        if node.act == "deliver":
            return "delivered"
        if node.check:
            return "check failing" if node.status == "blocked" else "checks pass"
    return ""


def _most(nodes: Iterable[Node]) -> list[str]:
    found: Counter[str] = Counter()
    for node in nodes:
        if not node.check:
            found.update(
                {name: count for name, count in node.objects if is_path(name) and not _ID.search(name)}
            )
    return [name for name, _ in found.most_common(2)]
