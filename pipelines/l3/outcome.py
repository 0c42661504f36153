"""What a compression did to a list, and what is reported of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from pipelines.l3.squeeze import Cut
from pipelines.l3.step import Replaced
from pipelines.messages.view import Raw


class Level(StrEnum):
    """How deep a compression went."""

    FAST = "fast"  # what was decided before was done again
    MILD = "mild"  # results and long inputs became stubs
    AGGRESSIVE = "aggressive"  # the oldest exchanges went
    EMERGENCY = "emergency"  # texts were cut

    def reaches(self, other: Level) -> bool:
        """Say whether this is at least as deep."""
        depths = list(Level)
        return depths.index(self) >= depths.index(other)


@dataclass(slots=True, kw_only=True)
class Outcome:
    """The list to send, and what was done to it."""

    messages: list[Raw]
    level: Level
    window: int
    overhead: int
    tokens_before: int
    tokens_after: int
    stable_prefix_tokens: int = 0
    """Tokens of the messages at the beginning that are as they were sent the last time."""
    billed: float = 0.0
    """What the list is billed as: tokens at full price, with a cached prefix at a tenth and the rest a quarter more;"""
    billed_raw: float = 0.0
    """and what the list would have been billed as it came."""
    replaced: list[Replaced] = field(default_factory=list)
    reapplied: int = 0
    """Messages in which what was decided before was done again."""
    deleted: list[int] = field(default_factory=list)
    """Numbers of messages of the list before this step that went."""
    truncated: list[Cut] = field(default_factory=list)
    injected: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def fits(self) -> bool:
        """Whether list and overhead are within the window."""
        return self.tokens_after + self.overhead <= self.window


def as_report(outcome: Outcome) -> dict[str, Any]:
    """Return what is reported of a compression."""
    window = outcome.window
    return {
        "level": outcome.level,
        "context_window": window,
        "system_tokens": outcome.overhead,
        "tokens_before": outcome.tokens_before,
        "tokens_after": outcome.tokens_after,
        "ratio_before": round((outcome.tokens_before + outcome.overhead) / window, 4),
        "ratio_after": round((outcome.tokens_after + outcome.overhead) / window, 4),
        "fits": outcome.fits,
        "stable_prefix_tokens": outcome.stable_prefix_tokens,
        "billed_tokens": round(outcome.billed),
        "billed_tokens_without": round(outcome.billed_raw),
        "reapplied": outcome.reapplied,
        "replaced": [
            {
                "index": one.index,
                "kind": one.kind,
                "tool_call_id": one.call_id,
                "ref_id": one.ref_id,
                "reason": one.reason,
                "tokens_before": one.tokens_before,
                "tokens_after": one.tokens_after,
            }
            for one in outcome.replaced
        ],
        "deleted": outcome.deleted,
        "truncated": [
            {
                "index": one.index,
                "kind": one.kind,
                "tokens_before": one.tokens_before,
                "tokens_after": one.tokens_after,
            }
            for one in outcome.truncated
        ],
        "injected": outcome.injected,
        "notes": outcome.notes,
    }
