"""Reading the audit log back, as the verifier and the API take it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from canvases.models import Agent, SignedEvent
from canvases.selectors import paging
from pipelines.audit.events import Event

CHUNK = 1_000


def chain_events(agent: Agent, *, after: int = 0) -> Iterator[Event]:
    """Yield the agent's events past a sequence number, in order, a chunk in memory at a time."""
    rows = SignedEvent.objects.filter(agent=agent, sequence__gt=after).order_by("sequence")
    for row in rows.iterator(chunk_size=CHUNK):
        yield as_event(agent, row)


def as_event(agent: Agent, row: SignedEvent) -> Event:
    """Return a row as the record that was signed."""
    return Event(
        agent=agent.name,
        sequence=row.sequence,
        event_id=row.event_id,
        event_type=row.event_type,
        actor=row.actor,
        outcome=row.outcome,
        payload=row.payload,
        timestamp=row.timestamp,
        prev_hash=bytes(row.prev_hash),
        key_id=row.key_id,
        signature=bytes(row.signature) if row.signature is not None else None,
    )


def event_page(agent: Agent, *, since: int = 0, after: str = "", limit: int | None = None) -> paging.Page:
    """Return a page of the agent's events past `since`, oldest first."""
    size = paging.page_size(limit)
    at = paging.position(after, int) or [since]
    rows = SignedEvent.objects.filter(agent=agent, sequence__gt=at[0]).order_by("sequence")
    return paging.cut(list(rows[: size + 1]), size, tokens=lambda row: paging.token(row.sequence))


def event_data(row: SignedEvent) -> dict[str, Any]:
    """Return an event as the API gives it."""
    return {
        "sequence": row.sequence,
        "event_id": row.event_id,
        "event_type": row.event_type,
        "actor": row.actor,
        "outcome": row.outcome,
        "payload": row.payload,
        "timestamp": row.timestamp,
        "prev_hash": bytes(row.prev_hash).hex(),
        "key_id": row.key_id,
        "signature": bytes(row.signature).hex() if row.signature is not None else None,
    }
