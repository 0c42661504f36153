"""The boundary judge: long, short or pending, and on which canvas."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipelines.l15.likeness import likeness
from pipelines.l15.prompts import goal_of, is_host_text, label_of, spoken
from pipelines.l15.replies import agrees, carries_on, complains, extent, starts_over
from pipelines.l15.verdict import CanvasBrief, Verdict, VerdictKind
from pipelines.records import Act, Kind, Outcome, Prompt, Step

ENOUGH = 3
"""So many calls that found something out are a task, even when nothing was changed."""
NEAR = 3
"""Likeness from which work counts as being about the same things."""
SAME = 2
"""Likeness from which work goes on with the task at hand."""
MANY = 8
"""So many look-ups about other things are a task of their own."""
BRIEF_PROMPT = 60
_COMMAND = re.compile(r"/[\w:-]{1,60}")
_DOING = frozenset({Act.CHANGE, Act.TEST, Act.VERIFY, Act.DELEGATE})


def judge(
    *,
    prompts: Sequence[Prompt],
    steps: Sequence[Step],
    active: CanvasBrief | None,
    canvases: Sequence[CanvasBrief],
) -> Verdict:
    """Judge the work after `prompts`, by the prompts and by the steps so far.

    No prompts at all mean that nobody posts them: the default task, long from its first step. Without steps the
    answer is pending. A short verdict may become long when more steps come; a long one is final.
    """
    asked = [prompt.text for prompt in prompts if not is_host_text(prompt.text) and spoken(prompt.text)]
    said = [prompt.text for prompt in prompts if spoken(prompt.text)]
    goal = goal_of(_telling(asked or said)) if said else ""
    label = label_of(goal, *_objects(steps))
    if not steps:
        return Verdict(
            kind=VerdictKind.PENDING, canvas=None, label=label, goal=goal, reason="Nothing was done yet."
        )
    short = _short(steps, active) if prompts else ""
    if short:
        return Verdict(kind=VerdictKind.SHORT, canvas=None, label=label, goal=goal, reason=short)
    canvas, reason = _choose(asked, steps, active, canvases, default=not prompts)
    goal = goal or next((step.tool_call[:160] for step in steps if step.tool_call), "")
    return Verdict(kind=VerdictKind.LONG, canvas=canvas, label=label, goal=goal, reason=reason)


def _short(steps: Sequence[Step], active: CanvasBrief | None) -> str:
    """Return why the work is short so far, or nothing."""
    real = [step for step in steps if step.facts.act not in (Act.PLAN, Act.ASK)]
    done = [step for step in real if step.facts.outcome is not Outcome.DECLINED]
    if any(step.facts.act in _DOING for step in done):
        return ""
    delivered = sum(step.facts.act is Act.DELIVER for step in done)
    telling = sum(step.facts.kind is not Kind.EMPTY for step in done)
    if delivered and (active or len(done) > 1):
        return ""
    if telling >= ENOUGH:
        return ""
    if delivered:
        return "Only a delivery of earlier work, and no canvas it belongs to."
    if not done:
        return "Nothing was done besides planning and asking."
    return "Only a look-up so far: nothing was changed or tested."


def _choose(
    asked: Sequence[str],
    steps: Sequence[Step],
    active: CanvasBrief | None,
    canvases: Sequence[CanvasBrief],
    *,
    default: bool,
) -> tuple[int | None, str]:
    """Return the canvas to go on with, or None for a new one, and why."""
    if default:
        if active:
            return active.number, "No prompts are posted, so the work goes on under the default task."
        return None, "No prompts are posted, so the work is kept under a default task."
    text = " ".join(map(spoken, asked))
    objects = _objects(steps)
    scores = {canvas.number: likeness(canvas, prompt=text, objects=objects) for canvas in canvases}
    if active:
        scores[active.number] = likeness(active, prompt=text, objects=objects)
    best = max(scores, key=lambda number: (scores[number], number), default=None)
    if not active:
        if best is not None and scores[best] >= NEAR and not starts_over(text):
            return best, "The prompt and the files touched belong to an earlier task."
        return None, "The first task here with more than a look-up."
    if not asked:
        return active.number, "The host asked to go on; no new words from the person."
    if all(agrees(spoken(one)) for one in asked):
        return active.number, "The person asked to go on with the task at hand."
    if all(carries_on(spoken(one)) for one in asked):
        return active.number, "A remark on the task at hand."
    if starts_over(text) and scores[active.number] < 2 * NEAR:
        return None, "The person named a new task."
    if (
        best is not None
        and best != active.number
        and scores[best] >= max(NEAR, 2 * scores[active.number] + 1)
    ):
        return best, "The prompt and the files touched belong to an earlier task."
    if scores[active.number] >= SAME:
        return active.number, "The work is on the same files and words as the task at hand."
    if complains(text):
        return active.number, "The person says that something of the task at hand is not right yet."
    if len(steps) < MANY and not any(step.facts.act in _DOING for step in steps):
        return active.number, "A question beside the task at hand: nothing was changed or tested."
    if extent(text) <= BRIEF_PROMPT:
        return active.number, "A brief remark on the task at hand."
    return None, "The prompt speaks of other things than the task at hand."


def _telling(texts: Sequence[str]) -> str:
    """Return the first prompt that says more than a word of agreement or the name of a command."""
    full = [text for text in texts if not agrees(spoken(text)) and not _COMMAND.fullmatch(spoken(text))]
    return next((text for text in full if not carries_on(spoken(text))), (full or list(texts))[0])


def _objects(steps: Sequence[Step]) -> list[str]:
    return [name for step in steps for name in step.facts.objects]
