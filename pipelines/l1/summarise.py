"""One tool call in, its L1 row out."""

from __future__ import annotations

import re

from pipelines.content import media_of, text_of
from pipelines.l1.case import Case, Finding
from pipelines.l1.findings import data, edits, files, logs, pages, plain, search
from pipelines.l1.findings.errors import first_error
from pipelines.l1.findings.handles import handles
from pipelines.l1.kinds import json_of, kind_of
from pipelines.l1.naming import tool_call_line
from pipelines.l1.objects import objects_of
from pipelines.l1.outcomes import outcome_of
from pipelines.l1.plans import LIST_KEYS, describe, plan_of
from pipelines.l1.request import read_request
from pipelines.l1.scoring import score_of
from pipelines.l1.tools import Role
from pipelines.l1.unwrap import read_result
from pipelines.l1.view import view_of
from pipelines.l1.wording import join_fitting, one_line, unique
from pipelines.records import Act, Facts, Kind, Outcome, Summary, ToolCall

SUMMARY_LIMIT = 200
KEY_LIMIT = 12
KEY_WIDTH = 80
ERROR_LIMIT = 160
SHORT = 60
"""Results of at most this many characters are never worth a summary."""


def summarise(call: ToolCall) -> Summary:
    """Read a tool call and its result and say in at most 200 characters what was found or done.

    Extractive and deterministic: every word of a finding is counted or quoted. Never raises; time grows with
    the result's length only by plain string searches, the rest looks at a bounded view of it.
    """
    raw = text_of(call.result)
    case = _case(call, raw)
    kind = kind_of(case)
    outcome = outcome_of(case, kind)
    finding = _finding(case, kind, outcome)
    error = _error(case, kind, outcome)
    whole = _whole(case, kind, outcome)
    summary = whole or _sentence(case, outcome, finding) or "no printable text"
    complete = (
        (bool(whole) or finding.complete) and outcome is not Outcome.RUNNING and not case.reading.cut.missing
    )
    counts = case.counts if kind is Kind.TEST_LOG else None
    countable = counts is not None and counts.unit == "test"
    return Summary(
        tool_call=tool_call_line(case.request),
        summary=summary,
        keys=_keys(case, kind, outcome, finding, summary),
        score=score_of(kind, outcome, characters=len(raw), summary=len(summary), complete=complete),
        short=not case.media and len(raw) <= max(len(summary), SHORT),
        facts=Facts(
            kind=kind,
            act=_act(case, kind),
            outcome=outcome,
            exit_status=case.reading.exit_status,
            objects=objects_of(case, finding),
            check=case.request.shell.check if case.request.shell else "",
            passed=counts.passed if counts is not None and countable else None,
            failed=counts.failed if counts is not None and countable else None,
            first_error=error,
            plan=plan_of(case.request, call.result, case.text) if kind is Kind.PLAN else (),
        ),
    )


def _keys(case: Case, kind: Kind, outcome: Outcome, finding: Finding, said: str) -> tuple[str, ...]:
    """Return the finding's keys and the handles in the result, without prose that the summary quotes already."""
    named = finding.keys
    if kind is not Kind.TEST_LOG:
        named = tuple(key for key in named if " " not in key.strip() or key not in said)
    more = () if outcome is Outcome.DECLINED else handles(case, kind, outcome, named)
    return unique((*named, *more), KEY_LIMIT, KEY_WIDTH)


def _error(case: Case, kind: Kind, outcome: Outcome) -> str:
    if outcome is not Outcome.FAILED:
        return ""
    if kind is Kind.EDIT:
        return one_line(" ".join(case.lines[:6]), ERROR_LIMIT)
    if kind is Kind.JSON and (said := data.json_error(json_of(case.text))):
        return said
    return one_line(first_error(case, outcome), ERROR_LIMIT)


def _case(call: ToolCall, raw: str) -> Case:
    request = read_request(call.tool_name, call.params)
    reading = read_result(
        call.result,
        raw,
        error=call.error,
        is_error=call.is_error,
        runs=request.role in (Role.SHELL, Role.OUTPUT, Role.OTHER),
        own_words=request.role is Role.OUTPUT
        or (request.role is Role.SHELL and request.act is not Act.EXPLORE),
    )
    return Case(
        request=request,
        reading=reading,
        view=view_of(reading.text),
        result=call.result,
        media=media_of(call.result),
    )


