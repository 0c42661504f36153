"""Names for what the calls of a node share."""

from __future__ import annotations

import re
from collections import Counter

from pipelines.l2.node import Node
from pipelines.l2.reading import clip, folder, is_path

NAME = 44
_PATTERN = re.compile(r"(?:-run|-k|-t|--filter|--grep|--tests)[ =]'?\"?([^'\" ]{2,80})")
_VALUED = re.compile(r" -{1,2}(?:tags|p|parallel|timeout|count|config|c|project|n|maxfail)[ =]\S{1,80}")
_FLAG = re.compile(r"^-|^\d+m?s?$|^\w+=")


def objects(node: Node) -> str:
    """Return one name, a few, or their folder and number; empty when nothing is known."""
    ranked = _without_parents([name for name, _ in sorted(node.objects, key=lambda pair: -pair[1])])
    if node.act in ("test", "verify"):
        # The last of several green runs is as a rule the widest.
        newest = [name for name, _ in reversed(node.objects)]
        return _listed(
            newest if len(newest) < 2 else [clip(name, 28) for name in newest], node.more_objects, 2
        )
    if node.deps:
        return _listed(ranked, node.more_objects, 3)
    files = [name for name in ranked if is_path(name)]
    parts = frozenset(part for name in files for part in re.split(r"[\\/.]", name))
    words = [name for name in ranked if not is_path(name) and 3 < len(name) <= NAME and name not in parts]
    if not files:
        return _listed(words or ranked, 0, 2)
    where = _files(files, node.more_objects)
    return f"{words[0]} in {where}" if words and len(files) <= 2 else where


def short_name(name: str) -> str:
    """Return the last part of a path, with its folder when the last part says little alone; other names as given."""
    if not is_path(name):
        return name
    parts = [part for part in re.split(r"[\\/]", name) if part not in ("", ".", "~", "...", "…")]
    if len(parts) > 1 and len(parts[-1]) < 10:
        return "/".join(parts[-2:])
    return parts[-1] if parts else name


def check_name(check: str) -> str:
    """Return a short name for a check: the tests it selects, else its program and target."""
    if found := _PATTERN.search(check[:400]):
        return found[1]
    bare = _VALUED.sub("", check[:400])
    kept = [short_name(word) if "/" in word else word for word in bare.split() if not _FLAG.match(word)]
    return " ".join(kept[:5]) or check


def _without_parents(names: list[str]) -> list[str]:
    """Leave out folders in which other names lie."""
    return [
        name
        for name in names
        if not any(other != name and other.startswith(name.rstrip("/") + "/") for other in names)
    ]


def _files(files: list[str], more: int) -> str:
    total = len(files) + more
    short = list(dict.fromkeys(map(short_name, files)))
    if total <= 2 or len(short) == 1:
        return ", ".join(short)
    place, inside = Counter(map(folder, files)).most_common(1)[0]
    if place and inside > 1 and inside >= len(files) - 1:
        return f"{total} files in {short_name(place + '/')}"
    return f"{', '.join(short[:2])} and {total - 2} more"


def _listed(names: list[str], more: int, shown: int) -> str:
    rest = len(names) - shown + more
    text = ", ".join(map(short_name, names[:shown]))
    return f"{text} and {rest} more" if rest > 0 else text
