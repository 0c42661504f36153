"""A canvas: its drawing at one revision, its nodes, and the calls behind a chosen node."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse

from canvases.models import CanvasRevision, Session
from canvases.selectors import canvases, nodes, paging, sessions
from canvases.views.pages import PageRequest, missing, page, refused, signed_in, unchanged


@signed_in
def canvas_detail(request: PageRequest, pk: int, number: int) -> HttpResponse:
    """Show a canvas at `?rev=` (the newest when not given), with the node of `?node=` opened."""
    session = sessions.session_numbered(pk)
    canvas = canvases.session_canvas(session, number) if session else None
    if session is None or canvas is None:
        return missing(request, "canvas")
    same = unchanged(request, session.version)
    if same:
        return same
    wanted = request.GET.get("rev", "")
    if wanted and not (wanted.isascii() and wanted.isdigit() and len(wanted) < 10):
        return missing(request, "revision")
    revision = canvases.canvas_revision(canvas, int(wanted) if wanted else None)
    if revision is None:
        return missing(request, "revision")
    shown = canvases.canvas_data(canvas, revision)
    try:
        node = _node(request, session, revision, shown)
    except paging.BadPage as error:
        return refused(request, f"{error}.")
    data = {
        "session": sessions.session_data(session),
        "canvas": shown,
        "canvases": [canvases.canvas_brief(one) for one in canvases.session_canvases(session)],
        "pinned": bool(wanted),
        "node": node,
    }
    return page(
        request,
        "canvases/detail.html",
        data,
        fragment="canvases/_detail_fragment.html",
        extra={"tab": "canvas"},
    )


def _node(
    request: PageRequest, session: Session, revision: CanvasRevision, shown: dict[str, Any]
) -> dict[str, Any] | None:
    """Return the chosen node with a page of its calls.

    Its `drawn` part is None when this revision does not draw it: it came later, or was folded into another.
    """
    node_id = request.GET.get("node", "")
    if not node_id:
        return None
    drawn = next((node for node in shown["nodes"] if node["node_id"] == node_id), None)
    calls = nodes.node_page(session, node_id, revision, after=request.GET.get("after", ""))
    return {
        "node_id": node_id,
        "drawn": drawn,
        "calls": calls.items if calls else [],
        "next": calls.next if calls else None,
        "first_page": "after" not in request.GET,
    }
