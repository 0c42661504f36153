"""Making contents and summaries findable: their terms are written where the search looks."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from typing import cast

from django.db import transaction
from django.utils import timezone

from canvases.models import (
    Agent,
    Layer,
    OffloadedBlob,
    OffloadEntry,
    SearchDocument,
    SearchProgress,
    ToolPair,
)
from canvases.selectors.contents import blob_content
from canvases.selectors.search_texts import entry_text, searched_texts
from pipelines.blobs import BlobDamaged, BlobTooLarge
from pipelines.search import terms

BATCH = 50
STEP_BYTES = 16 * 2**20
SWEEP_BYTES = 4 * 2**20
"""What is worked through for those that wait, a few at a time, and at most while someone waits for an answer."""
log = logging.getLogger(__name__)


def contents_index(session_pk: int) -> int:
    """Make the session's pairs searchable that are not yet and have their entry; return how many.

    Safe to run twice at once and to stop anywhere: terms are worked out before the transaction, a document
    that is there already stays, and progress only follows documents that are written.
    """
    indexed = 0
    while done := _step(session_pk):
        indexed += done
    return indexed


def contents_forget(blob_pks: Collection[int]) -> None:
    """Drop the terms of contents whose bytes go, in the transaction that takes them away."""
    gone = SearchDocument.objects.filter(blob__in=blob_pks)
    gone.update(codes="", note=SearchDocument.Note.GONE, waiting_since=None)


def contents_index_again(blob_pks: Collection[int]) -> None:
    """Have contents indexed whose bytes are back, in the transaction that brings them: their documents wait."""
    back = SearchDocument.objects.filter(blob__in=blob_pks)
    back.update(codes="", note=SearchDocument.Note.ALL, waiting_since=timezone.now())


def content_document(agent: Agent, content: bytes, *, sha256: str) -> SearchDocument | None:
    """Return the document for a content that is to be stored, or None when the agent's has one that is good, or
    is so large that its document is to wait."""
    notes = SearchDocument.Note
    there = SearchDocument.objects.filter(
        blob__agent=agent,
        blob__content_sha256=sha256,
        note__in=[notes.ALL, notes.CUT, notes.BINARY],
        waiting_since=None,
    )
    if len(content) > SWEEP_BYTES or there.exists():
        return None
    return _document(lambda: content, f"content {sha256[:16]}")


def content_document_write(blob: OffloadedBlob, document: SearchDocument | None) -> None:
    """Write what `content_document` gave, in the transaction that stores the content and holds its row; with None,
    see that there is a document, which waits for its terms if it was missing."""
    if document is None:
        waiting = SearchDocument(blob=blob, codes="", waiting_since=timezone.now())
        SearchDocument.objects.bulk_create([waiting], ignore_conflicts=True)
        return
    document.blob = blob
    SearchDocument.objects.bulk_create(
        [document],
        update_conflicts=True,
        unique_fields=["blob"],
        update_fields=["codes", "note", "waiting_since"],
    )


def waiting_index() -> int:
    """Work out the terms of the documents that wait longest, no more than BATCH, and no more than SWEEP_BYTES
    unless one alone has more; return how many there were.

    One that its worker does not outlive goes to the end of the line, and holds up no others.
    """
    due = SearchDocument.objects.filter(waiting_since__isnull=False).order_by("waiting_since", "pk")
    due = due.select_related("blob__agent", "entry__pair")
    due = due.defer("codes", "blob__content_zstd", "entry__pair__params")
    done = size = 0
    for document in due[:BATCH]:
        size += document.blob.size_bytes if document.blob else 0
        if done and size > SWEEP_BYTES:
            break
        _renew(document)
        done += 1
    return done


def _renew(document: SearchDocument) -> None:
    now = timezone.now()
    seen = SearchDocument.objects.filter(pk=document.pk, waiting_since=document.waiting_since)
    if not seen.update(waiting_since=now):
        return  # someone else is at it
    blob, entry = document.blob, document.entry
    made = _of_entry(entry) if entry else _of_blob(cast("OffloadedBlob", blob))
    with transaction.atomic():
        if blob:
            held = OffloadedBlob.objects.select_for_update(no_key=True).filter(pk=blob.pk)
            if list(held.values_list("gone_at", flat=True)) != [blob.gone_at]:
                return  # bytes came or went since they were looked at: it waits still
        mine = SearchDocument.objects.filter(pk=document.pk, waiting_since=now)
        mine.update(codes=made.codes, note=made.note, waiting_since=None)


def _step(session_pk: int) -> int:
    """Index the next pairs, no more than BATCH, and no more than STEP_BYTES unless one alone has more."""
    progress, _ = SearchProgress.objects.get_or_create(session_id=session_pk)
    pairs = _next_pairs(session_pk, progress.through_seq)
    if not pairs:
        return 0
    blobs = {pair.blob.pk: pair.blob for pair in pairs}
    entries = {pair.entry.pk: pair.entry for pair in pairs}
    written = SearchDocument.objects.all()
    for pk in written.filter(blob__in=blobs).values_list("blob_id", flat=True):
        del blobs[pk]
    for pk in written.filter(entry__in=entries).values_list("entry_id", flat=True):
        del entries[pk]
    documents = [_of_blob(blob) for blob in blobs.values()]
    documents += [_of_entry(entry) for entry in entries.values()]
    with transaction.atomic():
        held = OffloadedBlob.objects.select_for_update(no_key=True).filter(pk__in=blobs).order_by("pk")
        if dict(held.values_list("pk", "gone_at")) != {pk: blob.gone_at for pk, blob in blobs.items()}:
            return len(pairs)  # bytes came or went since they were looked at: look again
        SearchDocument.objects.bulk_create(documents, ignore_conflicts=True)
        here = SearchProgress.objects.filter(session=session_pk, through_seq=progress.through_seq)
        here.update(through_seq=pairs[-1].seq)
    return len(pairs)


def _next_pairs(session_pk: int, after: int) -> list[ToolPair]:
    """Return the pairs of the next step in order, up to the first whose entry is still to be written."""
    following = ToolPair.objects.filter(session=session_pk, seq__gt=after).order_by("seq")
    joined = following.select_related("blob__agent", "entry").defer("params", "blob__content_zstd")
    chosen: list[ToolPair] = []
    size = 0
    for pair in joined[:BATCH]:
        size += pair.blob.size_bytes
        if not hasattr(pair, "entry") or (chosen and size > STEP_BYTES):
            break
        chosen.append(pair)
    return chosen


def _of_blob(blob: OffloadedBlob) -> SearchDocument:
    """Return the document of a content; one that cannot be searched gets one that says why, and no terms."""
    if blob.gone_at is not None:
        return SearchDocument(blob=blob, codes="", note=SearchDocument.Note.GONE)
    document = _document(lambda: blob_content(blob), f"result {blob.ref_id}")
    document.blob = blob
    return document


def _document(read: Callable[[], bytes], what: str) -> SearchDocument:
    codes, note = "", SearchDocument.Note.ALL
    try:
        texts = searched_texts(read())
        if texts:
            found = terms.codes(*texts)
            codes = " ".join(sorted(found.codes))
            note = SearchDocument.Note.CUT if found.cut else note
        else:
            note = SearchDocument.Note.BINARY
    except BlobTooLarge:
        note = SearchDocument.Note.TOO_LARGE
    except BlobDamaged:
        note = SearchDocument.Note.DAMAGED
    except Exception as error:
        log.exception("the %s could not be made searchable", what)
        Layer.failed("worker", error, at=what)
        note = SearchDocument.Note.FAILED
    return SearchDocument(codes=codes, note=note)


def _of_entry(entry: OffloadEntry) -> SearchDocument:
    found = terms.codes(entry_text(entry))
    return SearchDocument(entry=entry, codes=" ".join(sorted(found.codes)))
