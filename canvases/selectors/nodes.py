"""The calls behind a node of a canvas."""

from __future__ import annotations

from canvases.models import CanvasRevision, Session
from canvases.selectors import paging
from canvases.selectors.canvases import DrawnNodes, node_entries
from canvases.selectors.pairs import pair_row


def node_page(
    session: Session,
    node_id: str,
    revision: CanvasRevision,
    *,
    after: str = "",
    limit: int | None = None,
) -> paging.Page | None:
    """Return a page of the calls that the node stands for up to a revision, oldest first; None for no node."""
    entries = node_entries(session, node_id)
    if entries is None:
        return None
    size = paging.page_size(limit)
    drawn = entries.filter(seq__lte=revision.through_seq)
    at = paging.position(after, int)
    if at is not None:
        drawn = drawn.filter(seq__gt=at[0])
    seqs = list(drawn.values_list("seq", flat=True)[: size + 1])
    page = paging.cut(list(entries.filter(seq__in=seqs)), size, tokens=lambda row: paging.token(row.seq))
    nodes = DrawnNodes()
    return paging.Page(items=[pair_row(entry.pair, nodes) for entry in page.items], next=page.next)
