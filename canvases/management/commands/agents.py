"""The agents, and what is set for each."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db.models import Count, Q

from canvases.management.agents import agent_given
from canvases.models import Agent
from canvases.selectors.limits import MOST_OFFLOAD_BYTES, offload_limit, total_limit

_MB = 2**20


class Command(BaseCommand):
    help = "List the agents with their limits and live keys; with NAME, set that agent's limits first."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", nargs="?", metavar="NAME")
        parser.add_argument(
            "--offload-limit-mb",
            type=int,
            metavar="N",
            help="largest content put away by hand, up to 64; 0 for the server's own limit",
        )

        parser.add_argument(
            "--total-limit-mb",
            type=int,
            metavar="N",
            help="most that is kept of the agent in all; 0 for the server's own limit",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        name, limit, total = options["name"], options["offload_limit_mb"], options["total_limit_mb"]
        if (name is None) != (limit is None and total is None):
            raise CommandError("Give NAME and a limit to set, or neither to list.", returncode=2)
        if limit is not None:
            self._limit(agent_given(name), limit)
        if total is not None:
            self._total(agent_given(name), total)
        live = Count("api_keys", filter=Q(api_keys__revoked_at=None))
        for agent in Agent.objects.annotate(keys=live).order_by("name"):
            own = "" if agent.offload_limit_bytes is not None else " (the server's)"
            total = total_limit(agent)
            kept = f"  keeps up to {total / _MB:g} MiB" if total else ""
            self.stdout.write(
                f"{agent.name}  {agent.keys} keys  offloads up to {offload_limit(agent) / _MB:g} MiB{own}{kept}"
            )

    def _total(self, agent: Agent, total: int) -> None:
        if total < 0:
            raise CommandError("--total-limit-mb must be 0 or more.", returncode=2)
        agent.total_limit_bytes = total * _MB if total else None
        agent.save(update_fields=["total_limit_bytes"])

    def _limit(self, agent: Agent, limit: int) -> None:
        most = MOST_OFFLOAD_BYTES // _MB
        if not 0 <= limit <= most:
            raise CommandError(f"--offload-limit-mb must be from 0 to {most}.", returncode=2)
        agent.offload_limit_bytes = limit * _MB if limit else None
        agent.save(update_fields=["offload_limit_bytes"])
        if offload_limit(agent) > settings.OFFLOAD_MAX_BODY_BYTES:
            self.stdout.write("note: only PUT /api/v1/contents takes larger bodies than OFFLOAD_MAX_BODY_MB")
