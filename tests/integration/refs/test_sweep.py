"""Taking away what expired: what goes, what stays, in which steps, and what is left when a step fails."""

from __future__ import annotations

import threading

import pytest
import time_machine
from celery import current_app
from django.core.management import call_command
from django.db import IntegrityError, connection

from canvases.models import Agent, ChainHead, OffloadedBlob, Reference
from canvases.services import expiry
from canvases.services.expiry import references_expire
from canvases.services.ref_reads import Refusal
from tests.conftest import Api
from tests.integration.refs.acts import holds, put, refusal
from tests.stack import wait_for

START = 1_800_000_000


def test_run_sweep_is_idempotent_on_empty_table(db: None) -> None:
    assert [references_expire(at=START).references for _ in range(2)] == [0, 0]


def test_run_sweep_removes_expired_row(agent: Agent) -> None:
    reference = put(agent, "brief", ttl_seconds=1)
    assert references_expire(at=reference.stored_at + 60).references == 1
    assert references_expire(at=reference.stored_at + 60).references == 0


def test_defaults_are_tunable(agent: Agent) -> None:
    """It runs every minute, not once a day: what has expired is not kept longer than was asked for."""
    assert current_app.conf.beat_schedule["expire"]["schedule"] == 60
    assert (expiry.MOST_AT_A_RUN, expiry.MOST_AT_ONCE, expiry.PAUSE_SECONDS) == (1000, 50, 0.01)
    with time_machine.travel(START, tick=False):
        for number in range(7):
            put(agent, f"brief {number}", ttl_seconds=1)
    with time_machine.travel(START + 60, tick=False):
        call_command("sweep", "--most=3", "--pause-ms=0", stdout=None)
    assert Reference.objects.count() == 4


def test_the_loop_deletes_nothing_before_and_one_after_expiry(agent: Agent) -> None:
    current_app.loader.import_default_modules()
    task = current_app.tasks["canvases.tasks.expire"]
    with time_machine.travel(START, tick=False) as clock:
        ref = put(agent, "brief", ttl_seconds=10).blob.ref_id
        clock.move_to(START + 10)
        task.apply().get()
        assert Reference.objects.count() == 1
        clock.move_to(START + 11)
        task.apply().get()
        task.apply().get()
        assert Reference.objects.count() == 0
        assert refusal(agent, ref) == Refusal.NOT_FOUND
    assert holds(agent)


def test_offload_ttl_sweep(agent: Agent) -> None:
    def many(number: int, namespace: str, ttl: int | None) -> None:
        for n in range(number):
            put(agent, f"{namespace} {ttl} {n}", namespace=namespace, ttl_seconds=ttl)

    with time_machine.travel(START - 3600, tick=False):
        many(10, "one", 60)
        many(2, "two", 60)
    with time_machine.travel(START, tick=False):
        many(5, "one", 86_400)
        many(3, "one", None)
        assert references_expire().references == 12
        kept = Reference.objects.filter(namespace="one")
        timed = kept.filter(expires_at__isnull=False)
        assert (kept.count(), timed.count()) == (8, 5)
        assert kept.filter(expires_at=None).count() == 3
        assert Reference.objects.filter(namespace="two").count() == 0
        assert references_expire().references == 0
    with connection.cursor() as cursor:
        names = connection.introspection.get_constraints(cursor, "blob_references")
    assert names["reference_expiry"]["index"]
    assert holds(agent)


def test_a_step_that_fails_takes_nothing_away(agent: Agent) -> None:
    """The event and what it tells of are one transaction."""
    reference = put(agent, "brief", ttl_seconds=1)
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE signed_events RENAME TO moved_away")
    with pytest.raises(Exception, match="signed_events"):
        references_expire(at=reference.stored_at + 60)
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE moved_away RENAME TO signed_events")
    assert OffloadedBlob.objects.get().gone_at is None
    assert references_expire(at=reference.stored_at + 60).contents == 1
    assert holds(agent)


@pytest.mark.django_db(transaction=True)
def test_lock_released_between_chunks() -> None:
    """The pause is outside of every transaction: another writer gets in between two of them."""
    agent = Agent.objects.create(name="ai:alice")
    for number in range(expiry.MOST_AT_ONCE + 1):
        reference = put(agent, f"brief {number}", ttl_seconds=1)
    at = reference.stored_at + 60

    def sweep() -> None:
        try:
            references_expire(at=at, pause=3)
        finally:
            connection.close()

    sweeper = threading.Thread(target=sweep)
    sweeper.start()
    wait_for(lambda: Reference.objects.filter(expires_at__lt=at).count() == 1, "the first step")
    put(agent, "in between")
    assert Reference.objects.filter(expires_at__lt=at).count() == 1
    sweeper.join()
    assert list(Reference.objects.values_list("blob__size_bytes", flat=True)) == [len("in between")]
    assert holds(agent)


def test_an_agent_whose_log_is_damaged_does_not_hold_up_the_others(alice: Api, charlie: Api) -> None:
    for api in (alice, charlie):
        api.post("offload", {"content": "x", "ttl_seconds": 1})
    ChainHead.objects.filter(agent=alice.agent).update(sequence=0)
    with pytest.raises(IntegrityError):
        references_expire(at=2**40)
    assert [reference.blob.agent.name for reference in Reference.objects.all()] == ["alice"]
