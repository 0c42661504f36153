"""Whole lists of messages: seen in their dialects, their calls paired with results, their faults found and mended."""

from __future__ import annotations

from pipelines.messages.dialects import views
from pipelines.messages.exchanges import Exchange, exchanges, orphans
from pipelines.messages.problem import Fault, Problem
from pipelines.messages.problems import problems, problems_seen
from pipelines.messages.repair import repaired

__all__ = [
    "Exchange",
    "Fault",
    "Problem",
    "exchanges",
    "orphans",
    "problems",
    "problems_seen",
    "repaired",
    "views",
]
