"""How well a summary stands in for its raw result: one table and two corrections."""

from __future__ import annotations

from pipelines.records import Kind, Outcome

BASE: dict[tuple[Kind, bool], int] = {
    # (kind, went wrong): score
    (Kind.EMPTY, False): 10,  # nothing to read back
    (Kind.EMPTY, True): 9,
    (Kind.EDIT, False): 9,  # the change is in the parameters, the result only confirms
    (Kind.EDIT, True): 8,  # the reason is quoted
    (Kind.PLAN, False): 9,  # the list is in the facts
    (Kind.PLAN, True): 8,
    (Kind.POINTER, False): 6,  # the raw result is itself a pointer
    (Kind.POINTER, True): 7,
    (Kind.TEST_LOG, False): 8,  # counts are the finding
    (Kind.TEST_LOG, True): 5,  # the first failure is quoted, the others are not
    (Kind.BUILD_LOG, False): 8,
    (Kind.BUILD_LOG, True): 5,
    (Kind.TRACEBACK, False): 6,
    (Kind.TRACEBACK, True): 6,
    (Kind.SHELL, False): 6,
    (Kind.SHELL, True): 6,
    (Kind.TEXT, False): 5,
    (Kind.TEXT, True): 6,
    (Kind.SEARCH, False): 5,
    (Kind.SEARCH, True): 6,
    (Kind.JSON, False): 4,
    (Kind.JSON, True): 6,
    (Kind.DIFF, False): 4,
    (Kind.DIFF, True): 4,
    (Kind.AGENT, False): 4,  # a sub-agent's answer is dense
    (Kind.AGENT, True): 5,
    (Kind.WEB, False): 4,
    (Kind.WEB, True): 6,
    (Kind.HTML, False): 3,
    (Kind.HTML, True): 5,
    (Kind.FILE, False): 4,  # code is used word by word
    (Kind.FILE, True): 6,
    (Kind.IMAGE, False): 2,  # nothing of the picture is in the words
    (Kind.IMAGE, True): 3,
    (Kind.BINARY, False): 3,
    (Kind.BINARY, True): 4,
}
WHOLE = 10
"""The summary carries the whole result."""
SETTLED = 9
"""A refusal: what was said is quoted."""
LEFT_OUT = ((40_000, -2), (8_000, -1), (600, 0), (0, 1))
"""Correction by characters of the raw result that the summary does not carry: at least this many, this much."""
CONFIRMATIONS = {Kind.EMPTY, Kind.EDIT, Kind.PLAN}
"""Kinds whose text repeats the parameters, so its length takes nothing away."""


def score_of(kind: Kind, outcome: Outcome, *, characters: int, summary: int, complete: bool) -> int:
    """Return 0–10 for a result of this kind and outcome; `characters` of raw text stand behind `summary` ones.

    The base score is in `BASE`; a complete summary is worth 10, a refusal 9; the more was left out the lower,
    and a result still running or cut by its host is worth one less.
    """
    if outcome is Outcome.DECLINED:
        return SETTLED
    if complete:
        return WHOLE
    wrong = outcome in (Outcome.FAILED, Outcome.INTERRUPTED)
    score = BASE[kind, wrong]
    if kind not in CONFIRMATIONS:
        left_out = max(characters - summary, 0)
        score += next(change for least, change in LEFT_OUT if left_out >= least)
    if outcome in (Outcome.RUNNING, Outcome.UNKNOWN) and kind not in CONFIRMATIONS:
        score -= 1
    return max(1, min(score, 9))
