"""What a stretch of work was about, for the name of a chapter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from pipelines.l2.naming import short_name
from pipelines.l2.node import Node
from pipelines.l2.reading import is_path


def topic(inside: Sequence[Node], planned: Mapping[int, str]) -> str:
    """Return the item of the agent's plan that most of the calls belong to, else what was changed or read, and how
    its last check ended."""
    calls: Counter[str] = Counter()
    for node in inside:
        calls[planned.get(node.phase, "")] += node.calls
    del calls[""]
    if calls:
        return calls.most_common(1)[0][0]
    changed = _most(node for node in inside if node.edits)
    end = _end(inside)
    about = changed or _most(inside)
    words = ", ".join(map(short_name, about[:2])) + (" changed" if changed else "")
    return "; ".join(part for part in (words, end) if part)


def _most(nodes: Iterable[Node]) -> list[str]:
    found: Counter[str] = Counter()
    for node in nodes:
        if not node.check:
            found.update({name: count for name, count in node.objects if is_path(name)})
    return [name for name, _ in found.most_common(2)]


def _end(inside: Sequence[Node]) -> str:
    checked = next((node for node in reversed(inside) if node.check), None)
    if any(node.act == "deliver" and node.status == "done" for node in inside[-2:]):
        return "delivered"
    if checked is None:
        return ""
    return "check failing" if checked.status == "blocked" else "checks pass"
