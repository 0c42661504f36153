"""Hand an agent's audit log out, with the script that checks it anywhere."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from canvases.models import Agent
from canvases.selectors.audit import chain_events
from canvases.selectors.keys import key_ring
from canvases.services.checkpoints import checkpoints
from canvases.services.keys import signing_key
from pipelines.audit import export


class Command(BaseCommand):
    help = (
        "Write an agent's audit log to FILE (- for standard output) and, beside it, the script that checks it with "
        "nothing but Python."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE")
        parser.add_argument("--agent", required=True, metavar="NAME")

    def handle(self, *args: Any, **options: Any) -> None:
        agent = Agent.objects.filter(name=options["agent"]).first()
        if agent is None:
            raise CommandError(f"There is no agent {options['agent']}.")
        lines = export.write(
            agent=agent.name,
            events=chain_events(agent),
            checkpoints=checkpoints(agent),
            keys=key_ring().keys.values(),
            since=None,
            now=timezone.now(),
            key=signing_key(),
        )
        if options["file"] == "-":
            sys.stdout.buffer.writelines(lines)
            return
        path = Path(options["file"])
        try:
            with path.open("wb") as file:
                file.writelines(lines)
            verifier = path.with_name(export.VERIFIER.name)
            shutil.copyfile(export.VERIFIER, verifier)
        except OSError as error:
            raise CommandError(f"{path} cannot be written: {error.strerror}") from error
        self.stdout.write(f"check it anywhere: python {verifier} {path}")
