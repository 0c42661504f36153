"""A session as it went: prompts with the verdict on the work they began, and the calls in order."""

from __future__ import annotations

from typing import Any

from django.db.models import F, Q, QuerySet, Value
from django.db.models.functions import Left, Length, Replace

from canvases.fields import ExactTextField, escape
from canvases.models import Boundary, Session, ToolPair
from canvases.selectors import paging
from canvases.selectors.canvases import DrawnNodes
from canvases.selectors.pairs import pair_row, session_pairs

MOST_PROMPTS = 100
"""Prompts shown on one page; a client may post any number of them before a call."""
SHOWN_PROMPT_CHARACTERS = 2000
"""Characters of a prompt that a page loads; the whole is behind a link."""
MOST_FILTER_CHARACTERS = 200
MOST_FILTER_WORDS = 8


def timeline_page(
    session: Session, *, words: str = "", after: str = "", limit: int | None = None
) -> paging.Page:
    """Return a page of rows, oldest first: `kind` is boundary, call, or more (boundaries left out).

    With `words` only the calls that have every one of them in tool name, call or summary, without prompts.
    """
    size = paging.page_size(limit)
    at = paging.position(after, int)
    start = at[0] if at is not None else 0
    pairs = list(_having(session_pairs(session).filter(seq__gt=start), words)[: size + 1])
    page = paging.cut(pairs, size, tokens=lambda row: paging.token(row.seq))
    nodes = DrawnNodes()
    rows = [(row.seq, 1, {"kind": "call", **pair_row(row, nodes)}) for row in page.items]
    if words.split():
        return paging.Page(items=[data for _, _, data in rows], next=page.next)
    boundaries = _boundaries(session).filter(first_seq__gt=start)
    if page.next is not None:
        boundaries = boundaries.filter(first_seq__lte=page.items[-1].seq)
    shown = list(boundaries[:MOST_PROMPTS])
    rows += [(row.first_seq, 0, boundary_data(row)) for row in shown]
    items = [data for _, _, data in sorted(rows, key=lambda row: row[:2])]
    left_out = boundaries.count() - len(shown) if len(shown) == MOST_PROMPTS else 0
    if left_out:
        items.append({"kind": "more", "boundaries": left_out})
    return paging.Page(items=items, next=page.next)


def newest_boundaries(session: Session, limit: int = 10) -> list[dict[str, Any]]:
    """Return the newest boundaries, newest first, each with its verdict and reason."""
    return [boundary_data(row) for row in _boundaries(session).order_by("-first_seq", "-pk")[:limit]]


def boundary_data(boundary: Boundary) -> dict[str, Any]:
    """Return a boundary of `_boundaries` as pages give it; a long prompt is cut, its full length stated."""
    prompt = boundary.prompt_start  # type: ignore[attr-defined]
    whole = (boundary.prompt_stored or 0) <= SHOWN_PROMPT_CHARACTERS  # type: ignore[attr-defined]
    return {
        "kind": "boundary",
        "number": boundary.pk,
        "first_seq": boundary.first_seq,
        "prompt": prompt,
        "prompt_characters": len(prompt or "") if whole else boundary.prompt_length,  # type: ignore[attr-defined]
        "verdict": boundary.verdict,
        "reason": boundary.reason,
        "canvas": boundary.canvas.number if boundary.canvas else None,
        "canvas_label": boundary.canvas.label if boundary.canvas else None,
        "drawn": bool(boundary.canvas and boundary.canvas.revision),
        "timestamp": boundary.timestamp.isoformat(),
    }


def _boundaries(session: Session) -> QuerySet[Boundary]:
    """Return the session's boundaries in order, of each prompt only the start and the length."""
    unescaped = Replace(F("prompt"), Value("\\\\"), Value("\\"))
    boundaries = Boundary.objects.filter(session=session).order_by("first_seq", "pk")
    return (
        boundaries.select_related("canvas")
        .defer("prompt", "canvas__state")
        .annotate(
            prompt_start=Left("prompt", SHOWN_PROMPT_CHARACTERS, output_field=ExactTextField()),
            prompt_stored=Length("prompt"),
            prompt_length=Length(unescaped),
        )
    )


def whole_prompt(session: Session, number: int) -> str | None:
    """Return the prompt of the session's boundary of that number, None where there is none."""
    return Boundary.objects.filter(session=session, pk=number).values_list("prompt", flat=True).first()


def _having(pairs: QuerySet[ToolPair], words: str) -> QuerySet[ToolPair]:
    """Keep the pairs that have every word somewhere in their line of the list."""
    for word in map(escape, words[:MOST_FILTER_CHARACTERS].split()[:MOST_FILTER_WORDS]):
        named = Q(tool_name__icontains=word)
        pairs = pairs.filter(named | Q(entry__tool_call__icontains=word) | Q(entry__summary__icontains=word))
    return pairs
