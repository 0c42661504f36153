"""The tokens of each turn as lines of a drawing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pipelines.replay.play import Played

WIDTH, HEIGHT = 1000, 260
"""Units of the drawing."""
_HEADROOM = 1.04


@dataclass(frozen=True, slots=True)
class Scales:
    """Where turns and tokens stand in the drawing."""

    turns: int
    most: float

    def x(self, turn: float) -> float:
        return round(turn * WIDTH / max(1, self.turns - 1), 1)

    def y(self, tokens: float) -> float:
        return round(HEIGHT - tokens * HEIGHT / self.most, 1)


def chart(played: Sequence[Played]) -> dict[str, Any]:
    """Return what a template draws of a session: a line per policy, the window, and marks where a list was changed."""
    window = played[0].window
    peak = max((max(one.curve, default=0) for one in played), default=0)
    scales = Scales(turns=played[0].turns, most=max(peak, window, 1) * _HEADROOM)
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "window_y": scales.y(window),
        "window": window,
        "peak": peak,
        "turns": scales.turns,
        "lines": [
            {
                "policy": one.policy,
                "points": " ".join(
                    f"{scales.x(turn)},{scales.y(tokens)}" for turn, tokens in enumerate(one.curve)
                ),
                "marks": [
                    {"x": scales.x(turn), "y": scales.y(one.curve[turn]), "text": f"turn {turn + 1}: {mark}"}
                    for turn, mark in one.marks.items()
                ],
            }
            for one in played
        ],
    }
