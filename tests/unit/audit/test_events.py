from __future__ import annotations

import hashlib
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import cbor2
import pytest

from pipelines.audit import events
from pipelines.audit.events import EventInvalid
from pipelines.audit.kinds import EventType, Outcome
from tests.unit.audit.making import KEY, PAYLOAD, RING, START, chain


def made(**fields: Any) -> events.Event:
    given = {
        "agent": "alice",
        "event_id": "11111111-1111-4111-8111-111111111111",
        "event_type": EventType.OFFLOADED,
        "actor": "alice",
        "outcome": Outcome.OK,
        "payload": {},
        "now": START,
        "key": KEY,
        **fields,
    }
    return events.append(given.pop("previous", None), **given)


def test_the_first_event_has_number_one_and_follows_zeros() -> None:
    event = made()
    assert (event.sequence, event.prev_hash) == (1, bytes(32))
    assert (event.event_type, event.outcome) == ("offloaded", "ok")


def test_each_event_names_the_hash_of_the_one_before() -> None:
    three = chain(3)
    assert [event.sequence for event in three] == [1, 2, 3]
    assert [event.prev_hash for event in three[1:]] == [events.event_hash(event) for event in three[:2]]


def test_the_signed_bytes_are_deterministic_cbor_with_a_domain_tag() -> None:
    event = chain(2)[1]
    read = cbor2.loads(events.event_bytes(event))
    assert read == {
        "domain": "offload.audit-event",
        "version": 1,
        "agent": "alice",
        "sequence": 2,
        "event_id": "00000000-0000-0000-0000-0000000003e9",
        "event_type": "dereferenced",
        "actor": "key:laptop",
        "outcome": "ok",
        "payload_hash": events.payload_hash(event.payload),
        "timestamp": "2026-05-28T20:26:41.123456Z",
        "prev_hash": event.prev_hash,
        "key_id": KEY.key_id,
    }
    written = [cbor2.dumps(key) for key in read]
    assert written == sorted(written)
    RING.verify(event.key_id, event.signature, events.event_bytes(event), at=START)


def test_the_bytes_never_change() -> None:
    event = made(payload={"ref_id": "ofl_XFGSPOMTJU7AQ", "size_bytes": 11})
    point = events.checkpoint(events.head_of(event), now=START, key=KEY)
    assert [
        events.payload_hash(event.payload).hex(),
        hashlib.sha256(events.event_bytes(event)).hexdigest(),
        events.event_hash(event).hex(),
        hashlib.sha256(events.checkpoint_bytes(point)).hexdigest(),
    ] == [
        "dd195cedaf8763c803a4dd5a440f0369828270d343c3ff7890e8744517de4bed",
        "cfd1ba64cf765248d684f15126979415b9dca80997a7d68e259ad44ed1cd2fcd",
        "988d7eb9b97b318ea5bbf7b8ffacab78b839041460f4ef7b2b10c03f0d3dc999",
        "b45bdba2fb87966f3f9e32f1899d34140d66c51388b7cacb5b2f75e1db4047e6",
    ]


def test_the_hash_binds_the_signature_too() -> None:
    event = made()
    assert events.event_hash(event) != events.event_hash(replace(event, signature=None))


def test_a_payload_is_kept_as_it_will_be_read_back() -> None:
    given = {"type": EventType.OFFLOADED, "list": (1, 2), "pair": "\ud83d\ude00"}
    event = made(payload=given)
    assert event.payload == {"type": "offloaded", "list": [1, 2], "pair": "😀"}
    given["type"] = "other"  # type: ignore[assignment]
    assert event.payload["type"] == "offloaded"


def test_hostile_text_is_signed_like_any_other() -> None:
    event = made(payload=PAYLOAD, actor="\x00\ud800", agent="名前")
    RING.verify(event.key_id, event.signature, events.event_bytes(event), at=START)


@pytest.mark.parametrize(
    "fields",
    [
        {"payload": {"x": 1.5}},
        {"payload": {"x": float("nan")}},
        {"payload": {"x": b"bytes"}},
        {"payload": {"x": 2**64}},
        {"payload": {"\ud800": 1}},
        {"payload": {"x": "y" * 2**20}},
        {"payload": []},
        {"event_id": "11111111-1111-4111-8111-11111111111A"},
        {"event_id": "11111111-1111-4111-8111-111111111111\n"},
        {"now": datetime(2026, 1, 1)},  # noqa: DTZ001
        {"previous": events.Head(agent="bob", sequence=1, event_hash=bytes(32))},
    ],
)
def test_what_cannot_be_signed_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(EventInvalid):
        made(**fields)


@pytest.mark.parametrize(
    ("time", "text"),
    [
        (datetime(2026, 5, 28, 20, 26, 40, tzinfo=UTC), "2026-05-28T20:26:40.000000Z"),
        (datetime(2026, 5, 28, 22, 26, 40, 1, timezone(timedelta(hours=2))), "2026-05-28T20:26:40.000001Z"),
        (datetime(7, 1, 1, tzinfo=UTC), "0007-01-01T00:00:00.000000Z"),
    ],
)
def test_a_time_has_one_text(time: datetime, text: str) -> None:
    assert events.time_text(time) == text
    assert events.time_of(text) == time


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2026-05-28",
        "2026-05-28T20:26:40Z",
        "2026-05-28T20:26:40.123456+00:00",
        "2026-05-28 20:26:40.123456Z",
        "2026-02-30T00:00:00.000000Z",
        "２026-05-28T20:26:40.123456Z",
        "2026-05-28T20:26:40.123456Z\n",
    ],
)
def test_any_other_text_is_no_time(text: str) -> None:
    with pytest.raises(EventInvalid):
        events.time_of(text)


def test_an_unsigned_event_says_so() -> None:
    event = made(key=None)
    assert (event.key_id, event.signature) == (None, None)
