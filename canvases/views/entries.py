"""One call: what was asked, what was noted of it, and its raw result."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse

from canvases.reading.result import pretty_json
from canvases.selectors import canvases, pairs, sessions
from canvases.selectors.canvases import DrawnNodes
from canvases.views.contents import shown_content
from canvases.views.pages import PageRequest, actor_of, missing, page, signed_in


@signed_in
def entry_detail(request: PageRequest, pk: int, seq: int) -> HttpResponse:
    """Show the session's call number `seq`."""
    session = sessions.session_numbered(pk)
    pair = pairs.session_pair(session, seq) if session else None
    if session is None or pair is None:
        return missing(request, "call")
    before, after = pairs.neighbours(session, seq)
    entry = pairs.pair_entry(pair)
    data: dict[str, Any] = {
        "session": sessions.session_row(session),
        "pair": pairs.pair_data(pair, DrawnNodes()),
        "canvas": canvases.canvas_brief(entry.canvas) if entry and entry.canvas else None,
        "calls": session.pair_count,
        "before": before,
        "after": after,
    }
    content = shown_content(pair.blob, pair.media_type, request.GET.get("as", ""), actor=actor_of(request))
    data["integrity"] = content["integrity"]
    extra = {"content": content, "params": pretty_json(data["pair"]["params"])}
    return page(request, "entries/detail.html", data, extra=extra)
