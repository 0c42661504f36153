"""Reading one content back by its ref id, for callers that want the bytes or the reason in a sentence."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from canvases.models import Agent, OffloadedBlob, Reference
from canvases.selectors.deref import blobs_by_ref
from canvases.services.reads import LONGEST_NOTED, content_read, miss_noted
from pipelines.blobs import BlobError, BlobGone, BlobTooLarge, BlobUntrusted


class Refusal(StrEnum):
    """Why a content is not given out."""

    NOT_FOUND = "not found"
    SEVERAL = "shared by several contents"
    UNTRUSTED = "signature verification failed"
    DAMAGED = "integrity check failed (content tampered)"
    TOO_LARGE = "too large to be read back"


class RefRefused(Exception):
    """A content was not given out; the text says which and why."""

    def __init__(self, ref_id: str, refusal: Refusal, reason: str = "") -> None:
        super().__init__(f"offloaded blob {ref_id} {refusal}" + (f": {reason}" if reason else ""))
        self.refusal = refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class RefRead:
    """A content that was read back, with a reference that keeps it."""

    blob: OffloadedBlob
    reference: Reference
    content: bytes


def ref_read(*, agent: Agent, actor: str, how: str, ref_id: str, sha256: str = "") -> RefRead:
    """Read the agent's content with this label, and note the read. Raises RefRefused.

    `sha256` (64 hex digits) chooses among several contents with one label.
    """
    found = [blob for blob in blobs_by_ref(agent, ref_id) if sha256 in ("", blob.content_sha256)]
    if not found:
        miss_noted(agent, actor=actor, asked={"ref_id": ref_id})
        raise RefRefused(ref_id[:LONGEST_NOTED], Refusal.NOT_FOUND)
    if len(found) > 1:
        hashes = ", ".join(blob.content_sha256 for blob in found)
        raise RefRefused(ref_id, Refusal.SEVERAL, f"choose one by its SHA-256: {hashes}")
    read = content_read(found[0], actor=actor, how=how)
    if read.content is None or read.reference is None:
        raise RefRefused(ref_id, refusal_of(read.error), str(read.error))
    return RefRead(blob=found[0], reference=read.reference, content=read.content)


def refusal_of(error: BlobError | None) -> Refusal:
    """Return how a failed read is told."""
    if isinstance(error, BlobGone):
        return Refusal.NOT_FOUND
    if isinstance(error, BlobUntrusted):
        return Refusal.UNTRUSTED
    return Refusal.TOO_LARGE if isinstance(error, BlobTooLarge) else Refusal.DAMAGED
