"""Each setting of compression does what it says."""

from __future__ import annotations

from typing import Any

import pytest

from pipelines.l3.compress import Request, compress
from pipelines.l3.fakes import MemoryRefs
from pipelines.l3.history import CanvasText
from pipelines.l3.memory import Memory
from pipelines.l3.outcome import Level, Outcome
from pipelines.l3.settings import Settings
from pipelines.l3.weights import Counter

COUNTER = Counter()
CANVAS = CanvasText(
    number=1,
    filename="001-task.mmd",
    goal="Mend the parser",
    mermaid="flowchart TD\n" + "".join(f'  n{n}["step {n}"]\n' for n in range(60)),
)


def call(number: int, lines: int) -> list[dict[str, Any]]:
    text = "".join(f"pkg_{number}/mod_{line}.py: def f_{number}_{line}()\n" for line in range(lines))
    use = {"type": "tool_use", "id": f"c{number}", "name": "Grep", "input": {"pattern": f"f_{number}"}}
    answer = {"type": "tool_result", "tool_use_id": f"c{number}", "content": text}
    return [{"role": "assistant", "content": [use]}, {"role": "user", "content": [answer]}]


def talk(*lines: int) -> list[dict[str, Any]]:
    said: list[dict[str, Any]] = [{"role": "user", "content": "Mend the parser"}]
    return said + [one for number, count in enumerate(lines) for one in call(number, count)]


def run(
    messages: list[dict[str, Any]], settings: Settings, window: int, memory: Memory | None = None
) -> Outcome:
    return compress(
        Request(messages=messages, window=window),
        memory=memory if memory is not None else Memory(),
        refs=MemoryRefs(),
        canvases=lambda: [CANVAS],
        counter=COUNTER,
        settings=settings,
    )


@pytest.mark.parametrize(("ratio", "replaced"), [(0.9, 0), (0.05, 1)])
def test_from_the_mild_ratio_on_results_are_replaced_though_it_hardly_pays(
    ratio: float, replaced: int
) -> None:
    settings = Settings(mild_ratio=ratio, aggressive_ratio=0.95)
    memory = Memory()
    run(talk(7), settings, 30_000, memory)
    assert len(run(talk(7, 3), settings, 30_000, memory).replaced) == replaced


@pytest.mark.parametrize(("ratio", "level"), [(0.9, Level.MILD), (0.2, Level.AGGRESSIVE)])
def test_from_the_aggressive_ratio_on_exchanges_go(ratio: float, level: Level) -> None:
    settings = Settings(mild_ratio=0.1, aggressive_ratio=ratio)
    assert run(talk(*[60] * 12), settings, 8_000).level == level


def test_the_delete_ratio_says_how_much_goes_with_them() -> None:
    deleted = []
    for share in (0.1, 0.9):
        levels = Settings(
            mild_ratio=0.1, aggressive_ratio=0.2, aggressive_delete_ratio=share, system_overhead_ratio=0.01
        )
        deleted.append(len(run(talk(*[60] * 30), levels, 8_000).deleted))
    assert 0 < deleted[0] < deleted[1]


@pytest.mark.parametrize(("ratio", "level"), [(1.0, Level.AGGRESSIVE), (0.86, Level.EMERGENCY)])
def test_from_the_emergency_ratio_on_texts_are_cut(ratio: float, level: Level) -> None:
    outcome = run(talk(60), Settings(emergency_ratio=ratio), 1_200)
    assert (outcome.level is Level.EMERGENCY) == (level is Level.EMERGENCY)


def test_the_target_ratio_says_down_to_what() -> None:
    left = [
        run(talk(200), Settings(emergency_target_ratio=target), 2_000).tokens_after for target in (0.3, 0.9)
    ]
    assert left[0] < left[1]


@pytest.mark.parametrize(("ratio", "is_whole"), [(0.2, True), (0.01, False)])
def test_canvases_take_no_more_than_their_ratio(ratio: float, is_whole: bool) -> None:
    outcome = run(talk(*[60] * 40), Settings(mmd_max_token_ratio=ratio), 8_000)
    assert ("step 59" in outcome.injected[0]) == is_whole


def test_the_overhead_ratio_is_what_is_sent_beside_the_messages() -> None:
    assert run(talk(3), Settings(system_overhead_ratio=0.3), 10_000).overhead == 3_000


@pytest.mark.parametrize(
    "shares", [{"mild_ratio": 0.9}, {"emergency_ratio": 0.8}, {"emergency_target_ratio": 0.95}]
)
def test_shares_that_contradict_each_other_are_refused(shares: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="OFFLOAD_"):
        Settings(**shares)
