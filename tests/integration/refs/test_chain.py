"""The audit chain: how events join it, what a check of it finds, how it is listed, and that nothing edits it."""

from __future__ import annotations

import itertools
import re
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client

from canvases.models import Agent, ApiKey, SignedEvent
from canvases.selectors.audit import chain_events
from canvases.services.audit import Draft, events_append
from canvases.services.verification import agent_verify
from pipelines.audit import events as chain
from pipelines.audit.kinds import EventType
from pipelines.signing import four_keys
from tests.integration.refs.acts import get, holds, put
from tests.integration.test_races import together
from tests.stack import ROOT


def append(agent: Agent, number: int = 1, **payload: Any) -> None:
    for _ in range(number):
        draft = Draft(event_type=EventType.SEARCHED, actor="test", payload=payload)
        with transaction.atomic():
            events_append(agent, [draft])


def rows(agent: Agent) -> list[SignedEvent]:
    return list(SignedEvent.objects.filter(agent=agent).order_by("sequence"))


def edit(agent: Agent, number: int, **columns: Any) -> None:
    SignedEvent.objects.filter(agent=agent, sequence=number).update(**columns)


def breaks(agent: Agent, since: int = 0) -> list[tuple[str, int | None]]:
    found = agent_verify(agent, since=since).report
    return [(str(one.kind), one.sequence) for one in (*found.breaks, *found.signature_failures)]


def test_fresh_db_first_row_has_zero_prev_hash(agent: Agent) -> None:
    append(agent)
    (row,) = rows(agent)
    assert (bytes(row.prev_hash), row.sequence) == (bytes(32), 1)
    assert holds(agent)
    assert agent_verify(agent).report.rows_checked == 1


def test_subsequent_rows_chain_correctly(agent: Agent) -> None:
    append(agent, 3)
    events = list(chain_events(agent))
    assert [event.sequence for event in events] == [1, 2, 3]
    for before, event in itertools.pairwise(events):
        assert event.prev_hash == chain.event_hash(before)


def test_tamper_in_middle_row_breaks_chain(agent: Agent) -> None:
    """The edited event is named too, by its signature: not only the one that does not follow from it."""
    append(agent, 5)
    edit(agent, 3, payload={"forged": 1})
    assert sorted(breaks(agent)) == [("prev_hash", 4), ("signature_wrong", 3)]


def test_tamper_in_sequence_column_caught(agent: Agent) -> None:
    append(agent, 5)
    edit(agent, 3, sequence=99)
    assert ("sequence_gap", 4) in breaks(agent)


@pytest.mark.django_db(transaction=True)
def test_chain_holds_across_drainer_writes() -> None:
    agent = Agent.objects.create(name="ai:alice")
    together(*[lambda: append(agent, 50)] * 8)
    assert agent_verify(agent).report.rows_checked == 400
    assert holds(agent)


def test_backfill_migration_idempotent_on_replay(agent: Agent) -> None:
    """There is nothing to fill in later: an event gets its place when it is written, or is not written."""
    append(agent, 2)
    before = list(SignedEvent.objects.order_by("sequence").values())
    append(agent, 0)
    assert list(SignedEvent.objects.order_by("sequence").values()) == before


@pytest.mark.parametrize("column", ["sequence", "prev_hash"])
def test_backfill_stamps_pre_existing_rows(agent: Agent, column: str) -> None:
    """No event can be without a place, so a check passes none over: the database refuses it."""
    append(agent)
    with pytest.raises(IntegrityError), transaction.atomic():
        edit(agent, 1, **{column: None})


def test_backfill_resumes_from_mixed_state(agent: Agent) -> None:
    append(agent, 2)
    SignedEvent.objects.filter(sequence=2).delete()
    assert not holds(agent)
    values = SignedEvent.objects.values().get()
    new = {"id": None, "event_id": "11111111-1111-4111-8111-111111111111", "sequence": None}
    with pytest.raises(IntegrityError), transaction.atomic():
        SignedEvent.objects.create(**{**values, **new})


def test_verify_chain_with_since_resumes_correctly(agent: Agent) -> None:
    append(agent, 6)
    found = agent_verify(agent, since=3)
    assert (found.report.rows_checked, found.exit_code) == (3, 0)


def test_verify_chain_with_since_detects_break_in_resumed_range(agent: Agent) -> None:
    append(agent, 6)
    edit(agent, 5, actor="mallory")
    assert sorted(breaks(agent, since=4)) == [("prev_hash", 6), ("signature_wrong", 5)]


def test_append_then_list_round_trip(agent: Agent) -> None:
    append(agent, number=1, text="héllo \x00 \ud800", count=2**53)
    (event,) = chain_events(agent)
    assert event.payload == {"text": "héllo \x00 \ud800", "count": 2**53}
    assert (event.agent, event.event_type, event.actor) == (agent.name, "searched", "test")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", event.timestamp)


def test_list_orders_by_timestamp_ascending(agent: Agent) -> None:
    """By their place in the chain, which no clock that goes back can change."""
    append(agent, 5)
    times = [event.timestamp for event in chain_events(agent)]
    assert times == sorted(times)


def listing(agent: Agent, query: str = "") -> dict[str, Any]:
    client = Client(headers={"authorization": f"Bearer {ApiKey.issue(agent)}"})
    answer: dict[str, Any] = client.get(f"/api/v1/audit/events{query}").json()
    return answer


def sequences(answer: dict[str, Any]) -> list[int]:
    return [one["sequence"] for one in answer["items"]]


