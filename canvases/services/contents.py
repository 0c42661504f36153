"""Keeping contents: the bytes once per agent, and a signed reference for each namespace that keeps them."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from canvases.models import Agent, OffloadedBlob, Reference
from canvases.models.session import text_key
from canvases.selectors.references import bundle_of, seconds_now
from canvases.services.indexing import contents_index_again
from canvases.services.keys import signing_key
from pipelines import blobs, tokens
from pipelines.signing import bundle
from pipelines.signing.keys import SigningKey


@dataclass(frozen=True, slots=True, kw_only=True)
class Keep:
    """A wish to keep a content under a namespace; for good, or for so many seconds."""

    sha256: str
    namespace: str
    media_type: str
    ttl_seconds: int | None = None


def content_packed(agent: Agent, content: bytes, *, sha256: str, media_type: str) -> OffloadedBlob:
    """Return the row for a content, compressed and counted, not stored yet."""
    return OffloadedBlob(
        agent=agent,
        ref_id=blobs.ref_id_of_sha256(sha256),
        content_sha256=sha256,
        content_zstd=blobs.pack(content),
        size_bytes=len(content),
        tokens=tokens.count_content(content, media_type),
    )


def contents_held(agent: Agent, hashes: Iterable[str]) -> set[str]:
    """Return those of the hashes whose bytes the agent has here."""
    held = OffloadedBlob.objects.filter(agent=agent, content_sha256__in=set(hashes), gone_at=None)
    return set(held.values_list("content_sha256", flat=True))


def contents_keep(
    *,
    agent: Agent,
    packed: Mapping[str, OffloadedBlob],
    wishes: list[Keep],
    content_of: Callable[[str], bytes],
) -> tuple[dict[str, OffloadedBlob], set[str]]:
    """Keep contents inside the running transaction.

    Returns the rows by hash, and the hashes that their namespace did not keep before. `packed` are contents
    that were not held when the caller looked; `content_of` gives the bytes of those that went away since. The
    newest wish decides how long a namespace keeps a content.
    """
    # One order for all writers, so that two of them cannot wait for each other. A content's row is the lock of
    # its references: whoever would take its bytes away holds it too.
    OffloadedBlob.objects.bulk_create([packed[sha] for sha in sorted(packed)], ignore_conflicts=True)
    wanted = OffloadedBlob.objects.filter(agent=agent, content_sha256__in={wish.sha256 for wish in wishes})
    held = wanted.select_for_update(no_key=True).defer("content_zstd").order_by("pk")
    rows = {row.content_sha256: row for row in held}
    back = [row.pk for row in rows.values() if row.gone_at is not None]
    for row in rows.values():
        row.agent = agent
        if row.gone_at is not None:
            row.content_zstd = blobs.pack(content_of(row.content_sha256))
            row.gone_at, row.gone_why = None, ""
            row.save(update_fields=["content_zstd", "gone_at", "gone_why"])
    contents_index_again(back)
    return rows, _references_write(rows, wishes)


def _references_write(rows: Mapping[str, OffloadedBlob], wishes: list[Keep]) -> set[str]:
    """Insert the references that are missing and renew those that are to end; return the hashes inserted."""
    key, now = signing_key(), seconds_now()
    keys = {text_key(wish.namespace) for wish in wishes}
    known = {
        (reference.blob_id, reference.namespace_key): reference
        for reference in Reference.objects.filter(blob__in=rows.values(), namespace_key__in=keys)
    }
    added: dict[tuple[int, str], Reference] = {}
    for wish in wishes:
        blob = rows[wish.sha256]
        place = (blob.pk, text_key(wish.namespace))
        standing = known.get(place)
        if standing is None:
            added[place] = _signed(Reference(blob=blob, namespace_key=place[1]), wish, now, key)
        elif (standing.ttl_seconds, wish.ttl_seconds) != (None, None):
            standing.blob = blob
            _signed(standing, wish, now, key).save()
    Reference.objects.bulk_create(added.values())
    return {reference.blob.content_sha256 for reference in added.values()}


def _signed(reference: Reference, wish: Keep, now: int, key: SigningKey) -> Reference:
    reference.namespace = wish.namespace
    reference.media_type = wish.media_type
    reference.stored_at = now
    reference.ttl_seconds = wish.ttl_seconds
    reference.expires_at = None if wish.ttl_seconds is None else now + wish.ttl_seconds
    signature = bundle.sign(bundle_of(reference, reference.blob), key)
    reference.key_id = key.key_id
    reference.signature_b64 = base64.urlsafe_b64encode(signature).decode().rstrip("=")
    return reference
