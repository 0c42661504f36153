"""Prompts, steps and canvases for the boundary judge."""

from __future__ import annotations

from pipelines.l15 import CanvasBrief, Verdict, judge
from pipelines.records import Prompt, Step
from tests.unit.l2.making import BEGIN

RESUME = CanvasBrief(
    number=1,
    label="resume-prompt",
    goal="Test the interactive overwrite prompt of resume",
    status="doing",
    objects=("cmd/entire/cli/resume.go", "cmd/entire/cli/resume_test.go", "RunResumeInteractive"),
)
DOCS = CanvasBrief(
    number=2,
    label="docs",
    goal="Write the configuration page",
    status="paused",
    objects=("docs/site/pages/configuration.md", "docs/site/nav.yml"),
)


def verdict(
    said: str | list[str],
    *steps: Step,
    active: CanvasBrief | None = None,
    canvases: tuple[CanvasBrief, ...] = (),
) -> Verdict:
    texts = [said] if isinstance(said, str) else said
    return judge(
        prompts=[Prompt(text=text, before_seq=1, timestamp=BEGIN) for text in texts],
        steps=steps,
        active=active,
        canvases=canvases or ((active,) if active else ()),
    )
