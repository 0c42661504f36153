"""Refs by their label: the contents that carry it and the calls they came from."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from canvases.models import OffloadedBlob, ToolPair
from canvases.selectors import paging
from canvases.selectors.contents import may_exist

MOST_CONTENTS = 50
MOST_CALLS = 20


def ref_contents(ref_id: str) -> list[OffloadedBlob]:
    """Return every content with this label, of any agent, without its bytes."""
    if not may_exist(ref_id):
        return []
    found = OffloadedBlob.objects.filter(ref_id=ref_id).select_related("agent")
    return list(found.defer("content_zstd").order_by("content_sha256", "agent_id")[:MOST_CONTENTS])


def ref_content(ref_id: str, sha256: str) -> list[OffloadedBlob]:
    """Return the contents with this label and hash; equal bytes, whoever owns them. Empty `sha256`: any."""
    if not may_exist(ref_id) or not may_exist(sha256 or ref_id):
        return []
    found = OffloadedBlob.objects.filter(ref_id=ref_id).defer("content_zstd")
    if sha256:
        found = found.filter(content_sha256=sha256)
    return list(found.order_by("content_sha256", "agent_id")[:MOST_CONTENTS])


def content_data(blob: OffloadedBlob) -> dict[str, Any]:
    """Return a content's figures and the first calls that gave it."""
    pairs = ToolPair.objects.filter(blob=blob).select_related("session").order_by("pk")
    pairs = pairs.defer("params", "session__recent_messages")
    calls = paging.cut(list(pairs[: MOST_CALLS + 1]), MOST_CALLS, tokens=lambda row: "more")
    return {
        "ref_id": blob.ref_id,
        "agent": blob.agent.name,
        "content_sha256": blob.content_sha256,
        "size_bytes": blob.size_bytes,
        "tokens": blob.tokens,
        "stored_at": _first_stored(blob),
        "gone": {"at": blob.gone_at.isoformat(), "why": blob.gone_why} if blob.gone_at else None,
        "calls": [
            {
                "session": pair.session_id,
                "session_id": pair.session.session_id,
                "seq": pair.seq,
                "tool_name": pair.tool_name,
                "result_ref": pair.result_ref,
            }
            for pair in calls.items
        ],
        "more_calls": calls.next is not None,
    }


def _first_stored(blob: OffloadedBlob) -> str | None:
    at = blob.references.order_by("stored_at").values_list("stored_at", flat=True).first()
    return datetime.fromtimestamp(at, UTC).isoformat() if at is not None else None