def test_list_filters_by_agent(agent: Agent, other: Agent) -> None:
    append(agent, 2)
    append(other, 3)
    assert (len(listing(agent)["items"]), len(listing(other)["items"])) == (2, 3)


def test_list_respects_limit_and_offset(agent: Agent) -> None:
    append(agent, 5)
    first = listing(agent, "?limit=2")
    assert sequences(first) == [1, 2]
    assert sequences(listing(agent, f"?limit=2&after={first['next']}")) == [3, 4]
    assert sequences(listing(agent, "?since=3")) == [4, 5]


def test_append_preserves_signature_blob(agent: Agent) -> None:
    append(agent)
    (row,) = rows(agent)
    assert len(bytes(row.signature or b"")) == 64
    (item,) = listing(agent)["items"]
    assert bytes.fromhex(item["signature"]) == bytes(row.signature or b"")


def test_indexes_exist_on_documented_columns(db: None) -> None:
    with connection.cursor() as cursor:
        found = connection.introspection.get_constraints(cursor, "signed_events").values()
    unique = {tuple(one["columns"]) for one in found if one["unique"]}
    assert {("agent_id", "sequence"), ("event_id",)} <= unique


def test_payload_hash_is_sha256_32_bytes() -> None:
    assert len(chain.payload_hash({"a": 1})) == 32
    assert chain.payload_hash({"a": 1, "b": 2}) == chain.payload_hash({"b": 2, "a": 1})


def test_payload_hash_known_vector() -> None:
    """Ours begins with what it is a hash of; the one of four keys is that of the bundle's bytes alone."""
    bundle = four_keys.FourKeys(
        content_sha256="b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9",
        namespace="tenant-a/scratch",
        ref_id="ofl_XFGSPOMTJU7AQ",
        stored_at=1_780_000_000,
    )
    expected = "8e8506a7d02c8c5854a25b36bca79ba2a5326ba09c1ba0fec74b93aa8f0cec32"
    assert four_keys.payload_hash(bundle).hex() == expected


def test_append_duplicate_id_returns_error(agent: Agent, other: Agent) -> None:
    append(agent)
    append(other)
    (first,) = rows(agent)
    with pytest.raises(IntegrityError), transaction.atomic():
        SignedEvent.objects.filter(agent=other).update(event_id=first.event_id)


def test_list_signed_events_empty_db_returns_empty(agent: Agent) -> None:
    assert listing(agent) == {"items": [], "next": None}


def test_list_signed_events_offset_past_end_returns_empty(agent: Agent) -> None:
    append(agent, 2)
    assert listing(agent, "?since=50") == {"items": [], "next": None}


def test_list_signed_events_no_agent_filter_returns_all_agents(agent: Agent, other: Agent) -> None:
    """Nobody lists another agent's events over the API; who runs the server checks all with verify_chain."""
    append(agent)
    append(other)
    assert len(listing(agent, f"?agent={other.name}")["items"]) == 1


@pytest.mark.parametrize("column", ["payload", "timestamp"])
def test_a_row_that_cannot_be_decoded_is_reported_and_does_not_hide_the_others(
    agent: Agent, column: str
) -> None:
    """It is a finding of the check, not an error that ends it; and the list goes on."""
    append(agent, 3, text="x")
    with connection.cursor() as cursor:
        cursor.execute(f"UPDATE signed_events SET {column} = '{{broken' WHERE sequence = 2")
    assert {number for _, number in breaks(agent)} <= {2, 3}
    assert not holds(agent)
    assert sequences(listing(agent)) == [1, 2, 3]


def test_append_only_invariant_no_mutators_in_src() -> None:
    changes = re.compile(
        r"SignedEvent\.objects\.(?:\w+\(.*\)\.)*(?:update|delete|bulk_update|update_or_create)\("
        r"|(?:UPDATE|DELETE FROM)\s+\"?signed_events",
        re.IGNORECASE,
    )
    files = [*ROOT.glob("canvases/**/*.py"), *ROOT.glob("pipelines/**/*.py"), *ROOT.glob("offload_site/*.py")]
    assert len(files) > 100
    assert [path for path in files if changes.search(path.read_text(encoding="utf-8"))] == []


def test_read_chain_head_rejects_null_sequence_row(agent: Agent) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        SignedEvent.objects.create(agent=agent, sequence=None, event_id="x", prev_hash=b"")


def test_append_signed_event_refuses_when_null_sequence_present(agent: Agent) -> None:
    """What stands where the next event would join is refused as well, and nothing is stored without its event."""
    append(agent, 2)
    edit(agent, 2, sequence=3)
    with pytest.raises(IntegrityError), transaction.atomic():
        put(agent, "in the way")
    assert agent.blobs.count() == 0


def test_an_event_names_reader_way_and_outcome_and_stands_for_nothing_elsewhere(
    agent: Agent, other: Agent
) -> None:
    """Reading and storing one content are two signed statements; neither can be shown as the other, again, or as of
    another agent."""
    ref = put(agent, "read").blob.ref_id
    get(agent, ref)
    stored, read = rows(agent)
    assert bytes(stored.signature or b"") != bytes(read.signature or b"")
    assert read.payload["how"] == "test"
    values = SignedEvent.objects.filter(pk=read.pk).values().get()
    put(other, "read")
    for place in ({"agent_id": agent.pk, "sequence": 3}, {"agent_id": other.pk, "sequence": 2}):
        with transaction.atomic():
            copy = {**values, "id": None, "event_id": "11111111-1111-4111-8111-111111111111", **place}
            SignedEvent.objects.create(**copy)
            assert not holds(agent, other)
            transaction.set_rollback(True)
    assert holds(agent, other)
