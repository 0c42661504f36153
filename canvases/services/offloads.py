"""Offloading a content by hand: kept under a namespace, for good or for a time, and deleted again."""

from __future__ import annotations

import hashlib
from typing import Any

from django.db import transaction

from canvases.models import Agent, OffloadedBlob, Reference
from canvases.models.reference import SESSION_NAMESPACE
from canvases.models.session import text_key
from canvases.selectors.contents import may_exist
from canvases.selectors.limits import offload_limit
from canvases.services.audit import Draft, blob_payload, events_append, read_noted
from canvases.services.contents import Keep, content_packed, contents_held, contents_keep
from canvases.services.expiry import contents_lock, references_end
from canvases.services.indexing import content_document, content_document_write
from canvases.services.quota import quota_check
from canvases.services.redaction import content_redacted
from pipelines.audit.kinds import EventType, Outcome
from pipelines.pairs import TEXT

DEFAULT_NAMESPACE = "auto"
MAX_NAMESPACE_CHARACTERS = 1_000
LONGEST_MEDIA_TYPE = 64  # characters
MAX_TTL_SECONDS = 3_155_760_000  # a hundred years


class OffloadRefused(ValueError):
    """The content cannot be offloaded so; the text says what to send instead."""


class OffloadTooLarge(OffloadRefused):
    """The content is over the agent's limit."""

    def __init__(self, actual: int, limit: int) -> None:
        super().__init__(f"offload blob {actual} bytes exceeds policy max {limit}")
        self.limit = limit


def ttl_checked(ttl_seconds: Any) -> int | None:
    """Return a time to live, None for good. Raises OffloadRefused for what is no whole number of seconds."""
    if ttl_seconds is None:
        return None
    if type(ttl_seconds) is not int or not 1 <= ttl_seconds <= MAX_TTL_SECONDS:
        raise OffloadRefused(
            f"ttl_seconds must be a whole number from 1 to {MAX_TTL_SECONDS}; leave it out to keep for good"
        )
    return ttl_seconds


def namespace_checked(namespace: Any) -> str:
    """Return a namespace, `auto` for none. Raises OffloadRefused."""
    if namespace is None or namespace == "":
        return DEFAULT_NAMESPACE
    if not isinstance(namespace, str) or len(namespace) > MAX_NAMESPACE_CHARACTERS:
        raise OffloadRefused(f"namespace must be a text of at most {MAX_NAMESPACE_CHARACTERS} characters")
    if namespace.startswith(SESSION_NAMESPACE):
        raise OffloadRefused(
            f"namespaces that begin with {SESSION_NAMESPACE} belong to sessions; choose another"
        )
    return namespace


def media_type_checked(media_type: Any) -> str:
    """Return a media type. Raises OffloadRefused."""
    if (
        not isinstance(media_type, str)
        or not media_type.isprintable()
        or not 1 <= len(media_type) <= LONGEST_MEDIA_TYPE
    ):
        raise OffloadRefused(f"media_type must be a text of 1 to {LONGEST_MEDIA_TYPE} printable characters")
    return media_type


def offload(
    *,
    agent: Agent,
    actor: str,
    content: bytes,
    namespace: Any = None,
    ttl_seconds: Any = None,
    media_type: Any = TEXT,
) -> Reference:
    """Keep a content under a namespace, and return the signed reference to it; it is on disk then.

    The same content again renews the reference: the newest time to live counts. Raises OffloadRefused, and
    OffloadTooLarge, which is noted, and QuotaFull.
    """
    namespace, ttl_seconds = namespace_checked(namespace), ttl_checked(ttl_seconds)
    media_type = media_type_checked(media_type)
    limit = offload_limit(agent)
    if len(content) > limit:
        payload = {"size_bytes": len(content), "limit": limit, "namespace": namespace}
        refused = Draft(event_type=EventType.REFUSED, actor=actor, outcome=Outcome.TOO_LARGE, payload=payload)
        read_noted(agent, [refused])
        raise OffloadTooLarge(len(content), limit)
    content, redacted = content_redacted(content, limit=limit)
    sha256 = hashlib.sha256(content).hexdigest()
    wish = Keep(sha256=sha256, namespace=namespace, media_type=media_type, ttl_seconds=ttl_seconds)
    packed = {}
    if sha256 not in contents_held(agent, [sha256]):
        quota_check(agent, [len(content)])
        packed[sha256] = content_packed(agent, content, sha256=sha256, media_type=media_type)
    document = content_document(agent, content, sha256=sha256)
    with transaction.atomic():
        rows, _ = contents_keep(agent=agent, packed=packed, wishes=[wish], content_of=lambda _: content)
        blob = rows[sha256]
        content_document_write(blob, document)
        reference = Reference.objects.get(blob=blob, namespace_key=text_key(namespace))
        payload = blob_payload(
            blob,
            namespace=namespace,
            media_type=reference.media_type,
            tokens=blob.tokens,
            stored_at=reference.stored_at,
            ttl_seconds=ttl_seconds,
            expires_at=reference.expires_at,
            **({"redacted": redacted} if redacted else {}),
        )
        events_append(agent, [Draft(event_type=EventType.OFFLOADED, actor=actor, payload=payload)])
    reference.blob = blob
    return reference


def offload_data(reference: Reference) -> dict[str, Any]:
    """Return what is told of a content that was offloaded."""
    return {
        "ref_id": reference.blob.ref_id,
        "content_sha256": reference.blob.content_sha256,
        "stored_at": reference.stored_at,
        "namespace": reference.namespace,
        "expires_at": reference.expires_at,
        "size_bytes": reference.blob.size_bytes,
        "tokens": reference.blob.tokens,
    }


def offload_delete(*, agent: Agent, actor: str, ref_id: str, namespace: Any = None) -> int:
    """Delete the references of a namespace to the contents with this label; return how many there were.

    Bytes that no other namespace keeps are gone then. Raises OffloadRefused for a session's namespace.
    """
    namespace = namespace_checked(namespace)
    if not may_exist(ref_id):
        return 0
    with transaction.atomic():
        pks = OffloadedBlob.objects.filter(agent=agent, ref_id=ref_id).values_list("pk", flat=True)
        blobs = contents_lock(pks)
        ended = Reference.objects.filter(blob__in=blobs, namespace_key=text_key(namespace))
        ended = ended.select_related("blob").defer("blob__content_zstd")
        return references_end(list(ended), why=EventType.DELETED, actor=actor).references
