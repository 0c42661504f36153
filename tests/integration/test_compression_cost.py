"""What a compression costs follows from the list that is sent, not from what the session holds already."""

from __future__ import annotations

import sqlite3
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from canvases.models import Canvas, CanvasRevision, CompressionState, ToolPair
from canvases.services.compression import session_compress
from pipelines.l3.compress import Request
from pipelines.l3.outcome import Level
from tests.conftest import Api, pair

pytestmark = pytest.mark.skipif(connection.vendor != "sqlite", reason="SQLite tells the steps that it takes")


def posted(number: int) -> str:
    return "".join(f"src/part_{number}/module_{n}.py:{n}: def parse_{number}_{n}(text)\n" for n in range(20))


def fill(api: Api, kind: str, count: int) -> None:
    """Post calls beside those of the list: others, or ones with the same call id, or with the same content."""
    for start in range(0, count, 200):
        api.pairs(
            *[
                pair(
                    posted(3) if kind == "same content" else f"{kind} {number}",
                    tool_call_id="c3" if kind == "same id" else f"{kind}-{number}",
                    params={"number": number},
                )
                for number in range(start, min(count, start + 200))
            ]
        )


def messages(calls: int) -> list[dict[str, Any]]:
    said: list[dict[str, Any]] = [{"role": "user", "content": "Find the parser"}]
    for number in range(calls):
        call = {
            "type": "tool_use",
            "id": f"c{number}",
            "name": "Grep",
            "input": {"pattern": f"parse_{number}"},
        }
        answer = {"type": "tool_result", "tool_use_id": f"c{number}", "content": posted(number)}
        said += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [answer]}]
    return said


def steps_of(api: Api, calls: int, *, level: Level | None = None, dry_run: bool = False) -> int:
    """Compress, and return how many steps the database's machine took for it."""
    taken = [0]

    def step() -> int:
        taken[0] += 1
        return 0

    database = connection.connection
    assert isinstance(database, sqlite3.Connection)
    request = Request(messages=messages(calls), window=4_000, level=level)
    database.set_progress_handler(step, 1)
    try:
        session_compress(agent=api.agent, session_id="s1", actor="test", request=request, dry_run=dry_run)
    finally:
        database.set_progress_handler(None, 1)
    return taken[0]


@pytest.mark.parametrize("kind", ["other calls", "same id", "same content"])
def test_calls_that_the_list_does_not_have_cost_nothing(alice: Api, kind: str) -> None:
    """The list's results are asked for (nothing is decided yet), once in a small session and once in a large one."""
    fill(alice, "list", 0)
    alice.pairs(*[pair(posted(n), tool_call_id=f"c{n}", params={"pattern": f"parse_{n}"}) for n in range(12)])
    few = steps_of(alice, 12, dry_run=True)
    fill(alice, kind, 1_000)
    many = steps_of(alice, 12, dry_run=True)
    assert ToolPair.objects.count() == 1_012
    assert many < 1.1 * few


def test_neither_earlier_compressions_nor_other_calls_cost_anything_later(alice: Api) -> None:
    for calls in (12, 12):
        few = steps_of(alice, calls)
    for _ in range(30):
        steps_of(alice, 12)
    fill(alice, "other calls", 1_000)
    assert steps_of(alice, 12) < 1.1 * few


def test_of_many_canvases_the_newest_and_the_current_are_read(alice: Api) -> None:
    alice.prompt("Find the parser")
    alice.pairs(*[pair(posted(n), tool_call_id=f"c{n}", params={"pattern": n}) for n in range(12)])
    alice.process()
    session = alice.session()
    drawn = CanvasRevision.objects.get()
    for number in range(2, 300):
        canvas = Canvas.objects.create(
            session=session, number=number, label="t", task_goal=f"goal {number}", revision=1
        )
        drawn.pk, drawn.canvas = None, canvas
        drawn.save()
        if number == 100:
            few = steps_of(alice, 30, level=Level.AGGRESSIVE, dry_run=True)
    assert steps_of(alice, 30, level=Level.AGGRESSIVE, dry_run=True) < 1.1 * few
    request = Request(messages=messages(30), window=4_000, level=Level.AGGRESSIVE)
    outcome, _ = session_compress(
        agent=alice.agent, session_id="s1", actor="test", request=request, dry_run=True
    )
    assert "Find the parser" in outcome.injected[0]
    assert "goal 299" in outcome.injected[0]


def writes_of_state(api: Api, calls: int) -> list[str]:
    with CaptureQueriesContext(connection) as queries:
        steps_of(api, calls)
    return [
        one["sql"]
        for one in queries
        if "compressionstate" in one["sql"] and not one["sql"].startswith("SELECT")
    ]


def test_what_was_decided_is_written_only_when_something_new_is(alice: Api) -> None:
    assert "INSERT" in writes_of_state(alice, 12)[0]
    assert writes_of_state(alice, 12) == []
    before = CompressionState.objects.get()
    said = [*messages(12), {"role": "assistant", "content": "Found it."}]
    with CaptureQueriesContext(connection) as queries:
        request = Request(messages=said, window=200_000)
        session_compress(agent=alice.agent, session_id="s1", actor="test", request=request)
    updates = [one["sql"] for one in queries if one["sql"].startswith('UPDATE "canvases_compressionstate"')]
    assert len(updates) == 1
    assert '"trails" =' in updates[0]
    assert '"memory" =' not in updates[0]
    after = CompressionState.objects.get()
    assert after.version == before.version + 1
    assert after.memory == before.memory
