"""Times as transcripts write them."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Any

_LONGEST_TIME = 64  # characters


def moment(value: Any) -> datetime | None:
    """Read an ISO 8601 time, as UTC; None for anything else. A time without a zone is taken as UTC."""
    if not isinstance(value, str) or len(value) > _LONGEST_TIME:
        return None
    try:
        read = datetime.fromisoformat(value)
        return read.replace(tzinfo=UTC) if read.tzinfo is None else read.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def milliseconds(value: Any, *, per_unit: int = 1) -> int | None:
    """Read a duration that is counted in units of `per_unit` milliseconds; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return round(value * per_unit) if 0 <= value < 2**40 else None
