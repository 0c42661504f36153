"""Reading stored contents for someone: checked, and written down before they are given out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from canvases.models import Agent, OffloadedBlob
from canvases.selectors.contents import Read, blob_read
from canvases.services.audit import Draft, blob_payload, read_noted
from pipelines.audit.kinds import EventType, Outcome
from pipelines.blobs import BlobTooLarge


def contents_read(contents: Sequence[OffloadedBlob], *, actor: str, how: str) -> list[Read]:
    """Read the contents for `actor`, in order, and note each read in its owner's chain.

    `how` says by which way (`deref`, `raw`, `page`). When the note cannot be written nothing is given out.
    """
    reads = [blob_read(blob) for blob in contents]
    drafts: dict[Agent, list[Draft]] = defaultdict(list)
    for blob, read in zip(contents, reads, strict=True):
        drafts[blob.agent].append(_draft(blob, read, actor, how))
    for agent, noted in drafts.items():
        read_noted(agent, noted)
    return reads


def _draft(blob: OffloadedBlob, read: Read, actor: str, how: str) -> Draft:
    payload = blob_payload(blob, how=how)
    if read.error is None:
        return Draft(event_type=EventType.DEREFERENCED, actor=actor, payload=payload)
    outcome = Outcome.TOO_LARGE if isinstance(read.error, BlobTooLarge) else Outcome.DAMAGED
    return Draft(event_type=EventType.REFUSED, actor=actor, outcome=outcome, payload=payload)


def miss_noted(agent: Agent, *, actor: str, asked: dict[str, Any]) -> None:
    """Note that something was asked for that is not the agent's."""
    draft = Draft(event_type=EventType.REFUSED, actor=actor, outcome=Outcome.NOT_FOUND, payload=asked)
    read_noted(agent, [draft])
