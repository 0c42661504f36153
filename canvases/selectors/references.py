"""Who keeps a content, under which name and for how long; believed only as far as it was signed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.db.models import Q, QuerySet

from canvases.models import Agent, OffloadedBlob, Reference
from canvases.models.session import text_key
from canvases.selectors import paging
from canvases.selectors.keys import key_ring
from pipelines.blobs import BlobGone, BlobUntrusted, ref_id_of_sha256
from pipelines.signing import bundle
from pipelines.signing.four_keys import signature_of_text
from pipelines.signing.keys import KeyRing, SignatureRefused, SignatureWrong

CHUNK = 20


def seconds_now() -> int:
    """Return the Unix time in whole seconds."""
    return int(time.time())


def live(at: int) -> Q:
    """Return the condition for references whose life is not over at this second."""
    return Q(expires_at=None) | Q(expires_at__gte=at)


def expired(at: int) -> QuerySet[Reference]:
    """Return the references whose life was over before this second, those that ended first at the front."""
    return Reference.objects.filter(expires_at__isnull=False, expires_at__lt=at).order_by("expires_at", "pk")


def bundle_of(reference: Reference, blob: OffloadedBlob) -> bundle.Bundle:
    """Return what is signed for the reference. Raises BundleInvalid for values that were never signed."""
    return bundle.Bundle(
        agent=blob.agent.name,
        namespace=reference.namespace,
        ref_id=blob.ref_id,
        content_sha256=blob.content_sha256,
        size_bytes=blob.size_bytes,
        codec=blob.codec,
        media_type=reference.media_type,
        stored_at=reference.stored_at,
        ttl_seconds=reference.ttl_seconds,
        expires_at=reference.expires_at,
    )


def reference_check(reference: Reference, blob: OffloadedBlob, ring: KeyRing) -> None:
    """Raise SignatureRefused or BundleInvalid when the reference does not say what was signed."""
    stated = bundle_of(reference, blob)
    if blob.ref_id != ref_id_of_sha256(blob.content_sha256):
        raise SignatureWrong("the ref id is not that of the content's hash")
    if reference.namespace_key != text_key(reference.namespace):
        raise SignatureWrong("the key of the namespace is not that of its name")
    bundle.verify(
        stated,
        key_id=reference.key_id,
        signature=signature_of_text(reference.signature_b64),
        ring=ring,
        must_be_signed=settings.OFFLOAD_MUST_BE_SIGNED,
    )


def vouching_reference(blob: OffloadedBlob) -> Reference:
    """Return a live reference to the content whose signature holds.

    Raises BlobGone when nothing keeps the content any more, and BlobUntrusted when no signature holds.
    """
    if blob.gone_at is not None:
        raise BlobGone(f"the content was {blob.gone_why} at {blob.gone_at:%Y-%m-%d %H:%M:%S} UTC")
    ring, refused = key_ring(), None
    for reference in _chunks(blob.references.filter(live(seconds_now())).order_by("pk")):
        try:
            reference_check(reference, blob, ring)
        except (SignatureRefused, bundle.BundleInvalid) as error:
            refused = refused or error
        else:
            return reference
    if refused:
        raise BlobUntrusted(f"the content's signature does not hold: {refused}") from refused
    raise BlobGone(_ended(blob))


def _chunks(references: QuerySet[Reference]) -> Iterator[Reference]:
    """Yield references a few at a time: nearly always the first one is good."""
    while rows := list(references[:CHUNK]):
        yield from rows
        references = references.filter(pk__gt=rows[-1].pk)


def _ended(blob: OffloadedBlob) -> str:
    last = blob.references.order_by("-expires_at").values_list("expires_at", flat=True).first()
    if last is None or not 0 <= last <= bundle.MAX_TIME:
        return "no namespace keeps the content"
    return f"the content expired at {datetime.fromtimestamp(last, UTC):%Y-%m-%d %H:%M:%S} UTC"


def reference_page(
    agent: Agent, *, namespace: str = "", after: str = "", limit: int | None = None
) -> paging.Page:
    """Return a page of what the agent keeps now, newest first; with a namespace, of what that one keeps."""
    size = paging.page_size(limit)
    rows = Reference.objects.filter(live(seconds_now()), blob__agent=agent, blob__gone_at=None)
    if namespace:
        rows = rows.filter(namespace_key=text_key(namespace))
    at = paging.position(after, int)
    if at is not None:
        rows = rows.filter(pk__lt=at[0])
    rows = rows.select_related("blob").defer("blob__content_zstd").order_by("-pk")
    return paging.cut(list(rows[: size + 1]), size, tokens=lambda row: paging.token(row.pk))


def reference_row(reference: Reference) -> dict[str, Any]:
    """Return a reference as a list gives it."""
    blob = reference.blob
    return {
        "ref_id": blob.ref_id,
        "namespace": reference.namespace,
        "media_type": reference.media_type,
        "size_bytes": blob.size_bytes,
        "tokens": blob.tokens,
        "content_sha256": blob.content_sha256,
        "stored_at": reference.stored_at,
        "expires_at": reference.expires_at,
    }


def reference_data(reference: Reference) -> dict[str, Any]:
    """Return a reference as the API gives it."""
    return {
        "namespace": reference.namespace,
        "media_type": reference.media_type,
        "stored_at": reference.stored_at,
        "ttl_seconds": reference.ttl_seconds,
        "expires_at": reference.expires_at,
        "key_id": reference.key_id,
        "signature": reference.signature_b64 or None,
    }
