"""GET canvases: the drawings of a session's tasks, now and at any revision."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from ninja import Router

from canvases.api.common import reply, session_of
from canvases.api.schemas import CanvasListOut, CanvasOut, RevisionListOut
from canvases.models import Canvas, CanvasRevision
from canvases.problems import not_found
from canvases.selectors.canvases import (
    canvas_data,
    canvas_page,
    canvas_revision,
    revision_data,
    revision_page,
    session_canvas,
)

router = Router()


def _canvas(request: HttpRequest, session_id: str, number: int) -> Canvas:
    canvas = session_canvas(session_of(request, session_id), number)
    if canvas is None:
        raise not_found("canvas")
    return canvas


def _revision(canvas: Canvas, rev: int | None) -> CanvasRevision:
    revision = canvas_revision(canvas, rev)
    if revision is None:
        raise not_found("revision")
    return revision


@router.get("/sessions/{segment:session_id}/canvases", response=CanvasListOut)
def list_canvases(
    request: HttpRequest, session_id: str, after: str = "", limit: int | None = None
) -> HttpResponse:
    """List the session's canvases in order, each at its newest revision."""
    page = canvas_page(session_of(request, session_id), after=after, limit=limit)
    return reply({"items": page.items, "next": page.next})


@router.get("/sessions/{segment:session_id}/canvases/{int:number}", response=CanvasOut)
def get_canvas(request: HttpRequest, session_id: str, number: int, rev: int | None = None) -> HttpResponse:
    """Give a canvas at its newest revision, or at `rev`."""
    canvas = _canvas(request, session_id, number)
    return reply(canvas_data(canvas, _revision(canvas, rev)))


@router.get("/sessions/{segment:session_id}/canvases/{int:number}.mmd")
def get_mmd(request: HttpRequest, session_id: str, number: int, rev: int | None = None) -> HttpResponse:
    """Give the canvas's Mermaid text."""
    canvas = _canvas(request, session_id, number)
    text = _revision(canvas, rev).mermaid
    response = HttpResponse(text, content_type="text/vnd.mermaid; charset=utf-8")
    response["Content-Disposition"] = f'inline; filename="{canvas.filename}"'
    return response


@router.get("/sessions/{segment:session_id}/canvases/{int:number}/revisions", response=RevisionListOut)
def list_revisions(
    request: HttpRequest, session_id: str, number: int, after: str = "", limit: int | None = None
) -> HttpResponse:
    """List the canvas's revisions, oldest first."""
    page = revision_page(_canvas(request, session_id, number), after=after, limit=limit)
    return reply({"items": [revision_data(row) for row in page.items], "next": page.next})
