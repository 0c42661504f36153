"""Writing the audit log: events join their agent's chain in the transaction of the act they tell of."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone

from canvases.models import Agent, ChainHead, OffloadedBlob, SignedEvent
from canvases.services.keys import signing_key
from pipelines.audit import events as chain
from pipelines.audit.kinds import EventType, Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """An event before it has its place in the chain."""

    event_type: EventType
    actor: str
    payload: dict[str, Any]
    outcome: Outcome = Outcome.OK


def blob_payload(blob: OffloadedBlob, **more: Any) -> dict[str, Any]:
    """Return what an event says of a content."""
    return {
        "ref_id": blob.ref_id,
        "content_sha256": blob.content_sha256,
        "size_bytes": blob.size_bytes,
        **more,
    }


def events_append(agent: Agent, drafts: Iterable[Draft]) -> None:
    """Add the events to the agent's chain, in order, inside the running transaction.

    The head's row is held until the transaction ends, so that a chain never forks; chains of different
    agents do not wait for each other.
    """
    drafts = list(drafts)
    if not drafts:
        return
    key = signing_key()
    ChainHead.objects.get_or_create(agent=agent, defaults={"event_hash": chain.GENESIS})
    row = ChainHead.objects.select_for_update().get(agent=agent)
    head = chain.Head(agent=agent.name, sequence=row.sequence, event_hash=bytes(row.event_hash))
    made = []
    for draft in drafts:
        event = chain.append(
            head if head.sequence else None,
            agent=agent.name,
            event_id=str(uuid.uuid4()),
            event_type=draft.event_type,
            actor=draft.actor,
            outcome=draft.outcome,
            payload=draft.payload,
            now=timezone.now(),
            key=key,
        )
        head = chain.head_of(event)
        made.append(_row(agent, event))
    SignedEvent.objects.bulk_create(made)
    ChainHead.objects.filter(agent=agent).update(sequence=head.sequence, event_hash=head.event_hash)


def _row(agent: Agent, event: chain.Event) -> SignedEvent:
    return SignedEvent(
        agent=agent,
        sequence=event.sequence,
        event_id=event.event_id,
        event_type=event.event_type,
        actor=event.actor,
        outcome=event.outcome,
        payload=dict(event.payload),
        timestamp=event.timestamp,
        prev_hash=event.prev_hash,
        key_id=event.key_id,
        signature=event.signature,
    )


def read_noted(agent: Agent, drafts: Iterable[Draft]) -> None:
    """Note reads in a transaction of their own. A read that cannot be noted must not be answered."""
    with transaction.atomic():
        events_append(agent, drafts)
