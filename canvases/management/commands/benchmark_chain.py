"""Measure how many contents a second many processes store and read back for one agent, on one audit chain."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection

from canvases.management.own_database import own_database
from canvases.models import Agent, OffloadedBlob
from canvases.services.throughput import chain_throughput
from canvases.services.verification import agent_verify


class Command(BaseCommand):
    help = (
        "Let many processes store and read back contents of one agent at once, check its audit chain, and print how "
        "many they did a second. Works in a database and with a signing key of its own, which are dropped afterwards."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--processes", type=int, default=16, metavar="N", help="default: 16")
        parser.add_argument(
            "--each", type=int, default=500, metavar="N", help="contents of each (default: 500)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        processes, each = options["processes"], options["each"]
        if processes < 1 or each < 1:
            raise CommandError("--processes and --each must be 1 or more.")
        with own_database(), TemporaryDirectory(prefix="benchmark-") as home:
            # The log's checkpoints are kept by the number of the agent, which is another's in the own database.
            settings.OFFLOAD_HOME = Path(home)
            agent = Agent.objects.create(name="benchmark")
            found = chain_throughput(agent_pk=agent.pk, processes=processes, each=each)
            checked = agent_verify(agent)
            stored = OffloadedBlob.objects.filter(agent=agent).count()
        rows = checked.report.rows_checked
        if checked.exit_code or rows != 2 * processes * each or stored != processes * each:
            raise CommandError(f"{stored} contents and {rows} events are there, and: {checked.to_json()}")
        self.stdout.write(
            f"{processes} processes, {each} contents each, on {connection.vendor}: "
            f"{found.offloads:.0f} offloads/s, {found.derefs:.0f} derefs/s; "
            f"the chain of {rows} events holds"
        )
