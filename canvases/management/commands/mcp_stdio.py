"""Offer the tools to an agent's host over standard input and output."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError, connections

from canvases.management.agents import agent_given, user_here
from canvases.mcp import server as tools
from canvases.mcp import stdio
from canvases.mcp.tool import Caller, ToolRefused
from canvases.models import Agent, ApiKey
from canvases.services.owner import FIRST_AGENT

_UNKNOWN_KEY = "The key in OFFLOAD_API_KEY is not known here; manage.py create_api_key --agent NAME makes one"


class Command(BaseCommand):
    help = (
        "Speak MCP on standard input and output, for the agent named by --agent or by the key in "
        f"OFFLOAD_API_KEY (default: {FIRST_AGENT}). An agent's host starts this; it ends with its input."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--agent", metavar="NAME", help=f"default: {FIRST_AGENT}")

    def handle(self, *args: Any, **options: Any) -> None:
        key = settings.OFFLOAD_API_KEY
        if key and options["agent"]:
            raise CommandError("Give --agent or OFFLOAD_API_KEY, not both: a key says whose it is.")
        try:
            agent = agent_of_key(key) if key else agent_given(options["agent"] or FIRST_AGENT, make=True)
        except ToolRefused as error:
            raise CommandError(f"{error}.") from None
        except DatabaseError as error:
            raise CommandError(f"The database cannot be used ({error}); start the server once.") from None
        connections.close_all()
        actor = user_here("mcp")
        # The key is looked at for each call: one that is revoked ends here too.
        stdio.serve(tools.server(lambda _: Caller(agent=agent_of_key(key) if key else agent, actor=actor)))


def agent_of_key(key: str) -> Agent:
    """Return the agent of a live key. Raises ToolRefused."""
    found = ApiKey.find(key)
    if found is None:
        raise ToolRefused(_UNKNOWN_KEY)
    return found.agent
