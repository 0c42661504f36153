"""The first error of a failed call, the tests that failed, and the places named."""

from __future__ import annotations

import re

from pipelines.l1.case import Case
from pipelines.l1.wording import clip, one_line
from pipelines.records import Outcome

LIMIT = 160
_PLACE = re.compile(
    r"(?<![\w/.-])((?:[A-Za-z]:)?[\w@+~./\\-]{1,200}\.[A-Za-z]\w{0,6})(?::|\(| line )(\d{1,7})"
)
_TEST_NAME = re.compile(
    r"\s*--- FAIL: (\S{1,200})|(?:FAILED|ERROR) (\S+(?:::|\.py)\S{0,200})|(?:FAIL|ERROR): (\w{1,120}) \(|"
    r"FAILED (\S{1,200})|\s{0,6}\d{1,4}\) (?:test )?(.{3,120}?)(?: \(\S+\))?$|\s*(?:●|✗|✕|✖|"
    r"×) (.{3,160}?)(?: \(?\d+ ?ms\)?)?$|"
    r"not ok \d+ -? ?(.{3,120})|test (\S{1,160}) \.\.\. FAILED|(\S{1,200}(?:::|\.py::)\S{1,200}) (?:FAILED|ERROR)\b|"
    r"(?:FAIL|✘)\s{1,4}(?:\S+\.\w+ > )(.{3,160})"
)
_NAMES_A_TEST = re.compile(
    r"--- FAIL: |(?:FAIL|ERROR): \w+ \(|not ok \d|\d{1,4}\) |[●✗✕✖×] |test \S+ \.\.\. FAILED|FAILED \S|FAIL\s"
)
_MESSAGE = re.compile(
    r"error|assert|expected|got\b|want|panic|fail|not |left:|timed? ?out|match|raise|exception|undefined|"
    r"invalid|missing",
    re.IGNORECASE,
)
_NO_MESSAGE = re.compile(
    r"\s*--- (?:PASS|FAIL|SKIP)|FAIL\b|ok\s|PASS\b|[=\-_]{3,}|Ran \d|\d+ (?:passed|failed|tests)|Traceback|"
    r"\s*at |(?:FAILED|ERROR) |not ok|exit status|"
    r"\s*\d{1,4}\) |=== "
)
_GO_LINE = re.compile(
    r"\s{2,24}\S{1,200}_test\.go:\d{1,7}: (.{1,400})|\s{2,24}(?:Error|Messages):\s+(.{1,400})"
)
_LABEL = re.compile(r"\s*(?:--- FAIL: |E {2,}|E\t|> |\[ERROR\] |✘ |✗ |✕ |✖ |× |● )")


def first_error(case: Case, outcome: Outcome) -> str:
    """Return the first error of a failed call: the exception, else the first failure line, else its last words."""
    if outcome not in (Outcome.FAILED, Outcome.INTERRUPTED):
        return ""
    if case.trace is not None and case.counts is None:
        place = f" ({case.trace.place})" if case.trace.place else ""
        room = LIMIT - min(len(place), 70)
        return one_line(case.trace.error, room) + place[:70]
    first = case.failures.first
    if first:
        return _explained(case, first)
    lines = case.lines or case.view.telling
    if outcome is Outcome.FAILED and lines:
        return one_line(lines[0] if case.reading.exit_status is None else lines[-1], LIMIT)
    return ""


def failing_tests(case: Case) -> list[str]:
    """Return the names of the tests that failed, in order; of nested ones the innermost."""
    names: dict[str, None] = {}
    for line in case.failures.strong:
        found = _TEST_NAME.match(line)
        name = next((group for group in found.groups() if group), "") if found else ""
        name = one_line(name.strip().rstrip(":,"), 90)
        if name and not name.isdigit():
            names.setdefault(name)
    return [name for name in names if not any(other.startswith(f"{name}/") for other in names)]


def places(case: Case) -> list[str]:
    """Return `file:line` of the failure lines, in order."""
    found: dict[str, None] = {}
    if case.trace is not None and case.trace.place:
        found.setdefault(case.trace.place.split(" in ")[0])
    for line in (*case.failures.strong, *case.failures.weak)[:40]:
        for hit in _PLACE.finditer(line):
            found.setdefault(f"{hit[1]}:{hit[2]}")
    return list(found)


def _explained(case: Case, line: str) -> str:
    """Add the message to a line that only names the failing test; strip labels from one that says it all."""
    if not _NAMES_A_TEST.match(line):
        return one_line(_LABEL.sub("", line, count=1), LIMIT)
    names = failing_tests(case)
    name = names[0] if names else one_line(_LABEL.sub("", line, count=1), 80)
    message = _message(case, line, name)
    return clip(f"{clip(name, 80)}: {message}" if message else name, LIMIT)


def _message(case: Case, line: str, name: str) -> str:
    lines = case.lines
    own = _in_own_block(case.view.telling, name) if "--- FAIL" in line else ""
    if own:
        return own
    start = name.rstrip("…")[:60]
    place = next(
        (at for at, other in enumerate(lines) if start in other and _NAMES_A_TEST.match(other.strip())), None
    )
    if place is None:
        return ""
    for other in lines[place + 1 : place + 40]:
        if _NO_MESSAGE.match(other):
            if re.match(r"\s*--- |FAIL|ok\s|=+ |not ok", other):
                break
            continue
        text = _LABEL.sub("", other, count=1).strip()
        if len(text) > 8 and _MESSAGE.search(text):
            return one_line(_plain(text), LIMIT)
    return ""


def _in_own_block(lines: list[str], name: str) -> str:
    """Return the message that `go test -v` prints under `=== NAME` of a test, before its verdict."""
    inside = False
    first = ""
    for line in lines:
        if line.startswith("=== ") or re.match(r"\s*--- ", line):
            inside = line.endswith(f" {name}") and line.startswith("=== ")
        elif inside and (found := _GO_LINE.match(line)):
            text = found[1] or found[2]
            if _MESSAGE.search(text):
                return one_line(text, LIMIT)
            first = first or text
    return one_line(first, LIMIT)


def _plain(text: str) -> str:
    found = re.match(r"(?:\S{1,120}\.\w{1,8}:\d{1,7}:(?:\d{1,6}:)? )(.{8,})", text)
    return found[1] if found else text
