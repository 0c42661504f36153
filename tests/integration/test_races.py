from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection

from canvases.models import Agent, Canvas, CanvasRevision, OffloadedBlob, OffloadEntry, Session, ToolPair
from canvases.services.ingest import batch_prepare, pairs_store
from canvases.services.processing import session_process
from pipelines.pairs import Batch, PostedPair, encode_text

pytestmark = pytest.mark.django_db(transaction=True)


def together(*acts: Callable[[], Any]) -> list[Any]:
    """Run the acts at once, each on a thread and a connection of its own."""

    def run(act: Callable[[], Any]) -> Any:
        try:
            return act()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(acts)) as pool:
        return [future.result() for future in [pool.submit(run, act) for act in acts]]


def store(agent: Agent, session: str, results: list[str]) -> int:
    pairs = [
        PostedPair(tool_name="Bash", tool_call_id=text, params={"command": "ls"}, content=encode_text(text))
        for text in results
    ]
    prepared = batch_prepare(agent=agent, batch=Batch(pairs=list(enumerate(pairs))))
    stored = pairs_store(agent=agent, session_id=session, batch=prepared, actor="test", notify=False)
    return sum(not one.duplicate for one in stored)


@pytest.fixture
def agent() -> Agent:
    return Agent.objects.create(name="racer")


def test_batches_posted_at_once_are_all_kept_in_an_unbroken_order(agent: Agent) -> None:
    texts = [[f"{writer}-{n}" for n in range(25)] for writer in range(4)]
    together(*[lambda batch=batch: store(agent, "s", batch) for batch in texts])
    assert list(ToolPair.objects.order_by("seq").values_list("seq", flat=True)) == list(range(1, 101))
    assert Session.objects.get().pair_count == 100
    assert OffloadedBlob.objects.count() == 100


def test_one_batch_posted_four_times_at_once_is_stored_once(agent: Agent) -> None:
    batch = [f"r{n}" for n in range(20)]
    accepted = together(*[lambda: store(agent, "s", batch)] * 4)
    assert sorted(accepted) == [0, 0, 0, 20]
    assert ToolPair.objects.count() == 20


def test_sessions_that_share_contents_do_not_wait_for_each_other_for_ever(agent: Agent) -> None:
    batch = [f"shared {n}" for n in range(30)]
    orders = [batch, batch[::-1], batch[10:] + batch[:10], batch[::-2] + batch[1::2]]
    together(*[lambda i=i, one=one: store(agent, f"s{i}", one) for i, one in enumerate(orders)])
    assert OffloadedBlob.objects.count() == 30
    assert Session.objects.count() == 4


def test_four_workers_at_once_make_one_entry_and_one_node_per_pair(agent: Agent) -> None:
    store(agent, "s", [f"result number {n}\n" * 5 for n in range(60)])
    pk = Session.objects.get().pk
    together(*[lambda: session_process(pk)] * 4)
    assert OffloadEntry.objects.count() == 60
    assert OffloadEntry.objects.filter(node_number=None).count() == 0
    canvas = Canvas.objects.get()
    revisions = CanvasRevision.objects.filter(canvas=canvas).order_by("number")
    assert [row.number for row in revisions] == list(range(1, canvas.revision + 1))
    assert sum(node["calls"] for node in revisions[canvas.revision - 1].nodes) == 60
    session = Session.objects.get()
    assert (session.entry_count, session.waiting_since) == (60, None)


def test_posting_while_workers_run_leaves_nothing_behind(agent: Agent) -> None:
    store(agent, "s", ["first"])
    pk = Session.objects.get().pk

    def post(writer: int) -> None:
        for n in range(10):
            store(agent, "s", [f"{writer}.{n}.{part}" for part in range(3)])

    def work() -> None:
        for _ in range(10):
            session_process(pk)

    together(lambda: post(1), lambda: post(2), work, work)
    session_process(pk)
    assert OffloadEntry.objects.count() == ToolPair.objects.count() == 61
    assert OffloadEntry.objects.filter(node_number=None).count() == 0
    assert sum(node["calls"] for node in CanvasRevision.objects.order_by("-number")[0].nodes) == 61
