"""Canvases: their revisions, nodes, and the entries that a node stands for."""

from __future__ import annotations

import logging
import re
from typing import Any

from django.db.models import F, Q, QuerySet

from canvases.models import Canvas, CanvasRevision, OffloadEntry, Session
from canvases.selectors import paging
from pipelines import l2

log = logging.getLogger(__name__)
_NODE_ID = re.compile(r"([0-9]{1,9})-N([0-9]{1,12})")


def session_canvases(session: Session) -> list[Canvas]:
    """Return the session's canvases that have something drawn, in order."""
    drawn = Canvas.objects.filter(session=session, revision__gt=0).defer("state")
    return list(drawn.order_by("number"))


def session_canvas(session: Session, number: int) -> Canvas | None:
    """Return the session's canvas with this number, if anything is drawn on it."""
    return Canvas.objects.filter(session=session, number=number, revision__gt=0).defer("state").first()


def canvas_page(session: Session, *, after: str = "", limit: int | None = None) -> paging.Page:
    """Return a page of the session's canvases as `canvas_data` gives them, each at its newest revision."""
    size = paging.page_size(limit)
    at = paging.position(after, int)
    newest = CanvasRevision.objects.filter(canvas__session=session, number=F("canvas__revision"))
    if at is not None:
        newest = newest.filter(canvas__number__gt=at[0])
    rows = newest.select_related("canvas").defer("canvas__state").order_by("canvas__number")
    page = paging.cut(list(rows[: size + 1]), size, tokens=lambda row: paging.token(row.canvas.number))
    return paging.Page([canvas_data(row.canvas, row) for row in page.items], page.next)


def newest_drawings(session: Session, most: int) -> list[CanvasRevision]:
    """Return the newest drawing of each of the session's newest canvases, and of the one it works on."""
    newest = CanvasRevision.objects.filter(canvas__session=session, number=F("canvas__revision"))
    newest = newest.select_related("canvas").defer("canvas__state")
    found = list(newest.order_by("-canvas__number")[:most])
    if session.active_canvas_id not in [None, *(drawing.canvas_id for drawing in found)]:
        found += newest.filter(canvas=session.active_canvas_id)
    return found


def canvas_memory(canvas: Canvas) -> l2.CanvasState | None:
    """Return the builder's working memory of the canvas; None when it is empty or damaged."""
    if not canvas.state:
        return None
    try:
        return l2.CanvasState.from_json(canvas.state)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        log.error("the state of canvas %s is damaged: %s", canvas.pk, error)
        return None


def canvas_revision(canvas: Canvas, number: int | None = None) -> CanvasRevision | None:
    """Return one revision of the canvas, the newest when no number is given."""
    wanted = canvas.revision if number is None else number
    return CanvasRevision.objects.filter(canvas=canvas, number=wanted).first()


def revision_page(canvas: Canvas, *, after: str = "", limit: int | None = None) -> paging.Page:
    """Return a page of the canvas's revisions, oldest first, without their drawings."""
    size = paging.page_size(limit)
    rows = CanvasRevision.objects.filter(canvas=canvas).order_by("number")
    at = paging.position(after, int)
    if at is not None:
        rows = rows.filter(number__gt=at[0])
    return paging.cut(list(rows[: size + 1]), size, tokens=lambda row: paging.token(row.number))


def canvas_data(canvas: Canvas, revision: CanvasRevision) -> dict[str, Any]:
    """Return a canvas at one of its revisions, as API and pages give it."""
    return {
        "number": canvas.number,
        "filename": canvas.filename,
        "label": canvas.label,
        "status": revision.status,
        "task_goal": revision.task_goal,
        "progress": revision.progress,
        "revision": revision.number,
        "revisions": canvas.revision,
        "behind": canvas.revision - revision.number,
        "nodes": [{**node, "entries": node["calls"]} for node in revision.nodes],
        "edges": revision.edges,
        "mermaid": revision.mermaid,
        "drawing": revision.drawing,
        "through_seq": revision.through_seq,
        "as_of": revision.as_of.isoformat(),
        "created_at": revision.created_at.isoformat(),
    }


def canvas_brief(canvas: Canvas) -> dict[str, Any]:
    """Return what a list of canvases says of one."""
    return {
        "number": canvas.number,
        "filename": canvas.filename,
        "label": canvas.label,
        "status": canvas.status,
        "progress": canvas.progress,
        "task_goal": canvas.task_goal,
        "revisions": canvas.revision,
        "updated_at": canvas.updated_at.isoformat(),
    }


def revision_data(revision: CanvasRevision) -> dict[str, Any]:
    """Return what a list of revisions says of one."""
    return {
        "number": revision.number,
        "status": revision.status,
        "progress": revision.progress,
        "task_goal": revision.task_goal,
        "nodes": len(revision.nodes),
        "through_seq": revision.through_seq,
        "as_of": revision.as_of.isoformat(),
        "created_at": revision.created_at.isoformat(),
    }


def node_text(canvas_number: int, node_number: int) -> str:
    """Return the node id `NNN-Nk`."""
    return f"{canvas_number:03d}-N{node_number}"


def node_entries(session: Session, node_id: str) -> QuerySet[OffloadEntry] | None:
    """Return the entries a node stands for, in order; None when the session has no such node.

    An id stays good for ever: that of a node folded away later still gives its own entries. While the
    canvas's memory is damaged each id gives its own.
    """
    match = _NODE_ID.fullmatch(node_id)
    canvas = session_canvas(session, int(match[1])) if match else None
    if match is None or canvas is None:
        return None
    memory, number = canvas_memory(canvas), int(match[2])
    spans = l2.members(memory, number) if memory else [(number, number)]
    if not spans:
        return None
    numbers = Q()
    for low, high in spans:
        numbers |= Q(node_number__gte=low, node_number__lte=high)
    entries = OffloadEntry.objects.filter(numbers, canvas=canvas).order_by("seq")
    joined = entries.select_related("pair", "pair__blob__agent", "pair__entry", "canvas")
    return joined.defer("pair__params", "pair__blob__content_zstd", "canvas__state")


class DrawnNodes:
    """The id of the node that stands for an entry in the newest drawing, with each canvas read once."""

    def __init__(self) -> None:
        self._states: dict[int, l2.CanvasState | None] = {}

    def of(self, entry: OffloadEntry) -> str | None:
        """Return the node id, or None while the entry is on no canvas."""
        if entry.canvas is None or entry.node_number is None:
            return None
        if entry.canvas.pk not in self._states:
            self._states[entry.canvas.pk] = canvas_memory(entry.canvas)
        state = self._states[entry.canvas.pk]
        return node_text(entry.canvas.number, _standing(state, entry.node_number))


def _standing(state: l2.CanvasState | None, node_number: int) -> int:
    """Return the node that stands for another in the drawing; itself where the memory cannot tell."""
    try:
        return l2.drawn_node(state, node_number) if state else node_number
    except KeyError:
        return node_number
