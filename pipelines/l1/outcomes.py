"""How a call ended, judged by what was read and never better."""

from __future__ import annotations

import re

from pipelines.l1.case import Case
from pipelines.l1.findings.data import json_error
from pipelines.l1.kinds import json_of
from pipelines.l1.tools import Role
from pipelines.records import Act, Kind, Outcome

_TOOL_ERROR = re.compile(
    r"(?:Error\b|ERROR\b|error:|Failed to|failed in sandbox|Invalid |No replacement was performed|"
    r"String to replace not found|"
    r"File does not exist|Path does not exist|Parameter \S+ is (?:required|expected)|Unknown (?:tool|command)|"
    r"Cannot |Could not |"
    r"File not found|No such |Traceback \(most|Tool \S+ (?:not found|failed)|Permission denied|Access denied|"
    r"old_str\b.{0,80}not found|"
    r"apply_patch verification failed|Failed to find|Invalid patch|Received non-|Request failed|Timeout|"
    r"HTTP (?:4|5)\d\d|Unauthorized|InputValidationError)"
)
_EDIT_DONE = re.compile(
    r"(?:success|has been (?:updated|edited|created|written)|updated the following|[Ff]ile created|[Cc]reated|"
    r"[Ww]rote|written|"
    r"Text replaced|Applied|applied|edited|replaced|saved|Done|\[File: |Updated|Added)"
)
_SAYS_CLEAN = re.compile(
    r"(?:^|\n)\s*(?:.{0,60}\(0 errors, |0 (?:issues|errors|problems|warnings)\b|All checks passed|Success: no issues|"
    r"no issues found|No issues found|"
    r"BUILD SUCCESS|Build succeeded|(?:✓|✔) (?:built|compiled|no )|Finished |added \d+ packages?|up to date|"
    r"Successfully (?:installed|built)|"
    r"Found 0 (?:errors|warnings)|found 0 vulnerabilities|.{0,60}\bno (?:errors|issues|problems)\b|"
    r"\d+ files? (?:already formatted|left unchanged)|"
    r"Checked \d+ files? in .{1,30}\. No fixes|Compiled successfully|.{0,40}built in \d)",
)


def outcome_of(case: Case, kind: Kind) -> Outcome:
    """Judge a call's outcome.

    A refusal, a stop and a run that still goes on are told by the host's words. Then any sign of failure
    counts: an error flag, a non-zero exit status, a runner's count, an exception, a failure line in a log.
    Success needs a sign too: exit status 0, a clean count, a confirmation, or the content that was asked for;
    the exit status of a pipe's last command is no sign for its first.
    """
    reading, shell = case.reading, case.request.shell
    if reading.declined:
        return Outcome.DECLINED
    if reading.interrupted:
        return Outcome.INTERRUPTED
    if reading.running and reading.exit_status is None:
        return Outcome.RUNNING
    if (
        reading.exit_status == 124
        and shell
        and any("timeout" in part.command.words[:3] for part in shell.parts)
    ):
        return Outcome.INTERRUPTED
    if reading.exit_status == 1 and shell and shell.searches and not case.failures.strong:
        return Outcome.UNKNOWN
    if reading.error_flag or reading.exit_status not in (None, 0):
        return Outcome.FAILED
    if kind in (Kind.TEST_LOG, Kind.BUILD_LOG, Kind.TRACEBACK, Kind.SHELL) and _log_failed(case, kind):
        return Outcome.FAILED
    if kind is Kind.JSON and case.request.role is not Role.READ and json_error(json_of(case.text)):
        return Outcome.FAILED
    if (case.request.role is not Role.SHELL or kind is Kind.EDIT) and _tool_failed(case, kind):
        return Outcome.FAILED
    return _unless_unknown(case, kind)


def _log_failed(case: Case, kind: Kind) -> bool:
    """Tell whether a log says that its run failed."""
    counts, failures = case.counts, case.failures
    if counts is not None and (counts.failed or counts.says_failed):
        return True
    if kind is Kind.TRACEBACK:
        return True
    act = case.request.act
    if act is Act.EXPLORE:
        return bool(failures.strong) and len(case.lines) <= 3 and kind is Kind.SHELL
    if case.trace is not None and not (counts is not None and counts.clean):
        return True
    if failures.strong:
        return not (counts is not None and counts.clean and not _names_failing_test(case))
    settled = (
        (counts is not None and counts.clean)
        or case.reading.exit_status == 0
        or bool(_SAYS_CLEAN.search(case.text))
    )
    return bool(failures.weak) and kind in (Kind.TEST_LOG, Kind.BUILD_LOG) and not settled


def _names_failing_test(case: Case) -> bool:
    return any(
        re.match(r"(?:--- FAIL|FAILED |FAIL[: \t]|not ok|.{1,200} FAILED|[✗✕✖✘×] )", line)
        for line in case.failures.strong
    )


def _tool_failed(case: Case, kind: Kind) -> bool:
    if case.request.role is Role.READ and len(case.lines) > 3:
        return False
    return kind is not Kind.AGENT and bool(case.lines) and bool(_TOOL_ERROR.match(case.lines[0]))


def _unless_unknown(case: Case, kind: Kind) -> Outcome:
    reading, shell = case.reading, case.request.shell
    counts = case.counts if kind is Kind.TEST_LOG else None
    if counts is not None and counts.clean:
        return Outcome.OK
    masked = shell is not None and shell.masked
    if kind in (Kind.TEST_LOG, Kind.BUILD_LOG) and masked:
        return Outcome.OK if kind is Kind.BUILD_LOG and _SAYS_CLEAN.search(case.text) else Outcome.UNKNOWN
    if reading.exit_status == 0 or reading.clean_flag:
        return Outcome.UNKNOWN if masked and case.request.act in (Act.TEST, Act.VERIFY) else Outcome.OK
    if kind is Kind.BUILD_LOG and _SAYS_CLEAN.search(case.text):
        return Outcome.OK
    if kind is Kind.EDIT:
        return (
            Outcome.OK
            if _EDIT_DONE.search(case.text[:2_000]) or case.request.role is Role.SUBMIT
            else Outcome.UNKNOWN
        )
    if kind in (
        Kind.FILE,
        Kind.SEARCH,
        Kind.WEB,
        Kind.HTML,
        Kind.IMAGE,
        Kind.DIFF,
        Kind.PLAN,
        Kind.AGENT,
        Kind.JSON,
    ):
        return Outcome.OK
    if kind is Kind.POINTER:
        return Outcome.UNKNOWN if reading.cut.pointer != "-" else Outcome.FAILED
    if kind is Kind.TEXT:
        return Outcome.OK if case.text else Outcome.UNKNOWN
    if case.request.act is Act.EXPLORE and case.text:
        return Outcome.OK
    if case.request.act is Act.DELIVER and re.search(
        r"^\[\S+.{0,100} [0-9a-f]{7,40}\] |https?://\S+/(?:pull|issues|releases)/| -> \S",
        case.text[:20_000],
        re.MULTILINE,
    ):
        return Outcome.OK
    return Outcome.UNKNOWN
