"""Reading stored results back: exact bytes, checked at every read, and the call they belong to."""

from __future__ import annotations

import json
from dataclasses import dataclass

from django.conf import settings

from canvases.models import OffloadedBlob, OffloadEntry, ToolPair
from pipelines import blobs, rawjson
from pipelines.pairs import JSON, decode_text
from pipelines.records import Facts, Step, ToolCall


def blob_content(blob: OffloadedBlob, *, max_bytes: int) -> bytes:
    """Return the exact bytes; raises BlobDamaged or BlobTooLarge, never other bytes than were stored."""
    return blobs.unpack(bytes(blob.content_zstd), sha256=blob.content_sha256, max_bytes=max_bytes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """What a read gave: the exact bytes, or why they are withheld."""

    content: bytes | None = None
    error: blobs.BlobError | None = None


def blob_read(blob: OffloadedBlob) -> Read:
    """Read a content under the server's limit."""
    try:
        return Read(content=blob_content(blob, max_bytes=settings.OFFLOAD_READ_BYTES))
    except blobs.BlobError as error:
        return Read(error=error)


def pair_call(pair: ToolPair, *, max_bytes: int) -> ToolCall:
    """Return the pair as the summariser takes it."""
    content = blob_content(pair.blob, max_bytes=max_bytes)
    text = decode_text(content) or ""
    return ToolCall(
        tool_name=pair.tool_name,
        tool_call_id=pair.tool_call_id,
        params=json.loads(pair.params),
        result=rawjson.parse(text) if pair.media_type == JSON else text,
        error=pair.error,
        is_error=pair.is_error,
        duration_ms=pair.duration_ms,
    )


def entry_step(entry: OffloadEntry) -> Step:
    """Return the entry as the boundary judge and the canvas builder take it; its pair must be loaded."""
    return Step(
        seq=entry.seq,
        tool_name=entry.pair.tool_name,
        tool_call=entry.tool_call,
        summary=entry.summary,
        score=entry.score,
        facts=Facts.from_json(entry.facts),
        timestamp=entry.pair.timestamp,
    )
