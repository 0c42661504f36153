"""Outputs of tests, builds, scripts and other commands: the verdict, the first failure, the counts."""

from __future__ import annotations

import re

from pipelines.l1.case import Case, Finding
from pipelines.l1.counts import Counts
from pipelines.l1.findings import git
from pipelines.l1.findings.errors import first_error
from pipelines.l1.findings.failing import failing_tests
from pipelines.l1.findings.places import place_of_test, places
from pipelines.l1.hostwords import RUNNING
from pipelines.l1.noise import quiet_words
from pipelines.l1.wording import clip, count, one_line
from pipelines.records import Outcome

_TELLING_END = re.compile(
    r"(?:added|removed|changed|audited) \d|installed|Successfully|[Ff]ound (?:\d|no)|\b\d+ issues|"
    r"All checks passed|Success:|"
    r"[Nn]o issues|Build succeeded|BUILD SUCCESS|^\s*Finished|built in|[Cc]ompiled|Checked \d|✓|up to date|"
    r"\* Getting |^\s*(?:New|Updated|Upgraded):",
)
_DONE = re.compile(
    r"(?:Apply|Destroy) complete!|Plan: \d|No changes\.|.{0,80}successfully rolled out|Already up to date|"
    r"Everything up-to-date|Status: (?:Down|Image)|\d+ upgraded, |Successfully (?:built|tagged) |#\d+ naming to |"
    r"make(?:\[\d\])?: .{0,60}(?:Nothing to be done|up to date)"
)
"""The line in which a tool that prints its progress says what came of it."""
_SUITE = re.compile(r"\s?FAIL\s{1,8}(\S{1,200})(?:\s+\(?[\d.]+ ?m?s\)?|\s+\[.{1,40}\])?\s*$")
_ENDINGS = {
    Outcome.INTERRUPTED: "stopped before the run ended",
    Outcome.RUNNING: "still running",
    Outcome.UNKNOWN: "no verdict in the output",
}
_HANDLE = re.compile(r"(?:\bID:? |\bsession )([\w-]{1,60})|written to:? (\S{1,300}[^\s.])")
MAX_NAMES = 6
MAX_PLACED = 3
FEW_LINES = 8
"""A passing run with at most this many telling lines has no more to say than its count."""


def read_test_log(case: Case, outcome: Outcome) -> Finding:
    """Give the verdict of a test run with its counts, the failing tests and the first error."""
    counts, failing = case.counts, failing_tests(case)
    words = count_words(counts)
    if outcome is Outcome.OK and words:
        return Finding(parts=(words,), complete=len(case.lines) <= FEW_LINES)
    if outcome is not Outcome.FAILED:
        lead = "exit status 0, but no test count" if outcome is Outcome.OK else _ENDINGS.get(outcome, "")
        return Finding(parts=(lead, words)) if words else _sample(case, lead)
    error = first_error(case, outcome)
    parts = [words if counts is not None and counts.failed else f"failed{_status(case)}"]
    parts.append(error)
    if len(failing) > 1:
        parts.append(f"also {', '.join(clip(name, 40) for name in failing[1:3])}")
    if not failing:
        suites = [found[1] for line in case.lines if (found := _SUITE.match(line[:260]))]
        return Finding(parts=tuple(parts), keys=(*dict.fromkeys(suites[:MAX_NAMES]), *places(case)[:5]))
    spots = [place_of_test(case, name) for name in failing[:MAX_PLACED]]
    keys = (*failing[:1], *spots[:1], *failing[1:MAX_NAMES], *spots[1:], *places(case)[:5])
    return Finding(parts=tuple(parts), keys=keys, symbols=tuple(failing[:3]))


def read_build_log(case: Case, outcome: Outcome) -> Finding:
    """Give the verdict of a build, a linter or a package manager with the first error and its place."""
    if outcome is Outcome.FAILED:
        located = [line for line in case.failures.strong if re.search(r"[:(]\d", line)]
        amount = f"{count(len(located), 'error')}, first " if len(located) > 1 else ""
        error = first_error(case, outcome)
        lead = f"failed{_status(case)}"
        return Finding(parts=(f"{lead}: {amount}{error}" if error else lead,), keys=tuple(places(case)[:8]))
    ends = [one_line(line, 120) for line in case.lines if _TELLING_END.search(line[:160])]
    if ends:
        return Finding(parts=tuple(dict.fromkeys((ends[-1], ends[0]))), keys=tuple(places(case)[:4]))
    return _sample(case, _ENDINGS.get(outcome, ""))


