"""A chain to test with, and the keys that signed it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from pipelines.audit import events
from pipelines.audit.events import Event, Head
from pipelines.audit.report import Break
from pipelines.signing import keys

START = datetime(2026, 5, 28, 20, 26, 40, 123456, tzinfo=UTC)
KEY = keys.from_seed(bytes(range(32)))
STRANGER = keys.from_seed(bytes(32))
PUBLIC = keys.PublicKey(public=KEY.public, valid_from=START - timedelta(days=1))
RING = keys.KeyRing.of([PUBLIC])
HELLO = "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9"
PAYLOAD: dict[str, Any] = {
    "namespace": "auto",
    "ref_id": "ofl_XFGSPOMTJU7AQ",
    "content_sha256": HELLO,
    "size_bytes": 11,
    "text": "\x00 \ud800 名前",
    "more": [1, True, None, {"a": -1}],
}


def chain(
    count: int, *, agent: str = "alice", key: keys.SigningKey | None = KEY, previous: Head | None = None
) -> list[Event]:
    made: list[Event] = []
    for number in range(count):
        event = events.append(
            previous,
            agent=agent,
            event_id=str(UUID(int=1000 + number)),
            event_type="offloaded" if number % 2 == 0 else "dereferenced",
            actor="key:laptop",
            outcome="ok",
            payload={**PAYLOAD, "number": number},
            now=START + timedelta(seconds=number),
            key=key,
        )
        made.append(event)
        previous = events.head_of(event)
    return made


def kinds(found: Iterable[Break]) -> list[tuple[str, int | None]]:
    return [(str(item.kind), item.sequence) for item in found]
