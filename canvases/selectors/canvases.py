"""Canvases: their revisions, nodes, and the entries that a node stands for."""

from __future__ import annotations

import re
from typing import Any

from django.db.models import Q, QuerySet

from canvases.models import Canvas, CanvasRevision, OffloadEntry, Session
from canvases.selectors import paging
from pipelines import l2

_NODE_ID = re.compile(r"(\d{1,9})-N(\d{1,12})")


def session_canvases(session: Session) -> list[Canvas]:
    """Return the session's canvases that have something drawn, in order."""
    return list(Canvas.objects.filter(session=session, revision__gt=0).order_by("number"))


def session_canvas(session: Session, number: int) -> Canvas | None:
    """Return the session's canvas with this number, if anything is drawn on it."""
    return Canvas.objects.filter(session=session, number=number, revision__gt=0).first()


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

    An id stays good for ever: that of a node folded away later still gives its own entries.
    """
    match = _NODE_ID.fullmatch(node_id)
    canvas = session_canvas(session, int(match[1])) if match else None
    if match is None or canvas is None:
        return None
    spans = l2.members(l2.CanvasState.from_json(canvas.state), int(match[2]))
    if not spans:
        return None
    numbers = Q()
    for low, high in spans:
        numbers |= Q(node_number__gte=low, node_number__lte=high)
    entries = OffloadEntry.objects.filter(numbers, canvas=canvas)
    return entries.select_related("pair", "pair__blob", "pair__entry", "canvas").order_by("seq")


class DrawnNodes:
    """The id of the node that stands for an entry in the newest drawing, with each canvas read once."""

    def __init__(self) -> None:
        self._states: dict[int, l2.CanvasState] = {}

    def of(self, entry: OffloadEntry) -> str | None:
        """Return the node id, or None while the entry is on no canvas."""
        if entry.canvas is None or entry.node_number is None:
            return None
        if entry.canvas.pk not in self._states:
            self._states[entry.canvas.pk] = l2.CanvasState.from_json(entry.canvas.state)
        drawn = l2.drawn_node(self._states[entry.canvas.pk], entry.node_number)
        return node_text(entry.canvas.number, drawn)
