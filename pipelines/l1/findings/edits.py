"""Edits and diffs: what changed, where, and how much."""

from __future__ import annotations

import re

from pipelines.l1.case import Case, Finding
from pipelines.l1.findings import git
from pipelines.l1.findings.symbols import symbols_in
from pipelines.l1.patches import FileChange, read_patch, signed
from pipelines.l1.wording import clip, count, listing, one_line, short_path
from pipelines.records import Outcome

_SNIPPET = re.compile(r"^\s{0,7}(\d{1,7})(?:→|\t)", re.MULTILINE)
_SHOWN = re.compile(r"\[File: (\S{1,400}) \(\d{1,9} lines total\)\]")
_CREATED = re.compile(r"created successfully|[Cc]reated|new file|[Ww]rote|written", re.IGNORECASE)


def read_edit(case: Case, outcome: Outcome) -> Finding:
    """Say what an edit changed; for a failed one, why it did not apply."""
    changes = list(case.request.changes)
    if outcome in (Outcome.FAILED, Outcome.INTERRUPTED):
        said = one_line(" ".join(case.lines), 200) or "no reason given"
        error = re.sub(r"^(?:error|ERROR|Error): ", "", said)
        return Finding(parts=(f"not applied: {one_line(error, 170)}",), keys=_names(changes))
    if outcome is Outcome.UNKNOWN:
        said = one_line(case.lines[0], 150) if case.lines else "no output"
        return Finding(parts=(f"change not confirmed: {said}",), keys=_names(changes))
    if not changes:
        return Finding(parts=(one_line(case.text, 190),))
    for change in changes:
        change.path = change.path or _shown_path(case)
    symbols = [
        name for change in changes for name, _ in symbols_in(change.new_text.split("\n"), change.path, 12)
    ]
    symbols = list(dict.fromkeys(symbols))
    verb = _verb(case, changes)
    amount = signed(sum(c.added for c in changes), sum(c.removed for c in changes))
    files = list(dict.fromkeys(short_path(change.path, 60) for change in changes))
    where = _where(case, changes)
    parts = [f"{verb} {listing(files, len(files), 90)} ({amount}){where}"]
    if symbols:
        parts.append(f"with {listing(symbols, len(symbols), 90)}")
    elif changes[0].first_new:
        parts.append(f"now: {one_line(changes[0].first_new, 90)}")
    return Finding(parts=tuple(parts), keys=(*_names(changes), *symbols[:6]), symbols=tuple(symbols[:4]))


def read_diff(case: Case) -> Finding:
    """Say which files a diff touches, how much, and in which functions."""
    changes = read_patch(case.view.text)
    if not changes:
        return git.read(case) or Finding(
            parts=(f"{count(len(case.lines), 'line')}: {one_line(case.lines[0], 120)}",)
        )
    files = list(dict.fromkeys(change.path for change in changes))
    amount = signed(sum(c.added for c in changes), sum(c.removed for c in changes))
    places = [
        place
        for change in changes
        for place in change.places or ()
        if place and not place.startswith("line ")
    ]
    places = list(dict.fromkeys(one_line(place, 60) for place in places))
    names = (
        [f"{short_path(c.path, 50)} ({signed(c.added, c.removed)})" for c in changes[:6]]
        if len(files) > 1
        else [short_path(files[0], 70)]
    )
    return Finding(
        parts=(
            f"diff of {count(len(files), 'file')} ({amount}): {listing(names, len(files), 120)}",
            f"in {listing(places, len(places), 80)}" if places else "",
        ),
        keys=tuple(files[:8]),
        symbols=tuple(files[:4]),
    )


def _shown_path(case: Case) -> str:
    found = _SHOWN.search(case.text[:2_000])
    return found[1] if found else ""


def _names(changes: list[FileChange]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(short_path(change.path, 78) for change in changes))[:6]


def _verb(case: Case, changes: list[FileChange]) -> str:
    verbs = {change.verb for change in changes}
    if verbs <= {"add"}:
        return "created"
    if verbs <= {"delete"}:
        return "deleted"
    if verbs <= {"write"}:
        return "created" if _CREATED.search(case.text[:300]) and "updated" not in case.text[:300] else "wrote"
    return "changed"


def _where(case: Case, changes: list[FileChange]) -> str:
    if len(changes) == 1:
        numbers = [int(n) for n in _SNIPPET.findall(case.view.text[:60_000])]
        if numbers and numbers[-1] >= numbers[0]:
            return f" at lines {numbers[0]}–{numbers[-1]}"
        spots = [place for place in changes[0].places or () if place]
        if spots:
            return f" in {clip(one_line(spots[0]), 50)}"
    return ""
