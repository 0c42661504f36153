"""A stored content on a page: read and re-hashed now, or withheld with the reason."""

from __future__ import annotations

from typing import Any

from canvases.models import OffloadedBlob
from canvases.reading.result import read_result
from canvases.services.reads import content_read
from pipelines.blobs import BlobGone, BlobTooLarge

_STATES: dict[type, str] = {BlobTooLarge: "unread", BlobGone: "gone"}


def shown_content(blob: OffloadedBlob, media_type: str, form: str, *, actor: str) -> dict[str, Any]:
    """Return `integrity` (a state and words for it) and `reading`, None where the bytes are withheld."""
    read = content_read(blob, actor=actor, how="page")
    if read.content is None:
        state = _STATES.get(type(read.error), "damaged")
        return {"integrity": {"state": state, "detail": f"{read.error}"}, "reading": None}
    key = read.reference.key_id if read.reference else None
    detail = f"hash checked just now, signed with key {key}" if key else "hash checked just now, not signed"
    return {
        "integrity": {"state": "verified" if key else "unsigned", "detail": detail},
        "reading": read_result(read.content, media_type, form),
    }
