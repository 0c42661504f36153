"""Storing, renewing, deleting, sweeping and reclaiming one content at once: what was acknowledged last is readable."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from canvases.models import Agent, ChainHead, OffloadedBlob, Reference, Session, SignedEvent
from canvases.selectors.references import seconds_now
from canvases.services.expiry import references_expire
from canvases.services.offloads import offload_delete
from canvases.services.processing import session_process
from canvases.services.reclaim import reclaim
from canvases.services.sessions import session_held
from canvases.services.verification import agent_verify
from pipelines import blobs
from tests.integration.refs.acts import get, holds, put, refusal
from tests.integration.test_races import store, together

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def agent() -> Agent:
    return Agent.objects.create(name="ai:alice")


def repeatedly(act: Callable[[int], Any], times: int) -> Callable[[], list[Any]]:
    return lambda: [act(number) for number in range(times)]


def test_a_content_renewed_while_it_is_swept_is_readable_afterwards(agent: Agent) -> None:
    """To the sweep every reference has expired long ago, also those renewed this moment: it takes them away again and
    again while they are stored. Whatever was stored last is readable."""
    contents = [f"renewed {number}" for number in range(10)]
    over = threading.Event()

    def renew() -> None:
        try:
            for _ in range(6):
                for text in contents:
                    put(agent, text, ttl_seconds=600)
        finally:
            over.set()

    def sweep() -> int:
        swept = 0
        while not over.is_set():
            swept += references_expire(at=seconds_now() + 10_000, pause=0).references
        return swept

    _, *swept = together(renew, sweep, sweep)
    assert sum(swept), "nothing raced"
    for text in contents:
        put(agent, text, ttl_seconds=600)
        assert get(agent, blobs.ref_id(text.encode())) == text.encode()
    assert holds(agent)


def test_a_renewal_during_the_sweep_keeps_the_content(agent: Agent) -> None:
    """The references had expired when the sweep began; those renewed before it reached them stay."""
    texts = [f"expired {number}" for number in range(120)]
    for text in texts:
        put(agent, text, ttl_seconds=600)
    expired_then = seconds_now() + 601
    renewed = texts[::3]

    def renew() -> None:
        for text in reversed(renewed):
            put(agent, text, ttl_seconds=100_000)

    together(renew, lambda: references_expire(at=expired_then, pause=0))
    for text in renewed:
        assert get(agent, blobs.ref_id(text.encode())) == text.encode()
    references_expire(at=expired_then, pause=0)
    assert Reference.objects.count() == len(renewed)
    assert holds(agent)


@pytest.mark.parametrize("namespaces", [1, 8])
def test_a_content_offloaded_by_eight_at_once_is_there_once(agent: Agent, namespaces: int) -> None:
    content = b"the same for all " * 2_000
    acts = [
        lambda n=n: put(agent, content, namespace=f"n{n % namespaces}", ttl_seconds=60 + n) for n in range(8)
    ]
    stored = together(*acts)
    assert {reference.blob.ref_id for reference in stored} == {blobs.ref_id(content)}
    assert OffloadedBlob.objects.count() == 1
    assert Reference.objects.count() == namespaces
    assert SignedEvent.objects.count() == 8
    assert get(agent, blobs.ref_id(content)) == content
    assert holds(agent)


def test_a_content_deleted_by_hand_while_sessions_store_it_stays_with_them(agent: Agent) -> None:
    texts = [f"shared {number}" for number in range(15)]

    def put_and_delete(number: int) -> None:
        for text in texts:
            put(agent, text)
        for text in reversed(texts):
            offload_delete(agent=agent, actor="test", ref_id=blobs.ref_id(text.encode()))

    together(repeatedly(put_and_delete, 3), repeatedly(lambda n: store(agent, f"s{n}", texts[::-1]), 6))
    for text in texts:
        assert get(agent, blobs.ref_id(text.encode())) == text.encode()
    assert holds(agent)


def test_a_session_posted_to_while_it_is_reclaimed_keeps_what_was_acknowledged(agent: Agent) -> None:
    texts = [f"result {number}" for number in range(30)]
    store(agent, "old", texts)
    session_process(Session.objects.get().pk)
    store(agent, "new", ["newest"])
    session_process(Session.objects.get(session_id="new").pk)
    Session.objects.filter(session_id="old").update(updated_at=timezone.now() - timedelta(days=40))
    posted = [f"posted {number}" for number in range(10)] + texts[:5]
    together(
        lambda: reclaim(days=30),
        repeatedly(lambda n: store(agent, "old", posted[n : n + 1]), len(posted)),
        lambda: reclaim(days=30),
    )
    for text in posted:
        assert get(agent, blobs.ref_id(text.encode())) == text.encode()
    assert holds(agent)


def test_a_check_while_others_write_finds_nothing(agent: Agent) -> None:
    """All of it is read as it is at one moment; a content stored meanwhile is not one of unknown origin."""
    over = threading.Event()
    found: list[Any] = []

    def check() -> None:
        while not over.is_set():
            found.append(agent_verify(agent).to_json())

    def write() -> None:
        try:
            for number in range(60):
                ref = put(agent, f"written {number}", ttl_seconds=60).blob.ref_id
                if number % 3 == 0:
                    offload_delete(agent=agent, actor="test", ref_id=ref)
        finally:
            over.set()

    together(check, write)
    assert [one for one in found if not one["holds"]] == []
    assert len({one["rows_checked"] for one in found}) > 1, "nothing raced"


def test_reads_of_two_agents_do_not_wait_for_each_other(agent: Agent) -> None:
    """Each agent has a chain of its own: one whose end is held by a transaction stops nobody else's reads. (SQLite
    lets one write at a time, whoever it is.)"""
    if connection.vendor == "sqlite":
        pytest.skip("SQLite has one lock for writing")
    other = Agent.objects.create(name="ai:bob")
    ref = put(other, "of bob").blob.ref_id
    put(agent, "of alice")
    with transaction.atomic():
        ChainHead.objects.select_for_update().get(agent=agent)
        assert together(lambda: get(other, ref)) == [b"of bob"]
    assert refusal(other, blobs.ref_id(b"of alice"))


def test_a_session_that_is_worked_on_stops_nobody_who_stores_for_its_agent(agent: Agent) -> None:
    """Its row is held, and not its agent's, which every commit of something stored looks at."""
    if connection.vendor == "sqlite":
        pytest.skip("SQLite has one lock for writing")
    store(agent, "busy", ["one"])
    with transaction.atomic():
        session_held(Session.objects.get().pk)
        ((reference,),) = together(repeatedly(lambda _: put(agent, "meanwhile"), 1))
    assert get(agent, reference.blob.ref_id) == b"meanwhile"
