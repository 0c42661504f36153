"""Check the audit log."""

from __future__ import annotations

import json
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from canvases.models import Agent
from canvases.services.verification import SinceUnknown, Verification, agent_verify
from pipelines.audit.report import ExitCode


class Command(BaseCommand):
    help = (
        "Check each agent's audit chain, signatures and contents. Exit status: 0 all holds, 1 a chain is broken, "
        "3 signatures fail, 4 contents differ from the chain, 5 nothing could be checked."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--agent", metavar="NAME", help="only this one (default: all)")
        parser.add_argument("--since", type=int, default=0, metavar="N", help="start after event N")
        parser.add_argument("--format", choices=["text", "json"], default="text")

    def handle(self, *args: Any, **options: Any) -> None:
        name = options["agent"]
        agents = Agent.objects.filter(name=name) if name else Agent.objects.order_by("pk")
        if name and not agents:
            raise CommandError(f"There is no agent {name}.", returncode=ExitCode.UNREADABLE)
        try:
            found = [agent_verify(agent, since=options["since"]) for agent in agents]
        except SinceUnknown as error:
            raise CommandError(str(error), returncode=ExitCode.USAGE) from None
        if options["format"] == "json":
            self.stdout.write(json.dumps([one.to_json() for one in found], indent=2))
        else:
            for one in found:
                self._tell(one)
        gravest = min((one.exit_code for one in found if one.exit_code), default=ExitCode.HOLDS)
        if gravest:
            sys.exit(gravest)

    def _tell(self, found: Verification) -> None:
        rows, blobs = found.report.rows_checked, found.blobs.blobs_checked
        verdict = "FAIL" if found.exit_code else "OK"
        self.stdout.write(f"{found.agent} {verdict}: {rows} events and {blobs} contents checked")
        for one in [*found.report.breaks, *found.report.signature_failures]:
            place = f"event {one.sequence}" if one.sequence else "checkpoint"
            self.stdout.write(f"  {place}: {one.kind}, expected {one.expected}, found {one.found}")
        for failure in found.blobs.failures:
            self.stdout.write(
                f"  content {failure.content_sha256[:16]}…: {failure.kind}, "
                f"expected {failure.expected}, found {failure.found}"
            )
