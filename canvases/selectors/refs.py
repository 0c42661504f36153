"""Refs by their label: the contents that carry it and the calls they came from."""

from __future__ import annotations

from typing import Any

from canvases.models import OffloadedBlob, ToolPair
from canvases.selectors import paging

MOST_CONTENTS = 50
MOST_CALLS = 20


def ref_contents(ref_id: str) -> list[OffloadedBlob]:
    """Return every content with this label, of any agent, without its bytes."""
    found = OffloadedBlob.objects.filter(ref_id=ref_id).select_related("agent")
    return list(found.defer("content_zstd").order_by("content_sha256", "agent_id")[:MOST_CONTENTS])


def ref_content(ref_id: str, sha256: str) -> list[OffloadedBlob]:
    """Return the contents with this label and hash; equal bytes, whoever owns them. Empty `sha256`: any."""
    found = OffloadedBlob.objects.filter(ref_id=ref_id).defer("content_zstd")
    if sha256:
        found = found.filter(content_sha256=sha256)
    return list(found.order_by("content_sha256", "agent_id")[:MOST_CONTENTS])


def content_data(blob: OffloadedBlob) -> dict[str, Any]:
    """Return a content's figures and the first calls that gave it."""
    pairs = ToolPair.objects.filter(blob=blob).select_related("session").defer("params").order_by("pk")
    calls = paging.cut(list(pairs[: MOST_CALLS + 1]), MOST_CALLS, tokens=lambda row: "more")
    return {
        "ref_id": blob.ref_id,
        "agent": blob.agent.name,
        "content_sha256": blob.content_sha256,
        "size_bytes": blob.size_bytes,
        "tokens": blob.tokens,
        "stored_at": blob.stored_at.isoformat(),
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
