"""For a model that cannot read back, only that goes which the list shows elsewhere."""

from __future__ import annotations

from typing import Any

import pytest

from pipelines.l3.compress import Request, compress
from pipelines.l3.fakes import MemoryRefs
from pipelines.l3.memory import Memory
from pipelines.l3.outcome import Level, Outcome
from pipelines.l3.weights import Counter
from pipelines.messages.problems import problems

COUNTER = Counter()
FILE = "".join(f"def parse_{line}(text): return text.split()\n" for line in range(60))


def call(number: int, text: str) -> list[dict[str, Any]]:
    use = {"type": "tool_use", "id": f"c{number}", "name": "Read", "input": {"path": f"a{number}.py"}}
    answer = {"type": "tool_result", "tool_use_id": f"c{number}", "content": text}
    return [{"role": "assistant", "content": [use]}, {"role": "user", "content": [answer]}]


def talk(*texts: str) -> list[dict[str, Any]]:
    said: list[dict[str, Any]] = [{"role": "user", "content": "Mend the parser"}]
    return said + [message for number, text in enumerate(texts) for message in call(number, text)]


def run(messages: list[dict[str, Any]], memory: Memory | None = None, **more: Any) -> Outcome:
    return compress(
        Request(messages=messages, **{"window": 20_000, "can_deref": False, **more}),
        memory=memory if memory is not None else Memory(),
        refs=MemoryRefs(),
        canvases=list,
        counter=COUNTER,
    )


def test_a_result_that_comes_again_is_said_once() -> None:
    outcome = run(talk(FILE, "ok", FILE))
    first, last = outcome.messages[2]["content"][0], outcome.messages[-1]["content"][0]
    assert first["content"].startswith(
        "[Offloaded Tool Result | node: N/A]\nSummary: the very text of the result of c2"
    )
    assert last["content"] == FILE
    assert problems(outcome.messages) == []
    assert [(one.call_id, one.ref_id) for one in outcome.replaced] == [("c0", "")]


def test_what_was_said_once_stays_so_when_the_text_comes_a_third_time() -> None:
    memory = Memory()
    before = run(talk(FILE, "ok", FILE), memory).messages
    after = run(talk(FILE, "ok", FILE, "ok", FILE), memory).messages
    assert after[: len(before) - 1] == before[:-1]
    assert after[-1]["content"][0]["content"] == FILE
    assert "of c4" in after[len(before) - 1]["content"][0]["content"]


@pytest.mark.parametrize("level", [None, *Level])
def test_nothing_else_goes_however_full_the_window_is(level: Level | None) -> None:
    messages = talk(*(f"{FILE}{number}" for number in range(30)))
    outcome = run(messages, window=8_000, level=level)
    assert outcome.messages == messages
    assert not outcome.fits
    assert any("can_deref" in note for note in outcome.notes)


def test_what_was_taken_out_before_comes_back_for_a_call_that_cannot_read_back() -> None:
    memory = Memory()
    messages = talk(*(f"{FILE}{number}" for number in range(30)))
    run(messages, memory, can_deref=True, window=8_000)
    assert run(messages, memory, window=100_000).messages == messages
    again = run(messages, memory, can_deref=True, window=8_000)
    assert len(str(again.messages)) < len(str(messages)) / 2


def test_tools_that_are_to_stay_are_said_twice() -> None:
    messages = talk(FILE, "ok", FILE)
    assert run(messages, keep_tools=["Read"]).messages == messages


def test_a_result_is_not_said_by_one_whose_id_is_not_the_only_one() -> None:
    """Chat hosts may use an id again in a later turn."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Mend the parser"}]
    for number in range(2):
        function = {"name": "Read", "arguments": f'{{"path": "a{number}.py"}}'}
        call = {"id": "call_0", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": "call_0", "content": FILE})
    assert problems(messages) == []
    assert run(messages).messages == messages
