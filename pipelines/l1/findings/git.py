"""What git and its hosts print, in a few words."""

from __future__ import annotations

import re

from pipelines.l1.case import Case, Finding
from pipelines.l1.wording import clip, count, listing, one_line

_COMMIT = re.compile(r"^\[([^\]\n]{1,200}) ([0-9a-f]{7,40})\] (.{1,300})$", re.MULTILINE)
_STAT = re.compile(
    r"^ ?(\d{1,7}) files? changed(?:, (\d{1,9}) insertions?\(\+\))?(?:, (\d{1,9}) deletions?\(-\))?",
    re.MULTILINE,
)
_PUSH = re.compile(
    r"^\s*(?:\*?\s*\[new (?:branch|tag)\]|[0-9a-f]{7,40}\.{2,3}[0-9a-f]{7,40})\s+(\S{1,200}) -> (\S{1,200})",
    re.MULTILINE,
)
_URL = re.compile(r"https?://\S{4,300}")
_BRANCH = re.compile(r"^On branch (\S{1,200})", re.MULTILINE)
_STATUS_LINE = re.compile(
    r"^(?:[\t ]{1,8}(?:modified|new file|deleted|renamed|both modified):\s+(.{1,300})|[ MADRCU?!]{2} (\S.{0,300}))$",
    re.MULTILINE,
)
_LOG_LINE = re.compile(r"^(?:\* )?([0-9a-f]{7,12}) (.{1,300})$", re.MULTILINE)
_LOG_FULL = re.compile(r"^commit ([0-9a-f]{40})", re.MULTILINE)


def read(case: Case) -> Finding | None:
    """Read the output of a git command, or return None when it is none that is known."""
    text = case.text[:40_000]
    if found := _COMMIT.search(text):
        stat = _STAT.search(text)
        pushed = _PUSH.search(text)
        return Finding(
            parts=(
                f"commit {found[2]} on {found[1]}: {clip(found[3], 110)}",
                _stat_words(stat) if stat else "",
                f"pushed to {pushed[2]}" if pushed else "",
            ),
            keys=(found[2], found[1]),
        )
    shell = case.request.shell
    line = " ".join(shell.telling.words[:3]) if shell and shell.telling else ""
    fetched = line.startswith(("git pull", "git fetch")) or text.startswith("From ")
    if not fetched and (pushed := _PUSH.search(text)):
        return Finding(parts=(f"pushed {pushed[1]} to {pushed[2]}", _first_url(text)), keys=(pushed[1],))
    if line.startswith("git status") and (branch := _BRANCH.search(text)):
        return _status(text, branch[1])
    if line.startswith("git status") and _STATUS_LINE.search(text):
        return _status(text, "")
    if line.startswith("git log"):
        return _log(text)
    if line.startswith(("gh pr create", "gh issue create", "gh release create")) and _first_url(text):
        return Finding(parts=(_first_url(text),), keys=(_first_url(text),))
    if line.startswith("git") and (stat := _STAT.search(text)):
        files = [one_line(name.split("|")[0]) for name in text.split("\n") if " | " in name]
        return Finding(
            parts=(f"{_stat_words(stat)}: {listing(files, len(files), 120)}",), keys=tuple(files[:8])
        )
    if fetched and (refs := [found[1] for found in _PUSH.findall(text)]):
        return Finding(parts=(f"fetched {listing(refs, len(refs), 120)}",), keys=tuple(refs[:6]))
    return None


def _stat_words(stat: re.Match[str]) -> str:
    change = " ".join(
        word for word in (f"+{stat[2]}" if stat[2] else "", f"−{stat[3]}" if stat[3] else "") if word
    )
    return f"{count(int(stat[1]), 'file')}{f' ({change})' if change else ''}"


def _status(text: str, branch: str) -> Finding:
    files = [next(group for group in found if group) for found in _STATUS_LINE.findall(text)]
    clean = "nothing to commit" in text and not files
    untracked = (
        text.split("Untracked files:")[1].split("\n\n")[0].count("\n") - 1
        if "Untracked files:" in text
        else 0
    )
    words = "clean" if clean else f"{count(len(files), 'changed file')}: {listing(files, len(files), 110)}"
    return Finding(
        parts=(
            f"on {branch}, {words}" if branch else words,
            f"{untracked} untracked" if untracked > 0 else "",
        ),
        keys=(branch, *files[:8]),
        complete=clean,
    )


def _log(text: str) -> Finding | None:
    short = _LOG_LINE.findall(text)
    if short:
        newest = f"{short[0][0]} {clip(short[0][1], 100)}"
        return Finding(
            parts=(f"{count(len(short), 'commit')}, newest {newest}",),
            keys=tuple(sha for sha, _ in short[:8]),
        )
    full = _LOG_FULL.findall(text)
    if full:
        title = next(
            (line.strip() for line in text.split("\n") if line.startswith("    ") and line.strip()), ""
        )
        return Finding(
            parts=(f"{count(len(full), 'commit')}, newest {full[0][:9]} {clip(title, 100)}",),
            keys=tuple(s[:9] for s in full[:8]),
        )
    return None


def _first_url(text: str) -> str:
    found = _URL.search(text)
    return found[0].rstrip(".,)") if found else ""
