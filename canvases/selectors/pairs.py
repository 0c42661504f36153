"""One tool pair with everything but its bytes: the call, its entry, its node, its ref."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet

from canvases.fields import read_json
from canvases.models import OffloadEntry, Session, ToolPair
from canvases.selectors.canvases import DrawnNodes


def session_pairs(session: Session) -> QuerySet[ToolPair]:
    """Return the session's pairs in order with their entries; neither results nor parameters are loaded."""
    pairs = ToolPair.objects.filter(session=session).order_by("seq")
    joined = pairs.select_related("blob", "entry", "entry__canvas")
    return joined.defer("params", "blob__content_zstd", "entry__canvas__state")


def session_pair(session: Session, seq: int) -> ToolPair | None:
    """Return the session's pair `seq`."""
    return session_pairs(session).filter(seq=seq).first()


def pair_entry(pair: ToolPair) -> OffloadEntry | None:
    """Return the pair's entry, None while its summary is pending."""
    return getattr(pair, "entry", None)


def pair_row(pair: ToolPair, nodes: DrawnNodes) -> dict[str, Any]:
    """Return the pair as a line of a list; `summary` is None while it is pending."""
    entry = pair_entry(pair)
    return {
        "seq": pair.seq,
        "timestamp": pair.timestamp.isoformat(),
        "node_id": nodes.of(entry) if entry else None,
        "tool_name": pair.tool_name,
        "tool_call": entry.tool_call if entry else pair.tool_name,
        "summary": entry.summary if entry else None,
        "score": entry.score if entry else None,
        "short": entry.short if entry else None,
        "outcome": entry.facts.get("outcome", "unknown") if entry else "unknown",
        "ref_id": pair.blob.ref_id,
        "size_bytes": pair.blob.size_bytes,
        "tokens": pair.blob.tokens,
        "duration_ms": pair.duration_ms,
    }


def pair_data(pair: ToolPair, nodes: DrawnNodes) -> dict[str, Any]:
    """Return all that is known of the pair, without its result."""
    entry = pair_entry(pair)
    return {
        **pair_row(pair, nodes),
        "tool_call_id": pair.tool_call_id,
        "params": read_json(pair.params, None, f"parameters of pair {pair.pk}"),
        "error": pair.error,
        "is_error": pair.is_error,
        "media_type": pair.media_type,
        "result_ref": pair.result_ref,
        "content_sha256": pair.blob.content_sha256,
        "keys": entry.keys if entry else [],
        "facts": entry.facts if entry else {},
        "summary_tokens": entry.summary_tokens if entry else None,
        "timestamp_text": pair.timestamp_text,
        "received_at": pair.received_at.isoformat(),
    }


def neighbours(session: Session, seq: int) -> tuple[int | None, int | None]:
    """Return the numbers of the pairs before and after `seq`."""
    seqs = ToolPair.objects.filter(session=session).values_list("seq", flat=True)
    return seqs.filter(seq__lt=seq).order_by("-seq").first(), seqs.filter(seq__gt=seq).order_by("seq").first()
