"""What commands that act for an agent share."""

from __future__ import annotations

import getpass

from django.core.management.base import CommandError, CommandParser

from canvases.models import Agent
from canvases.services.owner import FIRST_AGENT, AgentNameRefused, agent_named


def add_agent_argument(parser: CommandParser) -> None:
    """Let the command take `--agent NAME`."""
    parser.add_argument("--agent", default=FIRST_AGENT, metavar="NAME", help=f"default: {FIRST_AGENT}")


def agent_given(name: str, *, make: bool = False) -> Agent:
    """Return the agent with this name; it is made when `make` is set, else missing is an error."""
    if make:
        try:
            return agent_named(name)
        except AgentNameRefused as error:
            raise CommandError(f"{error}") from None
    agent = Agent.objects.filter(name=name).first()
    if agent is None:
        raise CommandError(f"There is no agent {name}.")
    return agent


def user_here(way: str = "cli") -> str:
    """Return who runs the command and by which way, as the audit log names them."""
    try:
        return f"{way} {getpass.getuser()}"
    except (KeyError, OSError):
        return way
