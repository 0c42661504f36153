"""Canvases as they grow while recorded sessions are played, without a database."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pipelines import l1, l2, l15
from pipelines.pairs import JSON, PostedPair, decode_text
from pipelines.records import Prompt, Step, ToolCall
from pipelines.transcripts import PairSeen, PromptSeen, UnknownFormat, read

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


def files() -> list[Path]:
    """Return the files of the folder that OFFLOAD_TEST_DATA names; none when it is unset."""
    folder = os.environ.get("OFFLOAD_TEST_DATA")
    return sorted(path for path in Path(folder).rglob("*.json*") if path.is_file()) if folder else []


def states(path: Path) -> Iterator[l2.CanvasState]:
    """Yield each state of each canvas of a session file, one for each step; none for a file of an unknown kind."""
    prompts, steps = _read(path)
    known: dict[int, l2.CanvasState] = {}
    active: int | None = None
    starts = sorted({1, *(prompt.before_seq for prompt in prompts)})
    for start, end in zip(starts, [*starts[1:], len(steps) + 1], strict=True):
        asked = [prompt for prompt in prompts if prompt.before_seq == start]
        waiting: list[Step] = []
        for step in steps[start - 1 : end - 1]:
            waiting.append(step)
            if active is None or len(waiting) > 1 or asked:
                verdict = _judge(asked, waiting, known, active)
                if verdict.kind is not l15.VerdictKind.LONG:
                    continue
                active = verdict.canvas or len(known) + 1
                known.setdefault(
                    active,
                    l2.new_state(
                        number=active, label=verdict.label, goal=verdict.goal, created=step.timestamp
                    ),
                )
            known[active], _ = l2.advance(known[active], waiting, asked)
            waiting, asked = [], []
            yield known[active]


def _judge(
    asked: list[Prompt], steps: list[Step], known: dict[int, l2.CanvasState], active: int | None
) -> l15.Verdict:
    briefs = [
        l15.CanvasBrief(
            number=number,
            label=state.label,
            goal=state.goal,
            status=l2.view(state).status,
            objects=tuple(name for node in state.nodes for name, _ in node.objects),
        )
        for number, state in known.items()
    ]
    current = next((brief for brief in briefs if brief.number == active), None)
    return l15.judge(prompts=asked, steps=steps, active=current, canvases=briefs)


def _read(path: Path) -> tuple[list[Prompt], list[Step]]:
    prompts: list[Prompt] = []
    steps: list[Step] = []
    try:
        with path.open("rb") as stream:
            for event in read(stream):
                if isinstance(event, PairSeen):
                    steps.append(_step(event.pair, len(steps) + 1))
                elif isinstance(event, PromptSeen):
                    prompts.append(
                        Prompt(text=event.text, before_seq=len(steps) + 1, timestamp=event.timestamp or BEGIN)
                    )
    except UnknownFormat:
        return [], []
    return prompts, steps


def _step(pair: PostedPair, seq: int) -> Step:
    text = decode_text(pair.content) or ""
    summary = l1.summarise(
        ToolCall(
            tool_name=pair.tool_name,
            tool_call_id=pair.tool_call_id,
            params=pair.params,
            result=json.loads(text) if pair.media_type == JSON and text else text,
            error=pair.error,
            is_error=pair.is_error,
        )
    )
    return Step(
        seq=seq,
        tool_name=pair.tool_name,
        tool_call=summary.tool_call,
        summary=summary.summary,
        score=summary.score,
        facts=summary.facts,
        timestamp=pair.timestamp or BEGIN + timedelta(seconds=seq),
    )
