"""Make an API key."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from canvases.models import ApiKey
from canvases.services.owner import AgentNameRefused, agent_named


class Command(BaseCommand):
    help = "Make an API key for an agent (made too when it is new) and print the key alone on stdout."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--agent", required=True, metavar="NAME", help="whose data the key opens")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            agent = agent_named(options["agent"])
        except AgentNameRefused as error:
            raise CommandError(f"{error}") from None
        self.stdout.write(ApiKey.issue(agent))
