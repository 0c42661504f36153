"""Reading stored results back: exact bytes, checked at every read, and the call they belong to."""

from __future__ import annotations

import json
import logging
import re
from dataclasses import dataclass

from canvases.models import OffloadedBlob, OffloadEntry, Reference, ToolPair
from canvases.selectors.dictionaries import dictionary_for
from canvases.selectors.limits import read_limit
from canvases.selectors.references import vouching_reference
from pipelines import blobs, dictionaries, rawjson
from pipelines.pairs import JSON, decode_text
from pipelines.records import Act, Facts, Kind, Outcome, Step, ToolCall

log = logging.getLogger(__name__)
_NAME = re.compile(r"[!-~]{1,64}")


def may_exist(name: str) -> bool:
    """Say whether a ref id, a result_ref or a hash can be so: what PostgreSQL refuses to look for cannot."""
    return bool(_NAME.fullmatch(name))


def blob_content(blob: OffloadedBlob) -> bytes:
    """Return the exact bytes; raises BlobDamaged or BlobTooLarge, never other bytes than were stored.

    They are loaded here and not kept, so that many results may be looked at one after the other.
    """
    packed = OffloadedBlob.objects.values_list("content_zstd", flat=True).get(pk=blob.pk)
    sha256, limit = blob.content_sha256, read_limit(blob.agent)
    if blob.codec == blobs.CODEC:
        return blobs.unpack(bytes(packed), sha256=sha256, max_bytes=limit)
    dictionary = dictionary_for(blob)
    return dictionaries.unpack(bytes(packed), sha256=sha256, max_bytes=limit, dictionary=dictionary)


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """What a read gave: the exact bytes, or why they are withheld."""

    content: bytes | None = None
    reference: Reference | None = None
    error: blobs.BlobError | None = None


def blob_read(blob: OffloadedBlob) -> Read:
    """Read a content for someone: under the server's limit, and only on a reference that is live and signed."""
    try:
        reference = vouching_reference(blob)
        return Read(content=blob_content(blob), reference=reference)
    except blobs.BlobError as error:
        return Read(error=error)


def pair_call(pair: ToolPair) -> ToolCall:
    """Return the pair as the summariser takes it."""
    content = blob_content(pair.blob)
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


_UNREADABLE = Facts(kind=Kind.TEXT, act=Act.RUN, outcome=Outcome.UNKNOWN)


def entry_step(entry: OffloadEntry) -> Step:
    """Return the entry as the boundary judge and the canvas builder take it; its pair must be loaded."""
    return Step(
        seq=entry.seq,
        tool_name=entry.pair.tool_name,
        tool_call=entry.tool_call,
        summary=entry.summary,
        score=entry.score,
        facts=_facts(entry),
        timestamp=entry.pair.timestamp,
    )


def _facts(entry: OffloadEntry) -> Facts:
    try:
        return Facts.from_json(entry.facts)
    except (KeyError, TypeError, ValueError) as error:
        log.error("the facts of entry %s are damaged: %s", entry.pk, error)
        return _UNREADABLE
