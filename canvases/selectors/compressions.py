"""Compressions of a session's message list, as they were done."""

from __future__ import annotations

from typing import Any

from canvases.models import CompressionEvent, Session
from canvases.selectors import paging


def compression_page(session: Session, *, after: str = "", limit: int | None = None) -> paging.Page:
    """Return a page of the session's compressions, newest first, without what was done to each message."""
    size = paging.page_size(limit)
    rows = CompressionEvent.objects.filter(session=session).defer("report").order_by("-pk")
    at = paging.position(after, int)
    if at is not None:
        rows = rows.filter(pk__lt=at[0])
    return paging.cut(list(rows[: size + 1]), size, tokens=lambda row: paging.token(row.pk))


def session_compression(session: Session, event_id: int) -> CompressionEvent | None:
    """Return one compression of the session."""
    return CompressionEvent.objects.filter(session=session, pk=event_id).first()


def compression_row(event: CompressionEvent) -> dict[str, Any]:
    """Return a compression as a list gives it."""
    return {
        "event_id": event.pk,
        "level": event.level,
        "context_window": event.context_window,
        "tokens_before": event.tokens_before,
        "tokens_after": event.tokens_after,
        "created_at": event.created_at.isoformat(),
    }
