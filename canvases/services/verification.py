"""Checking an agent's audit log and, against it, every content that is kept."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from django.conf import settings

from canvases.models import Agent, ChainHead, OffloadedBlob, Reference, SignedEvent
from canvases.selectors.audit import as_event, chain_events
from canvases.selectors.contents import blob_content
from canvases.selectors.dictionaries import dictionary_for
from canvases.selectors.keys import key_ring
from canvases.selectors.references import reference_check
from canvases.services.checkpoints import checkpoints
from canvases.snapshots import snapshot
from pipelines.audit import contents, verify
from pipelines.audit import events as chain
from pipelines.audit.report import ExitCode, Report, exit_code
from pipelines.blobs import CODEC, BlobError, ref_id_of_sha256
from pipelines.signing.bundle import BundleInvalid
from pipelines.signing.keys import KeyRing, SignatureRefused


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """What a check of one agent found."""

    agent: str
    report: Report
    blobs: contents.BlobReport

    @property
    def exit_code(self) -> ExitCode:
        return exit_code(self.report, blobs_hold=self.blobs.holds)

    def to_json(self) -> dict[str, Any]:
        """Return the answer of `POST /api/v1/audit/verify`."""
        return {
            "agent": self.agent,
            "rows_checked": self.report.rows_checked,
            "breaks": [asdict(one) for one in self.report.breaks],
            "signature_failures": [asdict(one) for one in self.report.signature_failures],
            "blobs_checked": self.blobs.blobs_checked,
            "blob_failures": [asdict(one) for one in self.blobs.failures],
            "holds": self.report.holds and self.blobs.holds,
        }


class SinceUnknown(ValueError):
    """The event to start after is not in the log; start at an earlier one, or leave `since` out."""

    def __str__(self) -> str:
        return str(self.__doc__)


def agent_verify(agent: Agent, *, since: int = 0) -> Verification:
    """Walk the agent's chain after event `since`, compare its end with what was stated of it, and re-hash every
    content, all as it is at one moment. Memory does not grow with the chain. Raises SinceUnknown."""
    points = [point for point in checkpoints(agent) if point.sequence >= since]  # before what they tell of
    with snapshot():
        found = verify.verify(
            chain_events(agent, after=since),
            key_ring(),
            checkpoints=points,
            since=[_head(agent, since)] if since else [],
            heads=[_end(agent)],
            must_be_signed=settings.OFFLOAD_MUST_BE_SIGNED,
        )
        compared = contents.check_blobs(chain_events(agent), _stored(agent))
    return Verification(agent=agent.name, report=found, blobs=compared)


def _end(agent: Agent) -> chain.Head:
    """Return where the store says that the chain ends."""
    row = ChainHead.objects.filter(agent=agent).first() or ChainHead(event_hash=chain.GENESIS)
    return chain.Head(agent=agent.name, sequence=row.sequence, event_hash=bytes(row.event_hash))


def _head(agent: Agent, sequence: int) -> chain.Head:
    row = SignedEvent.objects.filter(agent=agent, sequence=sequence).first()
    if row is None:
        raise SinceUnknown
    return chain.head_of(as_event(agent, row))


def _stored(agent: Agent) -> Iterator[contents.StoredContent]:
    """Yield every content of the agent as it reads now, with what its references say."""
    ring = key_ring()
    left = OffloadedBlob.objects.filter(agent=agent, gone_at__isnull=False).exclude(content_zstd=b"")
    with_bytes = set(left.values_list("pk", flat=True))
    rows = OffloadedBlob.objects.filter(agent=agent).defer("content_zstd").prefetch_related("references")
    for blob in rows.order_by("pk").iterator(chunk_size=50):
        blob.agent = agent
        content = None if blob.gone_at else _content(blob)
        references = list(blob.references.all())
        yield contents.StoredContent(
            agent=agent.name,
            content_sha256=blob.content_sha256,
            actual_sha256=hashlib.sha256(content).hexdigest() if content is not None else None,
            size_bytes=len(content) if content is not None else blob.size_bytes,
            tokens=blob.tokens,
            lives={reference.namespace: _life(reference) for reference in references},
            refused=tuple(_refused(references, blob, ring)),
            gone_why=blob.gone_why if blob.gone_at or blob.gone_why else None,
            gone_at=blob.gone_at.isoformat() if blob.gone_at else None,
            odd=tuple(_oddities(blob, content, has_bytes_left=blob.pk in with_bytes)),
        )


def _life(reference: Reference) -> contents.Life:
    return contents.Life(
        ttl_seconds=reference.ttl_seconds, expires_at=reference.expires_at, stored_at=reference.stored_at
    )


def _oddities(
    blob: OffloadedBlob, content: bytes | None, *, has_bytes_left: bool
) -> Iterator[tuple[str, str]]:
    """Yield what the row should say and what it says, where it cannot be as the server wrote it."""
    ref_id = _ref_id(blob)
    if blob.ref_id != ref_id:
        yield f"ref id {ref_id}", blob.ref_id
    if blob.codec != CODEC and not _has_dictionary(blob):
        yield "a codec whose dictionary is there", blob.codec
    if content is not None and blob.size_bytes != len(content):
        yield f"{len(content)} bytes", f"{blob.size_bytes} bytes"
    if (blob.gone_at is None) != (blob.gone_why == ""):
        yield "when and why it went, or neither", f"{blob.gone_at}, {blob.gone_why or 'no reason'}"
    if has_bytes_left:
        yield "no bytes of what is gone", "bytes"


def _has_dictionary(blob: OffloadedBlob) -> bool:
    try:
        dictionary_for(blob)
    except BlobError:
        return False
    return True


def _ref_id(blob: OffloadedBlob) -> str:
    try:
        return ref_id_of_sha256(blob.content_sha256)
    except ValueError:
        return f"of {blob.content_sha256}, which is no hash"


def _content(blob: OffloadedBlob) -> bytes | None:
    try:
        return blob_content(blob)
    except BlobError:
        return None


def _refused(references: list[Reference], blob: OffloadedBlob, ring: KeyRing) -> Iterator[tuple[str, str]]:
    for reference in references:
        try:
            reference_check(reference, blob, ring)
        except (SignatureRefused, BundleInvalid) as error:
            yield reference.namespace, str(error)
