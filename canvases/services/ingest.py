"""Storing what agents post: tool pairs with the exact bytes of their results, and prompts."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from canvases import live
from canvases.models import Agent, Boundary, OffloadedBlob, Session, ToolPair
from canvases.models.session import text_key
from canvases.selectors.dictionaries import dictionaries_of
from canvases.services import queue
from canvases.services.audit import Draft, blob_payload, events_append
from canvases.services.contents import Keep, content_packed, contents_held, contents_keep
from canvases.services.redaction import pair_redacted, text_redacted, value_redacted
from canvases.services.sessions import session_locked, session_namespace
from pipelines import blobs, rawjson
from pipelines.audit.kinds import EventType
from pipelines.pairs import Batch, PostedPair, encode_text

MAX_PROMPT_CHARACTERS = 2_000_000
RECENT_CHARACTERS = 262_144


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedPair:
    """A posted pair with all that is costly to work out, so that the transaction stays short."""

    index: int
    pair: PostedPair
    fingerprint: str
    sha256: str
    redacted: int
    """How many secrets were taken out of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedBatch:
    """A batch ready to store: its pairs, and blobs for contents that the agent did not have yet."""

    pairs: list[PreparedPair]
    new_blobs: dict[str, OffloadedBlob]
    recent_messages: list[dict[str, Any]]
    context_window: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPair:
    """What became of a posted pair."""

    index: int
    row: ToolPair
    duplicate: bool
    redacted: int


def batch_prepare(*, agent: Agent, batch: Batch) -> PreparedBatch:
    """Take secrets out if that is asked for, hash, compress and count the batch's contents, outside of any
    transaction."""
    prepared = [_pair_prepared(index, pair) for index, pair in batch.pairs]
    held = contents_held(agent, (one.sha256 for one in prepared))
    learned = dictionaries_of(agent, {one.pair.tool_name for one in prepared})
    new_blobs: dict[str, OffloadedBlob] = {}
    for one in prepared:
        if one.sha256 not in held and one.sha256 not in new_blobs:
            new_blobs[one.sha256] = content_packed(
                agent,
                one.pair.content,
                sha256=one.sha256,
                media_type=one.pair.media_type,
                dictionary=learned.get(one.pair.tool_name),
            )
    return PreparedBatch(
        pairs=prepared,
        new_blobs=new_blobs,
        recent_messages=value_redacted(batch.recent_messages)[0],
        context_window=batch.context_window,
    )


def _pair_prepared(index: int, posted: PostedPair) -> PreparedPair:
    pair, redacted = pair_redacted(posted)
    return PreparedPair(
        index=index,
        pair=pair,
        fingerprint=pair.fingerprint(),
        sha256=pair.content_sha256,
        redacted=redacted,
    )


def pairs_store(
    *, agent: Agent, session_id: str, batch: PreparedBatch, actor: str, notify: bool = True
) -> list[StoredPair]:
    """Store the batch and return one answer per pair, in order; all of it is on disk when this returns.

    A pair equal in every field to one of the session (or of the batch) is a duplicate: it stores nothing and
    is answered with the row that is there. `actor` is who stores, for the audit log. `notify=False` leaves it
    to the caller to process the session.
    """
    with transaction.atomic():
        session = session_locked(agent=agent, session_id=session_id)
        blobs_by_sha, added = _contents_keep(agent, session, batch)
        rows = {
            row.fingerprint: row
            for row in ToolPair.objects.filter(
                session=session, fingerprint__in=[one.fingerprint for one in batch.pairs]
            )
            .select_related("blob")
            .defer("params", "blob__content_zstd")
        }
        stored, new = [], []
        for one in batch.pairs:
            duplicate = one.fingerprint in rows
            if not duplicate:
                rows[one.fingerprint] = _pair_row(session, one, blobs_by_sha[one.sha256])
                new.append(rows[one.fingerprint])
            row = rows[one.fingerprint]
            stored.append(StoredPair(index=one.index, row=row, duplicate=duplicate, redacted=one.redacted))
        if new and new[0].seq == 1:
            _cover_the_start(session, new[0])
        ToolPair.objects.bulk_create(new)
        _session_note(session, new, batch)
        events_append(agent, [_stored_event(session_id, one, actor) for one in _told(stored, added)])
        if new and notify:
            queue.session_nudge(session)
    return stored


def _contents_keep(
    agent: Agent, session: Session, batch: PreparedBatch
) -> tuple[dict[str, OffloadedBlob], set[str]]:
    """Keep the batch's contents for the session; duplicates too, whose bytes may have been taken away since."""
    content = {one.sha256: one.pair.content for one in batch.pairs}
    wishes = {
        one.sha256: Keep(
            sha256=one.sha256,
            namespace=session_namespace(session.session_id),
            media_type=one.pair.media_type,
        )
        for one in batch.pairs
    }
    return contents_keep(
        agent=agent, packed=batch.new_blobs, wishes=list(wishes.values()), content_of=content.__getitem__
    )


