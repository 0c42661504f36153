"""Outputs of tests, builds, scripts and other commands: the verdict, the first failure, the counts."""

from __future__ import annotations

import re

from pipelines.l1.case import Case, Finding
from pipelines.l1.counts import Counts
from pipelines.l1.findings import git
from pipelines.l1.wording import clip, count, one_line
from pipelines.records import Outcome

_PLACE = re.compile(
    r"(?<![\w/.-])((?:[A-Za-z]:)?[\w@+~./\\-]{1,200}\.[A-Za-z]\w{0,6})(?::|\(| line )(\d{1,7})"
)
_TEST_NAME = re.compile(r"(?:--- FAIL: |FAILED |FAIL: |ERROR: |ERROR )(\S{1,200})|^\s{0,6}\d{1,4}\) (?:test )?(.{3,120}?)(?: \(\S+\))?$|"
                        r"^\s*(?:●|✗|✕|✖|×) (.{3,160})|^not ok \d+ -? ?(.{3,120})|^test (\S{1,160}) \.\.\. FAILED")  # fmt: skip
_TELLING_END = re.compile(
    r"(?:added|removed|changed|installed|Successfully|found \d|\d+ issues|All checks passed|Success:|no issues|Build succeeded|"
    r"BUILD SUCCESS|Finished|built in|compiled|Compiled|Checked \d|✓|up to date|done|Found \d)", re.IGNORECASE,
)  # fmt: skip
MAX_NAMES = 6


def read_test_log(case: Case, outcome: Outcome) -> Finding:
    """Give the verdict of a test run with its counts, the failing tests and the first error."""
    counts, failing = case.counts, failing_tests(case)
    words = count_words(counts)
    if outcome is not Outcome.FAILED:
        verdict = {
            Outcome.OK: "passed",
            Outcome.INTERRUPTED: "stopped",
            Outcome.RUNNING: "still running",
        }.get(outcome, "no verdict in the output")
        if outcome is Outcome.UNKNOWN and not words:
            return _sample(case, "no test count in the output")
        return Finding(
            parts=(
                f"{verdict}{': ' if words else ''}{words}",
                _note(case) if outcome is not Outcome.OK else "",
            )
        )
    error = first_error(case, outcome)
    parts = [f"failed{': ' if words else ''}{words}" if words else f"failed{_status(case)}"]
    if failing:
        parts.append(f"{failing[0]}{f' and {len(failing) - 1} more' if len(failing) > 1 else ''}")
    if error and error not in (failing[0] if failing else ""):
        parts.append(error)
    return Finding(
        parts=tuple(parts), keys=(*failing[:MAX_NAMES], *places(case)[:5]), symbols=tuple(failing[:3])
    )


def read_build_log(case: Case, outcome: Outcome) -> Finding:
    """Give the verdict of a build, a linter or a package manager with the first error and its place."""
    strong = case.failures.strong
    if outcome is Outcome.FAILED:
        error = first_error(case, outcome)
        amount = (
            count(len([line for line in strong if _PLACE.search(line)]) or len(strong), "error line")
            if len(strong) > 1
            else ""
        )
        return Finding(
            parts=(f"failed{_status(case)}{': ' + amount if amount else ''}", error),
            keys=tuple(places(case)[:8]),
        )
    if not case.lines:
        return Finding(parts=("no output",), complete=True)
    ends = [
        line
        for line in case.lines
        if _TELLING_END.match(line.strip()[:200]) or _TELLING_END.search(line[:120])
    ]
    if ends:
        return Finding(
            parts=tuple(one_line(line, 120) for line in (ends[-1], *ends[:1])[: 1 if len(ends) == 1 else 2]),
            keys=tuple(places(case)[:4]),
        )
    return _sample(case, "")


def read_trace_log(case: Case, outcome: Outcome) -> Finding:
    """Give the exception and where it came from."""
    trace = case.trace
    if trace is None:
        return read_shell_log(case, outcome)
    before = [line for line in case.lines if "Traceback" not in line]
    said = (
        one_line(before[0], 60)
        if before and not before[0].startswith(" ") and before[0].strip() != trace.error
        else ""
    )
    return Finding(
        parts=(
            clip(one_line(trace.error), 150),
            f"at {trace.place}" if trace.place else "",
            f"before it: {said}" if said else "",
        ),
        keys=tuple(places(case)[:5]),
    )


