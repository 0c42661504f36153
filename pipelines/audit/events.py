"""The audit chain's records, their signed bytes, and the one way to add to it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final

from pipelines.signing import cbor
from pipelines.signing.keys import SigningKey

EVENT_DOMAIN: Final = "offload.audit-event"
PAYLOAD_DOMAIN: Final = "offload.audit-payload"
ROW_DOMAIN: Final = "offload.audit-row"
CHECKPOINT_DOMAIN: Final = "offload.audit-checkpoint"
VERSION: Final = 1
GENESIS: Final = bytes(32)
"""What stands for the hash of the event before the first."""
MAX_PAYLOAD_CHARACTERS: Final = 2**20
_TIME_FORMAT: Final = "%Y-%m-%dT%H:%M:%S.%fZ"
_UUID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII)


class EventInvalid(ValueError):
    """This cannot become an event; the text names what is wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One row of an agent's chain. Every field but the signature is signed, the payload by its hash."""

    agent: str
    sequence: int
    """From 1, without gaps."""
    event_id: str
    """A UUID, hyphenated, lower case."""
    event_type: str
    actor: str
    """Who did it: a principal, not what the caller calls itself."""
    outcome: str
    payload: Mapping[str, Any]
    """JSON without fractions: ref ids, hashes, namespace, counts. It can be blotted out without a trace in
    the chain's hashes, which hold its hash only, but not without being found."""
    timestamp: str
    """`2026-05-28T20:26:40.123456Z`: this very text is signed."""
    prev_hash: bytes
    """`event_hash` of the event before, 32 bytes; zeros in the first."""
    key_id: str | None
    """None in an unsigned event."""
    signature: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """Where an agent's chain ends, which is all that is needed to go on from there."""

    agent: str
    sequence: int
    event_hash: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """A signed statement of where a chain ended; kept outside the database it shows a tail that was cut."""

    agent: str
    sequence: int
    head_hash: bytes
    timestamp: str
    key_id: str | None
    signature: bytes | None


def append(
    previous: Head | None,
    *,
    agent: str,
    event_id: str,
    event_type: str,
    actor: str,
    outcome: str,
    payload: Mapping[str, Any],
    now: datetime,
    key: SigningKey | None,
) -> Event:
    """Return the event that follows `previous` (None: the agent's first), signed by `key` if there is one.

    `now` has a time zone. Raises EventInvalid for a payload that is not JSON without fractions or has more
    than 2**20 characters, an id that is no UUID, and a head of another agent.
    """
    if previous is not None and previous.agent != agent:
        raise EventInvalid("the head is of another agent's chain")
    if not _UUID.fullmatch(event_id):
        raise EventInvalid("event_id must be a UUID, hyphenated, in lower case")
    event = Event(
        agent=agent,
        sequence=previous.sequence + 1 if previous else 1,
        event_id=event_id,
        event_type=str(event_type),
        actor=actor,
        outcome=str(outcome),
        payload=_plain(payload),
        timestamp=time_text(now),
        prev_hash=previous.event_hash if previous else GENESIS,
        key_id=key.key_id if key else None,
        signature=None,
    )
    raw = event_bytes(event)
    return replace(event, signature=key.sign(raw)) if key else event


def event_bytes(event: Event) -> bytes:
    """Return the bytes that are signed. Raises EventInvalid when a value has no such form."""
    return _encode(
        {
            "domain": EVENT_DOMAIN,
            "version": VERSION,
            "agent": event.agent,
            "sequence": event.sequence,
            "event_id": event.event_id,
            "event_type": event.event_type,
            "actor": event.actor,
            "outcome": event.outcome,
            "payload_hash": payload_hash(event.payload),
            "timestamp": event.timestamp,
            "prev_hash": event.prev_hash,
            "key_id": event.key_id,
        }
    )


def payload_hash(payload: Mapping[str, Any]) -> bytes:
    """Return the 32 bytes by which an event binds its payload. Raises EventInvalid when it has no such form."""
    return _digest({"domain": PAYLOAD_DOMAIN, "version": VERSION, "payload": payload})


def event_hash(event: Event) -> bytes:
    """Return the 32 bytes by which the next event binds this one, signature included."""
    return hash_of_bytes(event_bytes(event), event.signature)


def hash_of_bytes(signed: bytes, signature: bytes | None) -> bytes:
    """Return what `event_hash` does, for an event whose signed bytes are at hand."""
    return _digest({"domain": ROW_DOMAIN, "version": VERSION, "event": signed, "signature": signature})


def head_of(event: Event) -> Head:
    """Return the head of a chain that ends with `event`."""
    return Head(agent=event.agent, sequence=event.sequence, event_hash=event_hash(event))


def checkpoint(head: Head, *, now: datetime, key: SigningKey | None) -> Checkpoint:
    """State where a chain ends, signed by `key` if there is one."""
    unsigned = Checkpoint(
        agent=head.agent,
        sequence=head.sequence,
        head_hash=head.event_hash,
        timestamp=time_text(now),
        key_id=key.key_id if key else None,
        signature=None,
    )
    return replace(unsigned, signature=key.sign(checkpoint_bytes(unsigned))) if key else unsigned


def checkpoint_bytes(point: Checkpoint) -> bytes:
    """Return the bytes of a checkpoint that are signed. Raises EventInvalid when a value has no such form."""
    return _encode(
        {
            "domain": CHECKPOINT_DOMAIN,
            "version": VERSION,
            "agent": point.agent,
            "sequence": point.sequence,
            "head_hash": point.head_hash,
            "timestamp": point.timestamp,
            "key_id": point.key_id,
        }
    )


def time_text(time: datetime) -> str:
    """Write a time as it is signed: UTC with six digits of a second. Raises EventInvalid without a zone."""
    if time.tzinfo is None:
        raise EventInvalid("a time needs its time zone")
    text = time.astimezone(UTC).strftime(_TIME_FORMAT)
    return text.rjust(27, "0")  # strftime leaves the zeros of early years away


def time_of(text: str) -> datetime:
    """Read what `time_text` writes. Raises EventInvalid for any other text."""
    try:
        time = datetime.fromisoformat(text)
        if time_text(time) == text:
            return time
    except (ValueError, OverflowError):
        pass
    raise EventInvalid("a timestamp must be like 2026-05-28T20:26:40.123456Z")


def is_event_id(text: str) -> bool:
    """Tell whether a text is a UUID in the one form that is used here."""
    return _UUID.fullmatch(text) is not None


def _plain(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return the payload as it will be read back, so that what is signed is what is stored."""
    try:
        text = json.dumps(payload)
    except (TypeError, ValueError, RecursionError) as error:
        raise EventInvalid(f"the payload is not JSON: {error}") from error
    if len(text) > MAX_PAYLOAD_CHARACTERS:
        raise EventInvalid(f"a payload has at most {MAX_PAYLOAD_CHARACTERS} characters, this has {len(text)}")
    plain = json.loads(text)
    if not isinstance(plain, dict):
        raise EventInvalid("a payload is a JSON object")
    return plain


def _encode(value: Mapping[str, Any]) -> bytes:
    try:
        return cbor.encode(value)
    except cbor.NotEncodable as error:
        raise EventInvalid(str(error)) from error


def _digest(value: Mapping[str, Any]) -> bytes:
    return hashlib.sha256(_encode(value)).digest()
