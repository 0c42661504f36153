"""Entries: the lines of a session's `offload-<session>.jsonl`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db.models import QuerySet

from canvases.models import OffloadEntry, Session
from canvases.selectors import paging
from canvases.selectors.canvases import DrawnNodes

STREAM_CHUNK = 500


def session_entries(session: Session) -> QuerySet[OffloadEntry]:
    """Return the session's entries in order, with what a line shows; nothing large is loaded."""
    entries = OffloadEntry.objects.filter(session=session).order_by("seq")
    joined = entries.select_related("session", "pair", "pair__blob", "canvas")
    return joined.defer(
        "pair__params", "pair__blob__content_zstd", "canvas__state", "session__recent_messages"
    )


def entry_page(session: Session, *, after: str = "", limit: int | None = None) -> paging.Page:
    """Return a page of entries, oldest first."""
    size = paging.page_size(limit)
    rows = session_entries(session)
    at = paging.position(after, int)
    if at is not None:
        rows = rows.filter(seq__gt=at[0])
    return paging.cut(list(rows[: size + 1]), size, tokens=lambda row: paging.token(row.seq))


def session_entry(session: Session, seq: int) -> OffloadEntry | None:
    """Return the entry of the session's pair `seq`."""
    return session_entries(session).filter(seq=seq).first()


def entry_data(entry: OffloadEntry, nodes: DrawnNodes) -> dict[str, Any]:
    """Return the entry as a line of the JSON Lines file."""
    pair = entry.pair
    return {
        "seq": entry.seq,
        "timestamp": pair.timestamp.isoformat(),
        "node_id": nodes.of(entry),
        "tool_call": entry.tool_call,
        "summary": entry.summary,
        "keys": entry.keys,
        "result_ref": pair.result_ref,
        "ref_id": pair.blob.ref_id,
        "tool_call_id": pair.tool_call_id,
        "tool_name": pair.tool_name,
        "score": entry.score,
        "short": entry.short,
        "outcome": entry.facts.get("outcome"),
        "readback": entry.facts.get("readback", []),
        "size_bytes": pair.blob.size_bytes,
        "tokens": pair.blob.tokens,
        "session_key": entry.session.session_id,
        "offloaded": None,
    }


def entry_stream(session: Session) -> Iterator[dict[str, Any]]:
    """Yield every entry's data, a chunk in memory at a time."""
    nodes = DrawnNodes()
    after = 0
    while rows := list(session_entries(session).filter(seq__gt=after)[:STREAM_CHUNK]):
        for row in rows:
            yield entry_data(row, nodes)
        after = rows[-1].seq
