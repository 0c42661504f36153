"""Import a transcript file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse
from tqdm import tqdm

from canvases.models import Agent
from canvases.services.imports import TranscriptImport
from canvases.services.owner import base_url, first_agent
from pipelines import transcripts

SHOWN_ODDITIES = 20


class Command(BaseCommand):
    help = "Import a transcript (Claude Code JSONL). Importing a file again adds only what is new in it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--agent", metavar="NAME", help="whose session it becomes (default: local)")
        parser.add_argument("--session-id", metavar="ID", help="default: the file's own")

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        name = options["agent"]
        agent = Agent.objects.get_or_create(name=name)[0] if name else first_agent()
        try:
            size = path.stat().st_size
            with path.open("rb") as stream:
                session_id = options["session_id"] or transcripts.session_id(stream) or path.stem
                stream.seek(0)
                with tqdm(total=size, unit="B", unit_scale=True, disable=not sys.stderr.isatty()) as bar:
                    work = TranscriptImport(agent=agent, session_id=session_id)
                    done = work.run(stream, progress=lambda position: _advance(bar, position))
        except OSError as error:
            raise CommandError(f"{path} cannot be read: {error.strerror}") from error
        except transcripts.UnknownFormat as error:
            raise CommandError(f"{path}: {error}") from error
        for oddity in done.oddities[:SHOWN_ODDITIES]:
            self.stderr.write(f"note: {oddity}")
        if len(done.oddities) > SHOWN_ODDITIES:
            self.stderr.write(f"note: and {len(done.oddities) - SHOWN_ODDITIES} more")
        self.stdout.write(
            f"{done.pairs} pairs stored, {done.duplicates} were there already, {done.prompts} prompts, "
            f"session {done.session_id}"
        )
        if done.session_pk is not None:
            self.stdout.write(f"{base_url()}{reverse('session-detail', args=[done.session_pk])}")


def _advance(bar: tqdm[Any], position: int) -> None:
    bar.update(position - bar.n)
