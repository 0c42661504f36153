"""What is kept of a session's decisions: as much as its lists may need again, and no more."""

from __future__ import annotations

import pytest

from pipelines.l3 import memory as module
from pipelines.l3.memory import Memory
from pipelines.messages.dialects import views
from pipelines.messages.view import Raw, View


def call(number: int) -> Raw:
    block = {
        "type": "tool_use",
        "id": f"c{number}",
        "name": "Write",
        "input": {"path": f"f{number}", "text": "long"},
    }
    return {"role": "assistant", "content": [block]}


def result(number: int, text: str) -> Raw:
    return {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": f"c{number}", "content": text}],
    }


def raw_list(*numbers: int) -> list[View]:
    return views([one for n in numbers for one in (call(n), result(n, f"the whole text of {n}"))])


def sent_list(*numbers: int) -> list[View]:
    return views([result(number, stub(number)) for number in numbers])


def stub(number: int) -> str:
    return f"[Offloaded {number:02d}]"


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> Memory:
    """A memory of ten results and inputs, with room for two that are in no list."""
    monkeypatch.setattr(module, "SPARE", 2 * len(stub(0)))
    seen = raw_list(*range(10))
    inputs = {view.parts[0].key: {"path": f"f{n}"} for n, view in enumerate(seen[::2])}
    return Memory(results={view.parts[0].key: stub(n) for n, view in enumerate(seen[1::2])}, inputs=inputs)


def numbers(memory: Memory) -> list[str]:
    return [text.strip("[]").split()[1] for text in memory.results.values()]


def test_what_a_raw_list_shows_is_kept(memory: Memory) -> None:
    memory.let_go(raw_list(0, 1, 2), [])
    assert numbers(memory) == ["00", "01", "02", "08", "09"]
    assert [value["path"] for value in memory.inputs.values()][:3] == ["f0", "f1", "f2"]


def test_what_a_list_that_was_given_back_shows_is_kept(memory: Memory) -> None:
    sent = sent_list(3, 4)
    memory.let_go(sent, sent)
    assert numbers(memory) == ["03", "04", "08", "09"]


def test_of_what_no_list_shows_the_newest_are_kept(memory: Memory) -> None:
    memory.let_go([], [])
    assert numbers(memory) == ["08", "09"]
    assert 0 < len(memory.inputs) < 10


def test_nothing_is_dropped_while_there_is_room() -> None:
    seen = raw_list(*range(10))
    memory = Memory(results={view.parts[0].key: stub(n) for n, view in enumerate(seen[1::2])})
    before = memory.to_json()
    memory.let_go([], [])
    assert memory.to_json() == before
    assert len(memory.results) == 10


def test_the_trails_tell_each_list_again() -> None:
    memory = Memory(sent=[view.key for view in raw_list(1, 2)], received=[view.key for view in raw_list(3)])
    again = Memory.from_json(memory.to_json(), memory.trails())
    for keys, known in ((memory.sent, again.sent), (memory.received, again.received)):
        assert len(keys) == len(known)
        assert all(key.startswith(begin) for key, begin in zip(keys, known, strict=True))
    assert len(memory.trails()) == 4 + 8 * 6


@pytest.mark.parametrize("damaged", [b"", b"\0", b"\xff\xff\xff\xff", b"\0\0\0\x01abc"])
def test_damaged_trails_are_no_list(damaged: bytes) -> None:
    memory = Memory.from_json({}, damaged)
    assert len(memory.sent) + len(memory.received) <= 1
