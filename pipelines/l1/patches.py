"""Patches read: `apply_patch` envelopes and unified diffs, file by file with added and removed lines."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

_ENVELOPE = re.compile(r"\*\*\* (Add|Update|Delete) File: (.{1,400})")
_GIT = re.compile(r"diff --git a/(.{1,400}?) b/(.{1,400})")
_HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.{0,200})")
_SAYS_SOMETHING = re.compile(r"\w\w")
MAX_LINES = 60_000


@dataclass(slots=True, kw_only=True)
class FileChange:
    """What a patch does to one file."""

    path: str
    verb: str = "update"
    added: int = 0
    removed: int = 0
    places: list[str] | None = None
    """Where: hunk headings or line numbers."""
    new_text: str = ""
    first_new: str = ""
    """The first line that the change brings in."""


def read_patch(text: str) -> list[FileChange]:
    """List the files of a patch in order; empty when the text holds none."""
    changes: list[FileChange] = []
    current: FileChange | None = None
    for line in text.split("\n", MAX_LINES)[:MAX_LINES]:
        line = line.rstrip("\r")
        if line.startswith("*** ") and (found := _ENVELOPE.match(line)):
            current = FileChange(path=found[2].strip(), verb=found[1].lower(), places=[])
            changes.append(current)
        elif line.startswith("diff --git ") and (found := _GIT.match(line)):
            current = FileChange(path=found[2].strip(), places=[])
            changes.append(current)
        elif line.startswith("+++ "):
            path = line[4:].split("\t")[0].strip().removeprefix("b/")
            if current is None or (
                current.path != path and path != "/dev/null" and (current.added or current.removed)
            ):
                current = FileChange(path=path, places=[])
                changes.append(current)
        elif current is not None:
            _read_line(current, line)
    return changes


def _read_line(change: FileChange, line: str) -> None:
    if line.startswith("+"):
        change.added += 1
        if not change.first_new and _SAYS_SOMETHING.search(line, 0, 400):
            change.first_new = line[1:400].strip()
        if len(change.new_text) < 20_000:
            change.new_text += line[1:400] + "\n"
    elif line.startswith("-") and not line.startswith("--- "):
        change.removed += 1
    elif line.startswith("@@") and change.places is not None:
        found = _HUNK.match(line)
        change.places.append((found[2].strip() or f"line {found[1]}") if found else line.strip("@ "))
    elif line.startswith("deleted file mode"):
        change.verb = "delete"
    elif line.startswith("new file mode"):
        change.verb = "add"


def line_changes(old: str, new: str) -> tuple[int, int]:
    """Return how many lines a replacement adds and removes, lines common to both not counted."""
    before, after = Counter(old.split("\n")), Counter(new.split("\n"))
    return sum((after - before).values()), sum((before - after).values())


def first_new_line(old: str, new: str) -> str:
    """Return the first line that is in the new text and not in the old one."""
    known = {line.strip() for line in old.split("\n")}
    lines = (raw.strip() for raw in new.split("\n"))
    return next((line for line in lines if line not in known and _SAYS_SOMETHING.search(line, 0, 400)), "")[
        :400
    ]


def signed(added: int, removed: int) -> str:
    """Write a change as `+12 −3`."""
    return (
        " ".join(part for part in (f"+{added}" if added else "", f"−{removed}" if removed else "") if part)
        or "±0"
    )