def _pair_row(session: Session, one: PreparedPair, blob: OffloadedBlob) -> ToolPair:
    seq = session.next_seq
    session.next_seq += 1
    pair = one.pair
    return ToolPair(
        session=session,
        seq=seq,
        fingerprint=one.fingerprint,
        tool_call_id=pair.tool_call_id,
        call_key=text_key(pair.tool_call_id),
        tool_name=pair.tool_name,
        params=rawjson.dump(pair.params),
        blob=blob,
        result_ref=blobs.result_ref(seq, blob.ref_id),
        media_type=pair.media_type,
        error=pair.error,
        is_error=pair.is_error,
        timestamp=pair.timestamp or timezone.now(),
        timestamp_text=pair.timestamp_text,
        duration_ms=pair.duration_ms,
    )


def _told(stored: list[StoredPair], added: set[str]) -> Iterator[StoredPair]:
    """Yield the pairs that the audit log tells of: new ones, and known ones whose bytes had to come back."""
    for one in stored:
        if not one.duplicate or one.row.blob.content_sha256 in added:
            added.discard(one.row.blob.content_sha256)
            yield one


def _stored_event(session_id: str, stored: StoredPair, actor: str) -> Draft:
    row = stored.row
    redacted = {"redacted": stored.redacted} if stored.redacted else {}
    payload = blob_payload(
        row.blob,
        namespace=session_namespace(session_id),
        seq=row.seq,
        media_type=row.media_type,
        tokens=row.blob.tokens,
        **redacted,
    )
    return Draft(event_type=EventType.OFFLOADED, actor=actor, payload=payload)


def _cover_the_start(session: Session, first: ToolPair) -> None:
    """Give work that comes before any prompt a boundary of its own, so that it is drawn all the same."""
    if not Boundary.objects.filter(session=session).exists():
        Boundary.objects.create(session=session, first_seq=1, prompt=None, timestamp=first.timestamp)


def _session_note(session: Session, new: list[ToolPair], batch: PreparedBatch) -> None:
    fields = ["next_seq", "pair_count", "raw_bytes", "raw_tokens", "waiting_since"]
    if batch.recent_messages:
        session.recent_messages = _newest_messages(batch.recent_messages)
        fields.append("recent_messages")
    if batch.context_window:
        session.context_window = batch.context_window
        fields.append("context_window")
    if new:
        session.pair_count += len(new)
        session.raw_bytes += sum(row.blob.size_bytes for row in new)
        session.raw_tokens += sum(row.blob.tokens for row in new)
        session.waiting_since = session.waiting_since or timezone.now()
    session.save(update_fields=fields)
    if new:
        live.session_changed(session)


def _newest_messages(messages: Sequence[dict[str, Any]]) -> str:
    """Return the JSON of the newest messages that fit into RECENT_CHARACTERS together."""
    kept: list[str] = []
    left = RECENT_CHARACTERS
    for message in reversed(messages):
        text = rawjson.dump(message)
        left -= len(text)
        if left < 0:
            break
        kept.append(text)
    return f"[{','.join(reversed(kept))}]"


def prompt_store(
    *,
    agent: Agent,
    session_id: str,
    prompt: str,
    timestamp: datetime | None = None,
    recent_messages: Sequence[dict[str, Any]] = (),
    notify: bool = True,
) -> tuple[Boundary, bool]:
    """Store a person's prompt as a boundary (the pairs that come after it belong to it); say if it is new.

    With a timestamp, the same prompt at the same time is the same boundary.
    """
    prompt, _ = text_redacted(prompt)
    recent_messages, _ = value_redacted(recent_messages)
    with transaction.atomic():
        session = session_locked(agent=agent, session_id=session_id)
        if recent_messages:
            session.recent_messages = _newest_messages(recent_messages)
            session.save(update_fields=["recent_messages"])
        fingerprint = None
        if timestamp is not None:
            fingerprint = hashlib.sha256(timestamp.isoformat().encode() + encode_text(prompt)).hexdigest()
            existing = Boundary.objects.filter(session=session, fingerprint=fingerprint).first()
            if existing is not None:
                return existing, False
        boundary = Boundary.objects.create(
            session=session,
            first_seq=session.next_seq,
            prompt=prompt,
            fingerprint=fingerprint,
            timestamp=timestamp or timezone.now(),
        )
        session.waiting_since = session.waiting_since or timezone.now()
        session.save(update_fields=["waiting_since"])
        live.session_changed(session)
        if notify:
            queue.session_nudge(session)
    return boundary, True
