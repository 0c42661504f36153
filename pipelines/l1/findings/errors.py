"""The first error of a failed call."""

from __future__ import annotations

from pipelines.l1.case import Case
from pipelines.l1.failures import COUNT_ONLY
from pipelines.l1.findings.failing import LABEL, failing_tests, message_of
from pipelines.l1.wording import clip, one_line
from pipelines.records import Act, Outcome

LIMIT = 160


def first_error(case: Case, outcome: Outcome) -> str:
    """Return the first error of a failed call: the exception, else the first failure line, else its last words."""
    if outcome not in (Outcome.FAILED, Outcome.INTERRUPTED):
        return ""
    if case.trace is not None and case.counts is None:
        place = f" ({case.trace.place})" if case.trace.place else ""
        room = LIMIT - min(len(place), 70)
        return one_line(case.trace.error, room) + place[:70]
    names = failing_tests(case) if case.counts is not None or case.request.act is Act.TEST else []
    if names:
        message = message_of(case, names[0])
        return clip(f"{clip(names[0], 80)}: {message}" if message else f"{names[0]} failed", LIMIT)
    if case.failures.first:
        return one_line(LABEL.sub("", case.failures.first, count=1), LIMIT)
    lines = [line for line in case.lines or case.view.telling if not COUNT_ONLY.match(line[:LIMIT])]
    if outcome is Outcome.FAILED and lines:
        return one_line(lines[0] if case.reading.exit_status is None else lines[-1], LIMIT)
    return ""
