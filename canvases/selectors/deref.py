"""Finding stored results by what an agent holds: a node id, a ref id, a tool call id or a result_ref."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypedDict

from django.db.models import QuerySet

from canvases.models import Agent, OffloadedBlob, Session, ToolPair
from canvases.models.reference import SESSION_NAMESPACE
from canvases.models.session import text_key
from canvases.reading import json_path
from canvases.reading.json_query import Query
from canvases.selectors.canvases import node_entries
from canvases.selectors.contents import Read, blob_read, may_exist
from canvases.selectors.references import reference_data
from pipelines import content, rawjson, readback, tokens
from pipelines.blobs import BlobGone
from pipelines.pairs import JSON, decode_text

MAX_ITEMS = 50


class Reading(TypedDict):
    """What to read of a content: the options of `pipelines.readback.read`."""

    lines: str | None
    grep: str | None
    context: int
    offset: int
    limit: int | None
    max_tokens: int


def pairs_by_node(session: Session, node_id: str, after: int) -> list[ToolPair] | None:
    """Return the pairs a node stands for, those after `after` first to last; None for an unknown node."""
    entries = node_entries(session, node_id)
    if entries is None:
        return None
    seqs = list(entries.filter(seq__gt=after).values_list("seq", flat=True)[: MAX_ITEMS + 1])
    return [entry.pair for entry in entries.filter(seq__in=seqs)]


def pairs_by_call(session: Session, tool_call_id: str, after: int) -> list[ToolPair]:
    """Return all pairs posted with this tool call id: clients reuse ids, so there may be several."""
    pairs = _pairs(session).filter(call_key=text_key(tool_call_id), seq__gt=after)
    return list(pairs.order_by("seq")[: MAX_ITEMS + 1])


def pairs_by_result_ref(session: Session, result_ref: str) -> list[ToolPair]:
    """Return the pair whose result the session knows by this name."""
    return list(_pairs(session).filter(result_ref=result_ref)[:1]) if may_exist(result_ref) else []


def _pairs(session: Session) -> QuerySet[ToolPair]:
    pairs = ToolPair.objects.filter(session=session).select_related("blob__agent", "entry")
    return pairs.defer("params", "blob__content_zstd")


def blobs_by_ref(agent: Agent, ref_id: str) -> list[OffloadedBlob]:
    """Return the agent's contents with this ref id: nearly always one, and each is kept if not."""
    found = OffloadedBlob.objects.filter(agent=agent, ref_id=ref_id).defer("content_zstd")
    return list(found.order_by("pk")) if may_exist(ref_id) else []


def first_pair(blob: OffloadedBlob) -> ToolPair | None:
    """Return the first pair that had this content."""
    return ToolPair.objects.filter(blob=blob).order_by("pk").first()


def items(
    found: list[tuple[OffloadedBlob, ToolPair | None]],
    reading: Reading,
    *,
    read: Callable[[OffloadedBlob], Read],
    path: Query | None = None,
) -> list[dict[str, Any]]:
    """Return one answer per content; `max_tokens` is for all of them, and what one leaves the next may use.

    With a JSON path it is what the path finds that is read. Of several contents, one that has not what was
    asked for (so many lines, so long a text, such a value) says so in its `error`, as one does that is damaged
    or gone. Raises ReadError when none has it, and BlobGone when all are gone.
    """
    left = min(reading["max_tokens"], readback.MOST_TOKENS)
    answers = []
    refused: list[readback.ReadError | BlobGone] = []
    for place, (blob, pair) in enumerate(found):
        share = max(1, left // (len(found) - place))
        try:
            answer = _item(blob, pair, read(blob), {**reading, "max_tokens": share}, path)
        except (readback.ReadError, BlobGone) as error:
            refused.append(error)
            verified = not isinstance(error, BlobGone)
            answer = {**_about(blob, pair), "content": None, "verified": verified, "error": str(error)}
        left -= tokens.count(answer["content"] or "")
        answers.append(answer)
    if refused and len(refused) == len(found):
        raise refused[0]
    return answers


def _item(
    blob: OffloadedBlob, pair: ToolPair | None, read: Read, reading: Reading, path: Query | None
) -> dict[str, Any]:
    """Return what was asked for of the content, and how it was checked.

    Text results are read as their text; JSON results as the text of their blocks where they are blocks, else
    as the JSON itself. Content that fails its check is withheld.
    """
    about = _about(blob, pair)
    if isinstance(read.error, BlobGone):
        raise read.error
    if read.content is None:
        return {**about, "content": None, "verified": False, "error": str(read.error)}
    about["signature"] = reference_data(read.reference) if read.reference else None
    media_type = pair.media_type if pair else read.reference.media_type if read.reference else ""
    if path is None:
        text = readable(read.content, media_type)
    else:
        text = json_path.select(document(read.content, media_type), path)
    excerpt = readback.read(text, **reading)
    return {
        **about,
        "content": excerpt.content,
        "truncated": excerpt.truncated,
        "next_offset": excerpt.next_offset,
        "total_lines": excerpt.total_lines,
        "matches": excerpt.matches,
        "verified": True,
    }


def _about(blob: OffloadedBlob, pair: ToolPair | None) -> dict[str, Any]:
    return {
        "ref_id": blob.ref_id,
        "seq": pair.seq if pair else None,
        "tool_call": pair.entry.tool_call if pair and hasattr(pair, "entry") else None,
        "tool_call_id": pair.tool_call_id if pair else None,
        "result_ref": pair.result_ref if pair else None,
        "size_bytes": blob.size_bytes,
        "sha256": blob.content_sha256,
        "signature": None,
    }


def readable(raw: bytes, media_type: str) -> str:
    """Return the content as text to read: blocks flattened, other JSON, what only is said to be JSON, and text
    as it is."""
    text = decode_text(raw)
    if text is None:
        return f"[{len(raw)} bytes that are not text; read them at /api/v1/refs/<ref_id>/raw]"
    if media_type != JSON:
        return text
    try:
        value = rawjson.parse(text)
    except rawjson.JsonSyntaxError:
        return text
    return content.text_of(value) if content.is_blocks(value) else text


def stored_before(pair: ToolPair, ref_id: str) -> str | None:
    """Return the text of the agent's content with this ref, as read-back gives it and as it is; None where
    neither a call before `pair` had it nor the agent had put it away by then, or where it is damaged."""
    for blob in blobs_by_ref(pair.blob.agent, ref_id):
        media_type = _media_type_before(pair, blob)
        if media_type is not None and (raw := blob_read(blob).content) is not None:
            shown, text = readable(raw, media_type), decode_text(raw)
            return shown if text is None or shown == text else f"{shown}\n{text}"
    return None


def _media_type_before(pair: ToolPair, blob: OffloadedBlob) -> str | None:
    earlier = first_pair(blob)
    if earlier is not None and earlier.pk < pair.pk:
        return earlier.media_type
    put_away = blob.references.filter(stored_at__lte=int(pair.received_at.timestamp()))
    put_away = put_away.exclude(namespace__startswith=SESSION_NAMESPACE)
    return put_away.order_by("pk").values_list("media_type", flat=True).first()


def document(raw: bytes, media_type: str) -> str:
    """Return the text whose JSON a path is about: that of the blocks where it is JSON, else the content."""
    shown = readable(raw, media_type)
    return shown if media_type != JSON or json_path.is_document(shown) else decode_text(raw) or ""
