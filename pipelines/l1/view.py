"""A bounded, cleaned view of a result's text: what the readers look at instead of megabytes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from pipelines.content import without_data_uris
from pipelines.l1.wording import words

WHOLE = 128 * 1024
EDGE = 48 * 1024
WINDOW = 400
PER_ALARM = 8
MAX_LINE = 2_000
ALARMS = words(
    "FAIL not_ok_ ✗ ✕ ✖ ✘ panic: panicked Traceback fatal FATAL ERROR rror: rror[ rror_TS ailed ailure xception "
    "Segmentation assert Assert undefined xpected refused denied Fehler 错误 失败 异常 エラー 실패 오류"
)
"""Literals near which a failure may stand, looked for in the part of a long text that is not kept."""

_ANSI = re.compile(r"\x1b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|\][^\x07\x1b]{0,512}(?:\x07|\x1b\\)|[@-Z\\^_=>78])")
_BACKSPACE = re.compile(r"[^\x08\n]\x08")
_GUTTER_LINE = re.compile(r" {0,7}(\d{1,7})(?:(→|\t|:)| ?([|│]))")


@dataclass(frozen=True, kw_only=True)
class View:
    """What is looked at of one text."""

    text: str
    """At most about 128 Ki characters: the whole, or both ends with the alarming places between them."""
    characters: int
    """The whole text's length."""
    line_count: int
    """Lines in the whole text."""
    partial: bool
    """Whether parts of the whole text are not in the view."""

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the view, each at most 2 000 characters."""
        return [line if len(line) <= MAX_LINE else line[:MAX_LINE] for line in self.text.split("\n")]

    @cached_property
    def telling(self) -> list[str]:
        """The lines that are not blank."""
        return [line for line in self.lines if line.strip()]


def view_of(text: str) -> View:
    """Look at a text: bounded, without control sequences, progress lines reduced to their last state."""
    bounded = bound(text)
    return View(
        text=clean(bounded),
        characters=len(text),
        line_count=text.count("\n") + (1 if text and not text.endswith("\n") else 0),
        partial=len(bounded) < len(text),
    )


def bound(text: str) -> str:
    """Return the text, or both its ends and the surroundings of alarming words between them."""
    if len(text) <= WHOLE:
        return text
    pieces = [text[:EDGE]]
    start, stop = EDGE, len(text) - EDGE
    found = sorted(_alarm_places(text, start, stop))
    covered = start
    for place in found:
        if place < covered:
            continue
        begin = max(text.rfind("\n", max(covered, place - WINDOW), place) + 1, covered, place - WINDOW)
        end = text.find("\n", place, min(place + WINDOW, stop))
        end = min(place + WINDOW, stop) if end < 0 else end
        pieces.append(text[begin:end])
        covered = end
    pieces.append(text[stop:])
    return "\n".join(pieces)


def clean(text: str) -> str:
    """Drop control sequences, carriage-return progress, harness reminders and data addresses."""
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    if "\x08" in text:
        text = _BACKSPACE.sub("", text)
    text = text.replace("\r\n", "\n")
    if "\r" in text:
        text = "\n".join(_last_state(line) if "\r" in line else line for line in text.split("\n"))
    if "<system-reminder>" in text:
        text = _without_reminders(text)
    return without_data_uris(text)


def without_gutter(text: str) -> tuple[str, int | None]:
    """Drop a line-number gutter (`  12→`, `12:`, `12 |` or `12<tab>` on most lines); return its first number too."""
    head = [line for line in text[:4_000].split("\n")[:30] if line.strip()]
    numbered = [found for line in head if (found := _GUTTER_LINE.match(line))]
    if not numbered or len(numbered) < max(1, len(head) * 2 // 3):
        return text, None
    numbers = [int(found[1]) for found in numbered]
    if any(later != earlier + 1 for earlier, later in pairwise(numbers)):
        return text, None
    mark = numbered[0][2] or numbered[0][3]
    gutter = rf"^ {{0,7}}\d{{1,7}} ?{re.escape(mark)}{'' if mark in '→	' else ' ?'}"
    return re.sub(gutter, "", text, flags=re.MULTILINE), numbers[0]


def _without_reminders(text: str) -> str:
    kept, at = [], 0
    warnings = []
    while (start := text.find("<system-reminder>", at)) >= 0:
        kept.append(text[at:start])
        if text.startswith("Warning:", start + len("<system-reminder>")):
            warnings.append(
                text[start + len("<system-reminder>") : start + 600].split("</system-reminder>")[0]
            )
        end = text.find("</system-reminder>", start)
        at = len(text) if end < 0 else end + len("</system-reminder>")
    rest = "".join([*kept, text[at:]])
    return rest if rest.strip() or not warnings else warnings[0]


def _alarm_places(text: str, start: int, stop: int) -> set[int]:
    places: set[int] = set()
    for alarm in ALARMS:
        literal = alarm.replace("_", " ")
        place = text.find(literal, start, stop)
        for _ in range(PER_ALARM):
            if place < 0:
                break
            places.add(place)
            place = text.find(literal, place + WINDOW, stop)
    return places


def _last_state(line: str) -> str:
    return next((part for part in reversed(line.split("\r")) if part.strip()), "")
