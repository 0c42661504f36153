"""A stored content on a page: read and re-hashed now, or withheld with the reason."""

from __future__ import annotations

from typing import Any

from django.conf import settings

from canvases.models import OffloadedBlob
from canvases.reading.result import read_result
from canvases.selectors.contents import blob_content
from pipelines.blobs import BlobDamaged, BlobTooLarge


def shown_content(blob: OffloadedBlob, media_type: str, form: str) -> dict[str, Any]:
    """Return `integrity` (a state and words for it) and `reading`, None where the bytes are withheld."""
    try:
        content = blob_content(blob, max_bytes=settings.OFFLOAD_READ_BYTES)
    except BlobDamaged as error:
        return {"integrity": {"state": "damaged", "detail": f"{error}"}, "reading": None}
    except BlobTooLarge as error:
        return {"integrity": {"state": "unread", "detail": f"{error}"}, "reading": None}
    return {
        "integrity": {"state": "verified", "detail": "hash verified just now, unsigned"},
        "reading": read_result(content, media_type, form),
    }
