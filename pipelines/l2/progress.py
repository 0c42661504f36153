"""How far a task is, in percent."""

from __future__ import annotations

from pipelines.l2.state import CanvasState


def progress(state: CanvasState) -> int:
    """Return 0 to 100: done by total of the agent's own plan, else by what was reached.

    100 needs a passing check or a delivery after the last change, and no failing check left open.
    """
    if not state.nodes:
        return 0
    proven = state.ever_changed and not state.unproven and not state.open_checks
    if state.plan_total:
        percent = 100 * state.plan_done // state.plan_total
        return percent if proven or percent < 100 else 95
    if not state.ever_changed:
        return min(30, 5 * len(state.nodes))
    if state.failing:
        return 60
    if state.unproven:
        return 50
    return 100 if state.delivered and not state.open_checks else 90