def _act(case: Case, kind: Kind) -> Act:
    if kind is Kind.TEST_LOG and case.request.act is Act.RUN:
        return Act.TEST
    return case.request.act


def _finding(case: Case, kind: Kind, outcome: Outcome) -> Finding:
    if outcome is Outcome.DECLINED:
        return plain.read_refusal(case)
    if kind is Kind.PLAN:
        items = plan_of(case.request, case.result, case.text)
        if not items and any(case.request.params.get(key) == [] for key in LIST_KEYS):
            return Finding(parts=("the list is empty now",), complete=True)
        return Finding(parts=(describe(items),)) if items else plain.read_prose(case)
    if kind in (Kind.EMPTY,):
        return plain.read_nothing(case, outcome)
    if kind in (Kind.IMAGE, Kind.BINARY):
        return plain.read_media(case)
    if kind is Kind.POINTER:
        return plain.read_pointer(case)
    if kind is Kind.EDIT:
        return edits.read_edit(case, outcome)
    if kind is Kind.TEST_LOG:
        return logs.read_test_log(case, outcome)
    if kind is Kind.BUILD_LOG:
        return logs.read_build_log(case, outcome)
    if kind is Kind.TRACEBACK:
        return logs.read_trace_log(case, outcome)
    if kind is Kind.SHELL or outcome is Outcome.FAILED:
        return logs.read_shell_log(case, outcome)
    return _content(case, kind)


def _content(case: Case, kind: Kind) -> Finding:
    if kind is Kind.FILE:
        return files.read_file(case)
    if kind is Kind.SEARCH:
        return search.read_search(case)
    if kind is Kind.DIFF:
        return edits.read_diff(case)
    if kind is Kind.JSON:
        return data.read_json(case)
    if kind is Kind.HTML:
        return pages.read_html(case)
    if kind is Kind.WEB:
        return pages.read_web(case)
    return plain.read_prose(case)


def _whole(case: Case, kind: Kind, outcome: Outcome) -> str:
    """Return the whole result on one line when it is short enough to be its own summary."""
    if kind in (Kind.EDIT, Kind.PLAN, Kind.EMPTY, Kind.POINTER, Kind.IMAGE, Kind.BINARY) or outcome in (
        Outcome.DECLINED,
        Outcome.RUNNING,
        Outcome.INTERRUPTED,
    ):
        return ""
    if (
        (kind is Kind.TEST_LOG and case.counts is not None)
        or case.text in ("{}", "[]")
        or not case.lines
        or case.reading.cut.missing
    ):
        return ""
    lead = _failure_lead(case) if outcome is Outcome.FAILED else ""
    if len(case.text) + len(lead) > SUMMARY_LIMIT - 20:
        return ""
    if kind is Kind.FILE and outcome is not Outcome.FAILED:
        text = files.whole_file(case)
        return text if len(text) <= SUMMARY_LIMIT else ""
    joint = " " if kind in (Kind.JSON, Kind.HTML) else "; "
    text = joint.join(line.strip() for line in case.lines)
    return one_line(lead + text, SUMMARY_LIMIT + 1) if len(lead + text) <= SUMMARY_LIMIT else ""


def _failure_lead(case: Case) -> str:
    status = case.reading.exit_status
    if status:
        return f"failed with exit status {status}: "
    return (
        ""
        if re.match(r"\W{0,4}(?:fail|error|fatal|panic|cannot|invalid)", case.text, re.IGNORECASE)
        else "failed: "
    )


def _sentence(case: Case, outcome: Outcome, finding: Finding) -> str:
    parts = list(finding.parts)
    if outcome is Outcome.RUNNING and "running" not in parts[0]:
        parts.insert(0, "still running")
    if outcome is Outcome.INTERRUPTED and "stopped" not in parts[0]:
        parts.insert(0, "stopped before it ended")
    missing = case.reading.cut.missing
    tail = f"; {missing} of the output missing" if missing and not _asked_for_a_part(case) else ""
    return one_line(join_fitting(parts, SUMMARY_LIMIT - len(tail)) + tail, SUMMARY_LIMIT)


def _asked_for_a_part(case: Case) -> bool:
    """Tell whether the lines that are not shown were not asked for."""
    return case.request.role is Role.READ and case.request.last_line is not None
