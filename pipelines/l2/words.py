"""Labels and summaries of nodes, in a few words each."""

from __future__ import annotations

import re

from pipelines.l2.naming import objects
from pipelines.l2.node import Node
from pipelines.l2.reading import clip

LABEL = 64
SUMMARY = 140
_LINES = re.compile(r"^lines? [\d–,\- ]{1,40}[;:] ")
_FAIL = re.compile(r"^(?:-{3} )?(?:FAIL|FAILED|ERROR|E)\b[:\s]*")
_NAMED = re.compile(r"(\w*[Tt]est\w{0,120}(?:/\S{1,120}?)?)(?: \([\d.]{1,9}s\))?: (?=\S)")
_STATE = re.compile(r"^(?:failed|passed): (?=.)")
_ECHO = re.compile(r"^(?:\[[\w:.-]{1,40}\] )?[$>] [^;]{1,120}; (?=.)")
_EDIT = re.compile(
    r"^(?:changed|wrote|created|edited|updated|rewrote|replaced) \S{1,160}(?: \([^)]{1,40}\))?"
    r"(?: at lines? [\d–,\- ]{1,40})?(?:[;:,] |$)"
)
_COMMIT = re.compile(
    r"\[([\w/.-]{1,80}) (?:\(root-commit\) )?([0-9a-f]{6,40})\] [^;]{0,160}(; \d+ files?.*)?"
)
_COMMITTED = re.compile(r"(commit [0-9a-f]{6,40} on [\w/.-]{1,80}): .{0,200}?(; \d+ files?.*)?$")
_ID = re.compile(r"^id [0-9a-f-]{8,40}, ")
_TASK = re.compile(r"^(?:Task|Agent): (?=.)")
_EMPTY = re.compile(r"^(?:no output\b.*|an empty object|ok|done|success)$", re.IGNORECASE)


def label(node: Node) -> str:
    """Return `verb: object`, at most 64 characters."""
    if node.fold == "chapter":
        return clip(f"earlier: {node.topic or objects(node) or 'steps'}", LABEL)
    return clip(f"{node.act}: {_subject(node)}", LABEL)


def summary(node: Node) -> str:
    """Return what was found and how much was done, the more telling first, at most 140 characters."""
    parts = [finding(node), counts(node)]
    if node.act in ("change", "fix") and not node.fold:
        parts.reverse()
    return clip("; ".join(part for part in parts if part), SUMMARY)


def finding(node: Node) -> str:
    """Return what was found, or nothing where the calls said nothing worth a line."""
    return clip(_FINDINGS.get(node.fold or node.act, _result)(node), SUMMARY)


def counts(node: Node) -> str:
    """Return how much was done: `3 edits +85 −12, 1 declined by the user`."""
    return clip(", ".join(part for part in _counts(node) if part), SUMMARY)


def count(number: int, noun: str) -> str:
    """Return `1 call`, `2 calls`; nothing for none."""
    return f"{number} {noun}" + ("" if number == 1 else "s") if number else ""


def _subject(node: Node) -> str:
    if node.act == "plan":
        return "to-do list"
    if node.act == "delegate":
        return _TASK.sub("", node.call) or objects(node)
    if node.act in ("run", "ask") and node.runs <= 1:
        return node.call or objects(node)
    return objects(node) or node.call or count(node.calls, "call")


def _counts(node: Node) -> list[str]:
    if node.fold == "chapter":
        return [count(node.steps, "step"), count(node.calls, "call"), count(node.dead_ends, "dead end")]
    if node.fold == "attempts":
        return [count(node.dead_ends, "failed attempt"), _edits(node), _declined(node)]
    if node.act in ("change", "fix") and not node.deps:
        return [_edits(node), f"{node.failures} failed" if node.failures else "", _declined(node)]
    done = node.calls - node.asides
    if node.act == "explore" or node.deps:
        return [count(done, "call") if done > 1 else "", _declined(node)]
    tests = _tests(node) if node.status == "blocked" else ""
    failed = f"{node.failures} failed" if node.failures and node.runs > 1 and not tests else ""
    return [tests, count(node.runs, "run") if node.runs > 1 else "", failed, _declined(node)]


def _tests(node: Node) -> str:
    if not node.failed:
        return ""
    return f"{node.failed} failed" + (f", {node.passed} passed" if node.passed else "")


def _edits(node: Node) -> str:
    signs = f" +{node.added}" * bool(node.added) + f" −{node.removed}" * bool(node.removed)
    return count(node.edits, "edit") + signs if node.edits else ""


def _declined(node: Node) -> str:
    if not node.declined:
        return ""
    return f"{node.declined} declined" + ("" if _says_why(node) else " by the user")


def _says_why(node: Node) -> bool:
    return bool(node.said) and node.act in ("change", "fix") and not node.fold


def _changed(node: Node) -> str:
    if node.said:
        return f"user: {node.said}"
    if node.deps:
        return ""
    text = _EDIT.sub("", node.finding)
    return (
        ""
        if text.startswith("with ") or _EMPTY.match(text)
        else _result(node)
        if text == node.finding
        else text
    )


def _failed_or_result(node: Node) -> str:
    if node.status != "blocked":
        return _all_passed(node) if node.runs > 1 and not node.failures else _result(node)
    return _error(node) or _result(node)


def _all_passed(node: Node) -> str:
    result = _result(node)
    tests = f"{node.passed} passed" if node.passed and f"{node.passed} passed" not in result else ""
    return ", ".join(part for part in (tests, result) if part)


def _error(node: Node) -> str:
    """Return the error message, then the failed test in brackets: names of tests say less and are cut first."""
    error = _FAIL.sub("", node.error).strip()
    named = _NAMED.match(error)
    if not named:
        return error
    return f"{error[named.end() :]} ({named[1]})"


def _attempts(node: Node) -> str:
    return _error(node) or _result(node)


def _delivered(node: Node) -> str:
    """Return commit and size; the message is the label."""
    if node.status == "blocked":
        return _result(node)
    if found := _COMMIT.match(node.finding):
        return f"commit {found[2]} on {found[1]}{found[3] or ''}"
    if found := _COMMITTED.match(node.finding):
        return f"{found[1]}{found[2] or ''}"
    return _result(node)


def _told(node: Node) -> str:
    return node.finding


def _nothing(_: Node) -> str:
    return ""


def _result(node: Node) -> str:
    text = _ID.sub("", node.finding)
    text = _ECHO.sub("", _STATE.sub("", _LINES.sub("", text))).rstrip(".")
    return "" if _EMPTY.match(text) else text


_FINDINGS = {
    "chapter": _told,
    "plan": _nothing,
    "attempts": _attempts,
    "change": _changed,
    "fix": _changed,
    "test": _failed_or_result,
    "verify": _failed_or_result,
    "run": _failed_or_result,
    "deliver": _delivered,
}
