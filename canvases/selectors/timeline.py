"""A session as it went: prompts with the verdict on the work they began, and the calls in order."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet

from canvases.models import Boundary, Session
from canvases.selectors import paging
from canvases.selectors.canvases import DrawnNodes
from canvases.selectors.pairs import pair_row, session_pairs

MOST_PROMPTS = 100
"""Prompts shown on one page; a client may post any number of them before a call."""
SHOWN_PROMPT_CHARACTERS = 4000


def timeline_page(session: Session, *, after: str = "", limit: int | None = None) -> paging.Page:
    """Return a page of rows, oldest first: `kind` is boundary, call, or more (boundaries left out)."""
    size = paging.page_size(limit)
    at = paging.position(after, int)
    start = at[0] if at is not None else 0
    pairs = list(session_pairs(session).filter(seq__gt=start)[: size + 1])
    page = paging.cut(pairs, size, tokens=lambda row: paging.token(row.seq))
    boundaries = _boundaries(session).filter(first_seq__gt=start)
    if page.next is not None:
        boundaries = boundaries.filter(first_seq__lte=page.items[-1].seq)
    shown = list(boundaries[:MOST_PROMPTS])
    nodes = DrawnNodes()
    rows = [(row.first_seq, 0, boundary_data(row)) for row in shown]
    rows += [(row.seq, 1, {"kind": "call", **pair_row(row, nodes)}) for row in page.items]
    items = [data for _, _, data in sorted(rows, key=lambda row: row[:2])]
    left_out = boundaries.count() - len(shown) if len(shown) == MOST_PROMPTS else 0
    if left_out:
        items.append({"kind": "more", "boundaries": left_out})
    return paging.Page(items=items, next=page.next)


def newest_boundaries(session: Session, limit: int = 10) -> list[dict[str, Any]]:
    """Return the newest boundaries, newest first, each with its verdict and reason."""
    return [boundary_data(row) for row in _boundaries(session).order_by("-first_seq", "-pk")[:limit]]


def boundary_data(boundary: Boundary) -> dict[str, Any]:
    """Return a boundary as pages give it; a long prompt is cut, its full length stated."""
    prompt = boundary.prompt
    return {
        "kind": "boundary",
        "first_seq": boundary.first_seq,
        "prompt": prompt[:SHOWN_PROMPT_CHARACTERS] if prompt is not None else None,
        "prompt_characters": len(prompt or ""),
        "verdict": boundary.verdict,
        "reason": boundary.reason,
        "canvas": boundary.canvas.number if boundary.canvas else None,
        "canvas_label": boundary.canvas.label if boundary.canvas else None,
        "drawn": bool(boundary.canvas and boundary.canvas.revision),
        "timestamp": boundary.timestamp.isoformat(),
    }


def _boundaries(session: Session) -> QuerySet[Boundary]:
    boundaries = Boundary.objects.filter(session=session).order_by("first_seq", "pk")
    return boundaries.select_related("canvas").defer("canvas__state")
