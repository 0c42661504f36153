"""Making results and summaries findable: their terms are written where the search looks."""

from __future__ import annotations

import logging
from collections.abc import Collection

from django.db import transaction
from django.db.models import Min
from django.utils import timezone

from canvases.models import (
    Layer,
    OffloadedBlob,
    OffloadEntry,
    SearchDocument,
    SearchProgress,
    Session,
    ToolPair,
)
from canvases.selectors.contents import blob_content
from canvases.selectors.search import entry_text, searched_texts
from pipelines.blobs import BlobDamaged, BlobTooLarge
from pipelines.search import terms

BATCH = 50
STEP_BYTES = 16 * 2**20
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
    gone.update(codes="", note=SearchDocument.Note.GONE)


def contents_index_again(blob_pks: Collection[int]) -> None:
    """Have contents indexed whose bytes are back: their sessions go back to before them, and wait for a worker
    once that is committed (other sessions' rows are not held here)."""
    SearchDocument.objects.filter(blob__in=blob_pks).delete()
    pairs = ToolPair.objects.filter(blob__in=blob_pks).order_by("session")
    behind = []
    for session_pk, first in pairs.values_list("session").annotate(first=Min("seq")):
        ahead = SearchProgress.objects.filter(session=session_pk, through_seq__gte=first)
        if ahead.update(through_seq=first - 1):
            behind.append(session_pk)
    if behind:
        idle = Session.objects.filter(pk__in=behind, waiting_since=None)
        transaction.on_commit(lambda: idle.update(waiting_since=timezone.now()), robust=True)


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
    """Return the document of a result; one that cannot be searched gets one that says why, and no terms."""
    codes, note = "", SearchDocument.Note.ALL
    if blob.gone_at is not None:
        return SearchDocument(blob=blob, codes="", note=SearchDocument.Note.GONE)
    try:
        content = blob_content(blob)
        texts = searched_texts(content)
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
        log.exception("the result %s could not be made searchable", blob.ref_id)
        Layer.failed("worker", error, at=f"result {blob.ref_id}")
        note = SearchDocument.Note.FAILED
    return SearchDocument(blob=blob, codes=codes, note=note)


def _of_entry(entry: OffloadEntry) -> SearchDocument:
    found = terms.codes(entry_text(entry))
    return SearchDocument(entry=entry, codes=" ".join(sorted(found.codes)))
