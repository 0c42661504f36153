"""Keeping contents: the bytes once per agent, and a signed reference for each namespace that keeps them."""

from __future__ import annotations

import base64
import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from canvases.models import Agent, OffloadedBlob, Reference
from canvases.models.session import text_key
from canvases.selectors.contents import blob_content
from canvases.selectors.keys import key_ring
from canvases.selectors.references import bundle_of, reference_check, seconds_now
from canvases.services.indexing import contents_index_again
from canvases.services.keys import signing_key
from pipelines import blobs, tokens
from pipelines.dictionaries import SMALL_BYTES, Dictionary, pack_smaller
from pipelines.signing import bundle
from pipelines.signing.keys import KeyRing, SignatureRefused, SigningKey

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Keep:
    """A wish to keep a content under a namespace; for good, or for so many seconds."""

    sha256: str
    namespace: str
    media_type: str
    ttl_seconds: int | None = None


def content_packed(
    agent: Agent, content: bytes, *, sha256: str, media_type: str, dictionary: Dictionary | None = None
) -> OffloadedBlob:
    """Return the row for a content, compressed (with the dictionary where that is smaller) and counted, not
    stored yet."""
    packed, codec = pack_smaller(content, dictionary if len(content) <= SMALL_BYTES else None)
    return OffloadedBlob(
        agent=agent,
        ref_id=blobs.ref_id_of_sha256(sha256),
        content_sha256=sha256,
        content_zstd=packed,
        codec=codec,
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
    that were not held when the caller looked; `content_of` gives the bytes of the others, which are compared with
    what is stored. The newest wish decides how long a namespace keeps a content.
    """
    # One order for all writers, so that two of them cannot wait for each other. A content's row is the lock of
    # its references: whoever would take its bytes away holds it too.
    OffloadedBlob.objects.bulk_create([packed[sha] for sha in sorted(packed)], ignore_conflicts=True)
    wanted = OffloadedBlob.objects.filter(agent=agent, content_sha256__in={wish.sha256 for wish in wishes})
    held = wanted.select_for_update(no_key=True).defer("content_zstd").order_by("pk")
    rows = {row.content_sha256: row for row in held}
    back = []
    for row in rows.values():
        row.agent = agent
        is_new = row.content_sha256 in packed and row.gone_at is None
        if not is_new and _row_make_good(row, content_of(row.content_sha256)):
            back.append(row.pk)
    contents_index_again(back)
    return rows, _references_write(rows, wishes)


def _row_make_good(row: OffloadedBlob, content: bytes) -> bool:
    """Have the bytes and what is signed of them be those of the content at hand, whatever the row says; say if the
    bytes were not there. What is acknowledged is readable then, and no figure is signed that is not so."""
    is_lost = row.gone_at is not None or not _is_whole(row)
    figures: dict[str, Any] = {
        "ref_id": blobs.ref_id_of_sha256(row.content_sha256),
        "size_bytes": len(content),
        "gone_at": None,
        "gone_why": "",
    }
    if is_lost:
        figures |= {"codec": blobs.CODEC, "content_zstd": blobs.pack(content)}
    wrong = [name for name, value in figures.items() if name == "content_zstd" or getattr(row, name) != value]
    for name in wrong:
        setattr(row, name, figures[name])
    if wrong:
        row.save(update_fields=wrong)
    return is_lost


def _is_whole(row: OffloadedBlob) -> bool:
    try:
        blob_content(row)
    except blobs.BlobError as error:
        log.error("the bytes of %s were damaged and are stored anew: %s", row.ref_id, error)
        return False
    return True


def _references_write(rows: Mapping[str, OffloadedBlob], wishes: list[Keep]) -> set[str]:
    """Insert the references that are missing and renew those that are to end; return the hashes inserted."""
    key, ring, now = signing_key(), key_ring(), seconds_now()
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
            continue
        standing.blob = blob
        if (standing.ttl_seconds, wish.ttl_seconds) != (None, None) or not _holds(standing, ring):
            _signed(standing, wish, now, key).save()
    Reference.objects.bulk_create(added.values())
    return {reference.blob.content_sha256 for reference in added.values()}


def _holds(reference: Reference, ring: KeyRing) -> bool:
    try:
        reference_check(reference, reference.blob, ring)
    except (SignatureRefused, bundle.BundleInvalid):
        return False
    return True


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
