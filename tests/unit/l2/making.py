"""Steps written by hand, and random ones."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import strategies as st

from pipelines.l2 import CanvasState, advance, new_state
from pipelines.records import Act, Facts, Kind, Outcome, PlanItem, Prompt, Step

BEGIN = datetime(2026, 1, 19, 14, 0, tzinfo=UTC)
KINDS = {
    Act.EXPLORE: Kind.FILE,
    Act.CHANGE: Kind.EDIT,
    Act.TEST: Kind.TEST_LOG,
    Act.VERIFY: Kind.BUILD_LOG,
    Act.PLAN: Kind.PLAN,
    Act.DELEGATE: Kind.AGENT,
}


def step(
    seq: int,
    act: Act,
    *objects: str,
    outcome: Outcome = Outcome.OK,
    call: str = "",
    summary: str = "",
    check: str = "",
    **facts: Any,
) -> Step:
    return Step(
        seq=seq,
        tool_name="tool",
        tool_call=call or f"{act.value} {' '.join(objects)}".strip(),
        summary=summary or f"result of {seq}",
        score=5,
        facts=Facts(
            kind=facts.pop("kind", KINDS.get(act, Kind.SHELL)),
            act=act,
            outcome=outcome,
            objects=objects,
            check=check or (f"check {objects[0]}" if act in (Act.TEST, Act.VERIFY) and objects else ""),
            **facts,
        ),
        timestamp=BEGIN + timedelta(seconds=10 * seq),
    )


def read(seq: int, *objects: str, **more: Any) -> Step:
    return step(seq, Act.EXPLORE, *objects, **more)


def edit(seq: int, *objects: str, **more: Any) -> Step:
    return step(seq, Act.CHANGE, *objects, **more)


def failing(seq: int, check: str = "go test ./cmd", **more: Any) -> Step:
    more.setdefault("first_error", "want 2, got 3")
    return step(seq, Act.TEST, outcome=Outcome.FAILED, check=check, call=check, **more)


def passing(seq: int, check: str = "go test ./cmd", **more: Any) -> Step:
    return step(seq, Act.TEST, outcome=Outcome.OK, check=check, call=check, **more)


def plan(seq: int, *texts: str, done: int = 0) -> Step:
    items = tuple(
        PlanItem(text=text, done=place < done, active=place == done) for place, text in enumerate(texts)
    )
    return step(seq, Act.PLAN, plan=items)


def prompt(text: str, before_seq: int) -> Prompt:
    return Prompt(text=text, before_seq=before_seq, timestamp=BEGIN)


def state() -> CanvasState:
    return new_state(number=1, label="resume-prompt", goal="Test the prompt", created=BEGIN)


def folded(*steps: Step, **more: Any) -> CanvasState:
    return advance(state(), steps, **more)[0]


_texts = st.one_of(
    st.sampled_from(["cmd/resume.go", "cmd/rewind.go", "docs/a.md", "pty", "go.mod", "取消", ""]),
    st.text(max_size=12),
    st.text(alphabet='"<>#%{}[]\\`|;\n\x00\ud800°¶', max_size=40),
)


@st.composite
def runs(draw: st.DrawFn, max_size: int = 60) -> list[Step]:
    acts = draw(st.lists(st.sampled_from(list(Act)), min_size=1, max_size=max_size))
    seq = 0
    steps = []
    for act in acts:
        seq += draw(st.integers(1, 3))
        steps.append(
            step(
                seq,
                act,
                *draw(st.lists(_texts, max_size=3)),
                outcome=draw(st.sampled_from(list(Outcome))),
                call=draw(_texts),
                summary=draw(_texts),
                check=draw(st.sampled_from(["", "pytest a", "pytest b", "pytest"])),
                first_error=draw(_texts),
                plan=draw(_plans) if act is Act.PLAN else (),
            )
        )
    return steps


_plans = st.lists(st.builds(PlanItem, text=_texts, done=st.booleans(), active=st.booleans()), max_size=4).map(
    tuple
)


@st.composite
def asks(draw: st.DrawFn, last: int) -> list[Prompt]:
    places = sorted(draw(st.lists(st.integers(1, last + 1), max_size=4)))
    return [prompt(draw(_texts), place) for place in places]