def read_shell_log(case: Case, outcome: Outcome) -> Finding:
    """Give what a command's output says: git's own words, the error, or the first and last lines."""
    said = git.read(case)
    if said is not None and outcome is not Outcome.FAILED:
        return said
    if outcome is Outcome.FAILED:
        error = first_error(case, outcome)
        others = [line for line in case.lines if line.strip() != error]
        return Finding(
            parts=(
                f"failed{_status(case)}: {error}" if error else f"failed{_status(case)}",
                one_line(others[-1], 80) if others else "",
            ),
            keys=tuple(places(case)[:6]),
        )
    return _sample(case, "")


def first_error(case: Case, outcome: Outcome) -> str:
    """Return the first error of a failed call: the exception, else the first failure line, else the last words."""
    if outcome not in (Outcome.FAILED, Outcome.INTERRUPTED):
        return ""
    if case.trace is not None and not case.failures.strong[:1] == (case.trace.error,):
        place = f" ({case.trace.place})" if case.trace.place else ""
        if case.counts is None:
            return clip(one_line(case.trace.error, 160 - len(place[:60])) + place[:60], 160)
    if case.failures.first:
        return _with_following(case, case.failures.first)
    if outcome is Outcome.FAILED and case.lines:
        line = (
            case.lines[0] if case.reading.error_flag and case.reading.exit_status is None else case.lines[-1]
        )
        return one_line(line, 160)
    return ""


def _with_following(case: Case, error: str) -> str:
    """Add the message to a line that only names the failing test."""
    error = one_line(error, 160)
    if not re.match(r"(?:--- FAIL: \S+|FAIL: \S+|ERROR: \S+|not ok \d|\d+\) |●|✗|✕|✖|×)", error):
        return error
    place = next((at for at, line in enumerate(case.lines) if one_line(line, 160) == error), None)
    if place is None:
        return error
    for line in case.lines[place + 1 : place + 25]:
        text = line.strip()
        if len(text) > 8 and re.search(
            r"error|assert|expected|got|want|panic|fail|not |left:|timeout|match", text, re.IGNORECASE
        ):
            return clip(f"{clip(error, 70)}: {one_line(text, 160)}", 160)
    return error


def failing_tests(case: Case) -> list[str]:
    """Return the names of the tests that failed, in order."""
    names: dict[str, None] = {}
    for line in case.failures.strong:
        found = _TEST_NAME.search(line)
        name = next((group for group in found.groups() if group), "") if found else ""
        if name and not name.startswith(("in ", "[")) and not name.rstrip(":").isdigit():
            names.setdefault(one_line(name.rstrip(":,"), 80))
    return list(names)


def places(case: Case) -> list[str]:
    """Return `file:line` of the failure lines, in order."""
    found: dict[str, None] = {}
    for line in (*case.failures.strong, *case.failures.weak)[:40]:
        for hit in _PLACE.finditer(line):
            found.setdefault(f"{hit[1]}:{hit[2]}")
    if case.trace is not None and case.trace.place:
        found.setdefault(case.trace.place.split(" in ")[0])
    return list(found)


def count_words(counts: Counts | None) -> str:
    """Write a runner's count: `2 failed, 40 passed in 3.1 s`."""
    if counts is None:
        return ""
    unit = "packages" if counts.unit == "package" else ""
    parts = [
        f"{counts.failed} failed" if counts.failed else "",
        f"{counts.passed} {unit + ' ' if unit else ''}passed" if counts.passed is not None else "",
    ]
    parts.append(f"{counts.skipped} skipped" if counts.skipped else "")
    words = ", ".join(part for part in parts if part)
    return words + (f" in {counts.seconds} s" if counts.seconds and words else "")


def _status(case: Case) -> str:
    status = case.reading.exit_status
    return f" with exit status {status}" if status else ""


def _note(case: Case) -> str:
    return one_line(case.lines[-1], 100) if case.lines else ""


def _sample(case: Case, lead: str) -> Finding:
    lines = case.lines
    parts = [lead] if lead else []
    if not lines:
        return Finding(parts=tuple(parts) or ("no output",), complete=True)
    total = case.view.line_count
    if len(lines) == 1:
        return Finding(parts=(*parts, one_line(lines[0], 190)))
    parts.append(f"{one_line(lines[0], 90)} … {one_line(lines[-1], 90)}")
    return Finding(parts=(*parts, f"{total} lines"), keys=tuple(places(case)[:4]))
