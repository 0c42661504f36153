"""Labels and summaries of nodes, in a few words each."""

from __future__ import annotations

import re
from collections import Counter

from pipelines.l2.node import Node
from pipelines.l2.reading import clip, folder, is_path

LABEL = 64
SUMMARY = 140


def label(node: Node) -> str:
    """Return `verb: object`, at most 64 characters."""
    if node.fold == "chapter":
        return clip(f"earlier: {node.topic or _objects(node) or 'steps'}", LABEL)
    return clip(f"{node.act}: {_subject(node)}", LABEL)


def summary(node: Node) -> str:
    """Return what was found, or what was done and how often, at most 140 characters."""
    return clip(_summary(node), SUMMARY)


def count(number: int, noun: str) -> str:
    """Return `1 call`, `2 calls`."""
    return f"{number} {noun}" + ("" if number == 1 else "s")


def short_path(path: str) -> str:
    """Return the last part of a path, with its folder when the last part says little alone."""
    parts = [part for part in re.split(r"[\\/]", path) if part not in ("", ".", "~")]
    if not parts:
        return path
    if len(parts) > 1 and len(parts[-1]) < 10:
        return "/".join(parts[-2:])
    return parts[-1]


def _subject(node: Node) -> str:
    if node.act in ("test", "verify") and not node.fold:
        return _check_subject(node)
    if node.act == "plan":
        return "to-do list"
    if node.act in ("run", "deliver", "delegate", "ask"):
        return node.call or _objects(node)
    return _objects(node) or node.call or count(node.calls, "call")


def _objects(node: Node) -> str:
    """Return what the calls share: one name, a few, or their folder and number."""
    ranked = [name for name, _ in sorted(node.objects, key=lambda pair: -pair[1])]
    files = [name for name in ranked if is_path(name)]
    words = [name for name in ranked if not is_path(name)]
    if not files:
        return ", ".join(words[:3])
    total = len(files) + node.more_objects
    if total > 2:
        shared = Counter(folder(name) for name in files).most_common(1)[0]
        where = f"{total} files in {short_path(shared[0])}" if shared[0] and shared[1] > 1 else ""
        listed = where or ", ".join(map(short_path, files[:2])) + f" and {total - 2} more"
    else:
        listed = ", ".join(map(short_path, files))
    if words and len(words[0]) <= 40:
        return f"{words[0]} in {listed}"
    return listed


def _check_subject(node: Node) -> str:
    return _pattern(node.check) or node.check or node.call


def _pattern(check: str) -> str:
    found = re.search(r"(?:-run|-k|-t|--filter|--grep)[ =]'?([^' ]+)'?", check)
    return found[1] if found else ""


def _summary(node: Node) -> str:
    if node.fold == "chapter":
        parts = [count(node.steps, "step"), count(node.calls, "call")]
        return ", ".join(parts + ([count(node.dead_ends, "dead end")] if node.dead_ends else []))
    if node.fold == "attempts":
        parts = [count(node.dead_ends, "failed attempt"), _edits(node)]
        return _join(", ".join(part for part in parts if part), node.error)
    if node.act in ("change", "fix"):
        return _join(_edits(node), node.finding if node.edits <= 1 else "")
    if node.act in ("test", "verify") and node.status == "blocked":
        return _join(_counts(node), node.error or node.finding, _declined(node))
    if node.calls > 1 and node.act == "explore":
        return _join(count(node.calls, "call"), node.finding)
    return _join(node.finding, _declined(node))


def _edits(node: Node) -> str:
    parts = [count(node.edits, "edit")] if node.edits else []
    if node.failures and node.fold != "attempts":
        parts.append(f"{node.failures} failed")
    if node.declined:
        parts.append(f"{node.declined} declined by the user")
    return ", ".join(parts)


def _declined(node: Node) -> str:
    return f"then {count(node.declined, 'call')} declined by the user" if node.declined else ""


def _counts(node: Node) -> str:
    parts = [f"{node.failed} failed"] if node.failed else []
    if node.passed and parts:
        parts.append(f"{node.passed} passed")
    return ", ".join(parts)


def _join(*parts: str) -> str:
    return "; ".join(part for part in parts if part)
