"""Folding steps and prompts into a canvas, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache

from pipelines.l2.folds import fold_to_fit
from pipelines.l2.node import Node
from pipelines.l2.place import place
from pipelines.l2.reading import clip
from pipelines.l2.state import CanvasState, Draft
from pipelines.l2.view import node_view
from pipelines.l15.prompts import is_host_text, telling_line
from pipelines.l15.replies import agrees
from pipelines.mermaid.header import write_header
from pipelines.mermaid.text import tight_size
from pipelines.records import PlanItem, Prompt, Step

TITLE = 110
TELLING = 12
"""Characters from which a prompt says enough to name a stretch of work."""


def new_state(*, number: int, label: str, goal: str, created: datetime) -> CanvasState:
    """Return a canvas without nodes."""
    return CanvasState(number=number, label=label, goal=clip(goal), created=created, updated=created)


def advance(
    state: CanvasState,
    steps: Sequence[Step],
    prompts: Sequence[Prompt] = (),
    *,
    max_nodes: int = 40,
    max_chars: int = 4000,
) -> tuple[CanvasState, dict[int, int]]:
    """Fold in further steps, in order of `seq`, and the prompts that came between or before them.

    Return the new state and the number of each step's own node by its `seq`. The result is the same however the
    steps are cut into batches. A prompt belongs before the first step with `seq >= before_seq`.
    """
    draft = Draft.of(state)
    places: dict[int, int] = {}
    waiting = sorted(prompts, key=lambda prompt: prompt.before_seq)
    asked = 0
    for step in steps:
        while asked < len(waiting) and waiting[asked].before_seq <= step.seq:
            _turn(draft, waiting[asked])
            asked += 1
        _follow_plan(draft, step.facts.plan)
        places[step.seq] = place(draft, step)
        draft.last_seq = step.seq
        draft.updated = max(draft.updated, step.timestamp)
        fold_to_fit(draft, lambda now: _fits(now, max_nodes, max_chars))
        _forget_phases(draft)
    for prompt in waiting[asked:]:
        _turn(draft, prompt)
    return draft.freeze(), places


def pause(state: CanvasState) -> CanvasState:
    """Return the canvas as it is shown while the agent works at another task."""
    return replace(state, paused=True)


def resume(state: CanvasState) -> CanvasState:
    """Return the canvas as it is shown while the agent works at it."""
    return replace(state, paused=False)


def _turn(draft: Draft, prompt: Prompt) -> None:
    """Begin a phase under the words of a prompt that says more than to go on."""
    words = telling_line(prompt.text)
    if is_host_text(prompt.text) or len(words) < TELLING or agrees(words):
        return
    draft.plan_active = ""
    _begin_phase(draft, clip(words, TITLE), planned=False)


def _follow_plan(draft: Draft, plan: Sequence[PlanItem]) -> None:
    """Begin a phase when the agent's plan moves to another item."""
    if not plan:
        return
    draft.plan_total = len(plan)
    draft.plan_done = sum(item.done for item in plan)
    active = next((clip(item.text, TITLE) for item in plan if item.active), "")
    if active and active != draft.plan_active:
        draft.plan_active = active
        _begin_phase(draft, active, planned=True)


def _begin_phase(draft: Draft, title: str, *, planned: bool) -> None:
    number = draft.phase + 1 if draft.phases else 1
    draft.phases.append((number, title, planned))


def _forget_phases(draft: Draft) -> None:
    used = {node.phase for node in draft.nodes}
    draft.phases = [phase for phase in draft.phases[:-1] if phase[0] in used] + draft.phases[-1:]


def _fits(draft: Draft, max_nodes: int, max_chars: int) -> bool:
    if len(draft.nodes) > max_nodes:
        return False
    header = write_header(goal=draft.goal[:104], progress=100, created=draft.created, updated=draft.updated)
    room = max_chars - len(header) - len("\nflowchart TD\n")
    return room >= sum(_size(draft.number, node) for node in draft.nodes)


@lru_cache(maxsize=1024)
def _size(number: int, node: Node) -> int:
    return tight_size(node_view(number, node, status="blocked", title=""), edges=2 if node.back_to else 1)
