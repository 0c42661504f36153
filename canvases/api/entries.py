"""GET entries: as pages, or as the JSON Lines file."""

from __future__ import annotations

import json

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from ninja import Router

from canvases.api.common import reply, session_of
from canvases.api.schemas import EntryListOut
from canvases.selectors.canvases import DrawnNodes
from canvases.selectors.entries import entry_data, entry_page, entry_stream

router = Router()


@router.get("/sessions/{segment:session_id}/entries", response=EntryListOut)
def list_entries(
    request: HttpRequest, session_id: str, after: str = "", limit: int | None = None
) -> HttpResponse:
    """List the session's entries, oldest first."""
    page = entry_page(session_of(request, session_id), after=after, limit=limit)
    nodes = DrawnNodes()
    return reply({"items": [entry_data(row, nodes) for row in page.items], "next": page.next})


@router.get("/sessions/{segment:session_id}/offload.jsonl")
def get_jsonl(request: HttpRequest, session_id: str) -> StreamingHttpResponse:
    """Stream all entries of the session, one JSON object a line."""
    lines = (json.dumps(line) + "\n" for line in entry_stream(session_of(request, session_id)))
    return StreamingHttpResponse(lines, content_type="application/jsonl")
