"""Where it went wrong: `file:line` as failure lines, stack frames and linters give it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipelines.l1.case import Case
from pipelines.l1.findings.failing import mentions
from pipelines.l1.tracebacks import FOREIGN, python_trace
from pipelines.l1.wording import short_path

WIDTH = 78
BLOCK = 60
"""Lines after a test's name that are looked at for its place."""
_PLACE = re.compile(
    r"(?<![\w/.-])((?:[A-Za-z]:)?[\w@+~./\\-]{1,200}\.[A-Za-z]\w{0,6})"
    r"(?::line |\",? line |[:(]| line )(\d{1,7})"
)
_SITE = re.compile(
    r"\s{0,40}(?:at |❯ |# |--> |location: |File \"|(?:[A-Za-z]:)?[\w@+~./\\-]{1,200}\.[A-Za-z]\w{0,6}[:(]\d)"
)
_NEXT_TEST = re.compile(r"--- (?:PASS|FAIL|SKIP)|not ok|ok \d|(?:FAIL|ERROR): ")
_FILE_HEADING = re.compile(r"(?:\S{0,200}/)?[\w.@+-]{1,100}\.\w{1,8}$")
_UNDER_HEADING = re.compile(r"\s{1,8}(\d{1,6}):\d{1,6}\s+error\b")


def places(case: Case) -> list[str]:
    """Return `file:line` of the exception and of the failure lines, in order, each once."""
    found = dict.fromkeys(_places(case))
    return [place for place in found if place and place[0] != "<"]


def place_of_test(case: Case, name: str) -> str:
    """Return `file:line` of a failing test: the first own frame that its runner prints under its name."""
    lines = case.view.telling
    for start in mentions(lines, name.rstrip("…")[:60]):
        for at, line in enumerate(lines[start + 1 : start + BLOCK], start=start + 1):
            if "Traceback (most recent call" in line:
                trace = python_trace(lines, at)
                return _written(trace.place.split(" in ")[0]) if trace else ""
            if _NEXT_TEST.match(line):
                break
            if _SITE.match(line[:400]) and not any(mark in line for mark in FOREIGN):
                hit = _PLACE.search(line[:400])
                if hit:
                    return _written(f"{hit[1]}:{hit[2]}")
    return ""


def _places(case: Case) -> Iterator[str]:
    if case.trace is not None and case.trace.place:
        yield _written(case.trace.place.split(" in ")[0])
    for line in (*case.failures.strong, *case.failures.weak)[:40]:
        for hit in _PLACE.finditer(line):
            yield _written(f"{hit[1]}:{hit[2]}")
    heading = ""
    for line in case.lines[:2_000]:
        if line[:1] != " " and _FILE_HEADING.match(line[:310]):
            heading = line.strip()
        elif heading and (found := _UNDER_HEADING.match(line[:40])):
            yield _written(f"{heading}:{found[1]}")
        elif line.lstrip()[:4] == "--> " and (under := _PLACE.search(line[:400])):
            yield _written(f"{under[1]}:{under[2]}")


def _written(place: str) -> str:
    """Leave out a column and the head of a long path, never the line number."""
    place = re.sub(r"(:\d{1,7}):\d{1,7}$", r"\1", place.removeprefix("file://"))
    return short_path(place, WIDTH)
