"""L1.5 without a model: is this a task that deserves a canvas, and which one."""

from __future__ import annotations

from pipelines.l15.judge import judge
from pipelines.l15.verdict import CanvasBrief, Verdict, VerdictKind

__all__ = ["CanvasBrief", "Verdict", "VerdictKind", "judge"]
