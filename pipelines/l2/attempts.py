"""Failed attempts at one thing become one blocked node."""

from __future__ import annotations

from pipelines.l2.folds import fold
from pipelines.l2.state import Draft

MENDING = frozenset({"change", "fix"})


def fold_failed_attempts(draft: Draft) -> None:
    """After another failed run, fold the attempt before it: the changes, and the run that showed them wrong.

    The first failed run and the newest attempt stay as they are; what was read between stays, it may be the cause.
    """
    if len(draft.attempts) < 3:
        return
    hi = draft.index(draft.attempts[-2])
    lo = hi
    while lo > 0 and draft.nodes[lo - 1].act in MENDING and not draft.nodes[lo - 1].deps:
        if draft.nodes[lo - 1].fold == "attempts":
            lo -= 1
            break
        lo -= 1
    if 0 <= lo < hi:
        fold(draft, lo, hi, "attempts")
