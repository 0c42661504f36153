"""What played sessions come to, beside the untouched list: as data, and as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any

from pipelines.replay.play import Played

UNTOUCHED = "raw"


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A session and what each policy came to, the untouched list first."""

    name: str
    played: Sequence[Played]


def session_data(session: Session, *, price: float) -> dict[str, Any]:
    """Return a session's figures; `price` is that of a million input tokens."""
    raw = session.played[0]
    return {
        "session": session.name,
        "window": raw.window,
        "turns": raw.turns,
        "policies": {one.policy: _figures(one, raw, price) for one in session.played},
    }


def _figures(one: Played, raw: Played, price: float) -> dict[str, Any]:
    half, most = one.milliseconds
    return {
        "input_tokens": one.tokens,
        "input_ratio": _ratio(one.tokens, raw.tokens),
        "billed_tokens": round(one.billed),
        "billed_ratio": _ratio(one.billed, raw.billed),
        "money": round(one.billed * price / 1e6, 4),
        "recall": round(one.recall, 4),
        "recall_far": round(one.far, 4),
        "named": one.named,
        "named_far": one.named_far,
        "invalid": one.invalid,
        "over": one.over,
        "peak": max(one.curve, default=0),
        "ms_p50": round(half, 2),
        "ms_p99": round(most, 2),
        "curve": one.curve,
        "marks": {str(turn): mark for turn, mark in one.marks.items()},
    }


def _ratio(one: float, other: float) -> float:
    return round(one / other, 4) if other else 1.0


def totals(sessions: Sequence[Session], *, price: float) -> dict[str, dict[str, Any]]:
    """Return per policy the means of the sessions' ratios and recalls, and the sums of the rest."""
    found: dict[str, dict[str, Any]] = {}
    for number, first in enumerate(sessions[0].played if sessions else ()):
        pairs = [(session.played[number], session.played[0]) for session in sessions]
        costs = [_ratio(one.billed, raw.billed) for one, raw in pairs]
        found[first.policy] = {
            "sessions": len(pairs),
            "input_ratio": round(mean(_ratio(one.tokens, raw.tokens) for one, raw in pairs), 4),
            "billed_ratio": round(mean(costs), 4),
            "billed_ratio_worst": max(costs),
            "recall": round(mean(one.recall for one, _ in pairs), 4),
            "recall_far": round(mean(one.far for one, _ in pairs), 4),
            "invalid": sum(one.invalid for one, _ in pairs),
            "over": sum(one.over for one, _ in pairs),
            "input_tokens": sum(one.tokens for one, _ in pairs),
            "money": round(sum(one.billed for one, _ in pairs) * price / 1e6, 4),
            "ms_p50": round(mean(one.milliseconds[0] for one, _ in pairs), 2),
            "ms_p99": round(max(one.milliseconds[1] for one, _ in pairs), 2),
        }
    return found


HEAD = ("policy", "input", "billed", "worst", "recall", "far", "invalid", "over", "money", "ms p50", "ms p99")


def rows(session: Session, *, price: float) -> list[list[str]]:
    """Return a session's figures as the cells of a table, a row for each policy."""
    return [
        _cells(name, {**one, "billed_ratio_worst": one["billed_ratio"]})
        for name, one in session_data(session, price=price)["policies"].items()
    ]


def total_rows(sessions: Sequence[Session], *, price: float) -> list[list[str]]:
    """Return the totals as the cells of a table, a row for each policy."""
    return [_cells(name, one) for name, one in totals(sessions, price=price).items()]


def _cells(name: str, one: dict[str, Any]) -> list[str]:
    shares = ("input_ratio", "billed_ratio", "billed_ratio_worst", "recall", "recall_far")
    return [
        name,
        *(f"{one[share]:.3f}" for share in shares),
        str(one["invalid"]),
        str(one["over"]),
        f"{one['money']:.2f}",
        f"{one['ms_p50']:.1f}",
        f"{one['ms_p99']:.1f}",
    ]


def aligned(table: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table for a terminal: the first column to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if not number else cell.rjust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in table
    ]


def markdown(table: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table in Markdown; its first row is the head."""
    head, *body = table
    return [f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *body)]