def read_trace_log(case: Case, outcome: Outcome) -> Finding:
    """Give the exception and where it came from."""
    trace = case.trace
    if trace is None:
        return read_shell_log(case, outcome)
    before = case.lines[0] if case.lines and "Traceback" not in case.lines[0] else ""
    said = one_line(before, 60) if before[:1].strip() and before.strip() != trace.error else ""
    return Finding(
        parts=(
            clip(one_line(trace.error), 150),
            f"at {trace.place}" if trace.place else "",
            f"printed before it: {said}" if said else "",
        ),
        keys=tuple(places(case)[:5]),
    )


def read_shell_log(case: Case, outcome: Outcome) -> Finding:
    """Give what a command's output says: git's own words, the error, or the first and last lines."""
    if outcome is Outcome.FAILED:
        error = first_error(case, outcome)
        others = [line for line in case.lines if one_line(line, 160) != error]
        return Finding(
            parts=(
                f"failed{_status(case)}: {error}" if error else f"failed{_status(case)}",
                f"ends: {one_line(others[-1], 80)}" if others else "",
            ),
            keys=tuple(places(case)[:6]),
        )
    done = next((line.strip() for line in reversed(case.lines[-40:]) if _DONE.match(line.strip())), "")
    if done:
        size = f"{case.view.line_count} lines" if len(case.lines) > 1 else ""
        return Finding(parts=(one_line(done, 160), size), complete=len(case.lines) == 1)
    return git.read(case) or _sample(case, "")


def count_words(counts: Counts | None) -> str:
    """Write a runner's count: `2 failed, 40 passed in 3.1 s`, `12 tests passed`."""
    if counts is None or (counts.passed is None and not counts.failed):
        return ""
    if not (counts.failed or counts.passed or counts.skipped):
        return f"no {counts.unit}s ran"
    failed, passed, skipped = counts.failed or 0, counts.passed or 0, counts.skipped or 0
    plural = "" if (failed or passed) == 1 else "s"
    if failed:
        words = f"{failed} {counts.unit + plural + ' ' if counts.unit == 'package' else ''}failed" + (
            f", {passed} passed" if passed else ""
        )
    else:
        words = f"{passed} {counts.unit}{plural} passed"
    return (
        words
        + (f", {skipped} skipped" if skipped else "")
        + (f" in {counts.seconds} s" if counts.seconds else "")
    )


def _status(case: Case) -> str:
    status = case.reading.exit_status
    return f" with exit status {status}" if status else ""


def _sample(case: Case, lead: str) -> Finding:
    lines = case.lines
    parts = [lead] if lead else []
    if not lines and (quiet := quiet_words(case.view.telling)):
        return Finding(parts=(quiet,), complete=True)
    if not lines:
        return Finding(
            parts=(*parts, "nothing but notices" if case.view.telling else "no output"), complete=True
        )
    if case.reading.running:
        notices = [line for line in lines if any(mark.match(line) for mark in RUNNING)]
        lines = [line for line in lines if line not in notices]
        names = [hit[1] or hit[2] for line in notices for hit in _HANDLE.finditer(line)]
        lead = f"still running as {names[0]}" if names else "still running"
        said = f"{lead}, last: {one_line(lines[-1], 130)}" if lines else f"{lead}, no output yet"
        return Finding(
            parts=(said, f"{count(len(lines), 'line')} so far" if lines else ""), keys=tuple(names)
        )
    if len(lines) == 1:
        return Finding(parts=(*parts, one_line(lines[0], 190)), complete=len(lines[0]) <= 160 and not lead)
    parts.append(f"{one_line(lines[0], 90)} … {one_line(lines[-1], 90)}")
    return Finding(parts=(*parts, f"{case.view.line_count} lines"), keys=tuple(places(case)[:4]))
