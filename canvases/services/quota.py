"""How much an agent may keep in all; checked before anything new is stored."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Sum

from canvases.models import Agent, OffloadedBlob
from canvases.selectors.limits import total_limit

_MB = 2**20


class QuotaFull(ValueError):
    """The agent keeps as much as it may; the text says how much that is and what to do."""

    def __init__(self, agent: Agent, *, kept: int, adding: int, limit: int) -> None:
        super().__init__(
            f"agent {agent.name} keeps {kept / _MB:.1f} MiB of the {limit / _MB:g} MiB it may, and {adding} bytes "
            f"would go over it; delete contents or sessions, or raise the limit: manage.py agents {agent.name} "
            f"--total-limit-mb N (for all agents OFFLOAD_MAX_TOTAL_MB)"
        )
        self.limit = limit


def quota_check(agent: Agent, sizes: Iterable[int]) -> None:
    """Raise QuotaFull if contents of these sizes, in bytes and not stored yet, would be more than the agent may keep.

    What is kept counts once, in bytes as they were posted. Of calls at the same moment each sees what was
    stored before it, so that together they can go over the limit by what they bring.
    """
    limit, adding = total_limit(agent), sum(sizes)
    if limit is None or not adding:
        return
    here = OffloadedBlob.objects.filter(agent=agent, gone_at=None)
    kept = here.aggregate(kept=Sum("size_bytes"))["kept"] or 0
    if kept + adding > limit:
        raise QuotaFull(agent, kept=kept, adding=adding, limit=limit)
