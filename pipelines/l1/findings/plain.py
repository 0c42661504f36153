"""Prose, answers of sub-agents, pointers, media and results that need no shortening."""

from __future__ import annotations

import re

from pipelines.l1.case import Case, Finding
from pipelines.l1.wording import clip, count, listing, one_line, short_path
from pipelines.records import Outcome

_HEADING = re.compile(r"#{1,4} (.{1,120})")
_MARKUP = re.compile(r"\*{1,3}|`{1,3}|(?<!\w)__|__(?!\w)")
_PREAMBLE = re.compile(
    r"(?:I'll|I will|Let me|Now I|Perfect|Great|Excellent|Okay|OK|Sure|Here(?:'s| is| are)|Based on|Good|"
    r"Done)\b.{0,160}[.:!]?$|agentId: |<usage>|"
    r"Launching skill|\[?Tool result|(?:total_tokens|tool_uses|duration_ms): "
)
_VERDICT = re.compile(r"pass|fail|approv|reject|complete|done|block|result|issue|found|ready", re.IGNORECASE)
_PATH = re.compile(r"(?<![\w/])[\w@+~.-]{1,80}(?:/[\w@+~.-]{1,100}){1,12}(?::\d{1,7}(?:-\d{1,7})?)?")
_BACKTICKED = re.compile(r"`([^`\n]{2,78})`")


def read_prose(case: Case) -> Finding:
    """Give the first sentence that says something, and the headings."""
    lines = [line.strip() for line in case.lines or case.view.telling[:2]]
    telling = [line for line in lines if not _PREAMBLE.match(line) and not _HEADING.match(line)] or lines
    headings = [_clean(found[1]) for line in lines if (found := _HEADING.match(line))]
    lead = (
        headings[0]
        if headings and lines and _HEADING.match(lines[0]) and _VERDICT.search(headings[0])
        else ""
    )
    first = _clean(telling[0]) if telling else ""
    parts = [lead, clip(first, 150)] if lead else [clip(first, 150)]
    if headings:
        parts.append(f"on {listing(headings, len(headings), 80)}")
    elif len(telling) > 1:
        parts.append(clip(_clean(telling[1] if len(telling[0]) < 60 else telling[-1]), 90))
    return Finding(parts=tuple(parts), keys=tuple(names_in(case.view.text[:60_000])))


def read_refusal(case: Case) -> Finding:
    """Say that the call was refused, and what was said instead."""
    if case.reading.reason:
        return Finding(parts=(f"declined by the user: {one_line(case.reading.reason, 170)}",))
    first = (
        "declined by the user, no reason given"
        if "user" in case.text[:80].lower()
        else f"declined: {one_line(case.text, 150)}"
    )
    return Finding(parts=(first,))


def read_pointer(case: Case) -> Finding:
    """Say where the host keeps an output that it did not show."""
    reading = case.reading
    size = f" of {reading.cut.size}" if reading.cut.size else ""
    if reading.cut.pointer == "-":
        return Finding(parts=(f"not shown, too large{size}: {one_line(case.text, 150)}",))
    preview = case.text.split("Preview", 1)[-1].split("\n")[1:] if "Preview" in case.text else []
    said = next((one_line(line, 90) for line in preview if line.strip() and not line.startswith("<")), "")
    return Finding(
        parts=(
            f"output{size} kept by the host at {short_path(reading.cut.pointer, 90)}",
            f"begins: {said}" if said else "",
        ),
        keys=(short_path(reading.cut.pointer, 78),),
    )


def read_media(case: Case) -> Finding:
    """Name the images or other bytes of a result."""
    if not case.media:
        size = f"{case.view.characters} characters"
        return Finding(parts=(f"bytes that are no text, {size}",))
    kinds = listing([part.mark().strip("[]") for part in case.media], len(case.media), 120)
    words = re.sub(r"\[[^\]\n]{1,200}\]", " ", case.text)
    noun = "image" if all(part.media_type.startswith("image") for part in case.media) else "binary part"
    return Finding(parts=(f"{count(len(case.media), noun)}: {kinds}", one_line(words, 80)))


def read_nothing(case: Case, outcome: Outcome) -> Finding:
    """Say that there was no output, with the exit status when it is known."""
    status = case.reading.exit_status
    shell = case.request.shell
    if outcome is Outcome.RUNNING:
        return Finding(parts=("still running, no output yet",), complete=True)
    if status == 1 and shell is not None and shell.searches:
        return Finding(parts=("nothing found, exit status 1",), complete=True)
    if status:
        return Finding(parts=(f"failed with exit status {status}, no output",), complete=True)
    if outcome is Outcome.INTERRUPTED:
        return Finding(parts=("stopped before it gave any output",), complete=True)
    if outcome is Outcome.FAILED:
        return Finding(parts=("failed without any output",), complete=True)
    return Finding(parts=("no output, exit status 0" if status == 0 else "no output",), complete=True)


def names_in(text: str) -> list[str]:
    """Return paths and quoted identifiers of a text, most frequent kinds first, at most 10."""
    found = dict.fromkeys(hit[0] for hit in _PATH.finditer(text) if "." in hit[0] and len(hit[0]) <= 80)
    found.update(dict.fromkeys(hit[1] for hit in _BACKTICKED.finditer(text)))
    return list(found)[:10]


def _clean(text: str) -> str:
    return one_line(_MARKUP.sub("", text[:2_000]), 300)
