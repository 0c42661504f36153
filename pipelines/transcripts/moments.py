"""Durations as transcripts write them."""

from __future__ import annotations

import math
from typing import Any


def milliseconds(value: Any, *, per_unit: int = 1) -> int | None:
    """Read a duration that is counted in units of `per_unit` milliseconds; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return round(value * per_unit) if 0 <= value < 2**40 else None
