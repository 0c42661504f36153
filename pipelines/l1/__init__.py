"""L1 without a model: read one tool call and its result as an engineer would, and say what was found."""

from __future__ import annotations

from pipelines.l1.summarise import summarise

__all__ = ["summarise"]
