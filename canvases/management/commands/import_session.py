"""Import a transcript file."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any, BinaryIO, cast

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse
from tqdm import tqdm

from canvases.services.imports import Imported, TranscriptImport
from canvases.services.owner import AgentNameRefused, agent_named, base_url, first_agent
from canvases.services.quota import QuotaFull
from canvases.services.sessions import SessionIdRefused
from pipelines import transcripts

SHOWN_ODDITIES = 20


class Command(BaseCommand):
    help = "Import a transcript (Claude Code JSONL). Importing a file again adds only what is new in it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", help="a path, or - for standard input")
        parser.add_argument("--agent", metavar="NAME", help="whose session it becomes (default: local)")
        parser.add_argument("--session-id", metavar="ID", help="default: the file's own")

    def handle(self, *args: Any, **options: Any) -> None:
        name = options["file"]
        try:
            with _opened(name) as stream:
                session_id = options["session_id"] or transcripts.session_id(stream) or Path(name).stem
                agent = agent_named(options["agent"]) if options["agent"] else first_agent()
                done = self._import(stream, TranscriptImport(agent=agent, session_id=session_id))
        except OSError as error:
            raise CommandError(shown(f"{name} cannot be read: {error.strerror}")) from error
        except (transcripts.UnknownFormat, SessionIdRefused) as error:
            raise CommandError(shown(f"{name}: {error}")) from error
        except (AgentNameRefused, QuotaFull) as error:
            raise CommandError(f"{error}") from error
        except KeyboardInterrupt:
            raise CommandError(
                "Stopped. What was read is kept; importing again goes on from there."
            ) from None
        self._report(done)

    def _import(self, stream: BinaryIO, work: TranscriptImport) -> Imported:
        size = stream.seek(0, 2)
        stream.seek(0)
        with tqdm(total=size, unit="B", unit_scale=True, disable=not sys.stderr.isatty()) as bar:
            return work.run(stream, progress=lambda position: _advance(bar, position))

    def _report(self, done: Imported) -> None:
        for oddity in done.oddities[:SHOWN_ODDITIES]:
            self.stderr.write(shown(f"note: {oddity}"))
        if len(done.oddities) > SHOWN_ODDITIES:
            self.stderr.write(f"note: and {len(done.oddities) - SHOWN_ODDITIES} more")
        self.stdout.write(
            f"{done.pairs} pairs stored, {done.duplicates} were there already, {done.prompts} prompts, "
            f"session {shown(done.session_id)}"
        )
        if done.session_pk is not None:
            self.stdout.write(f"{base_url()}{reverse('session-detail', args=[done.session_pk])}")


def shown(text: str) -> str:
    """Return text from a file as any terminal can show it, with nothing in it that a terminal obeys."""
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
        for character in text
    )


def _opened(name: str) -> BinaryIO:
    """Open the file; what cannot be read twice, such as a pipe, is copied to a temporary file first."""
    stream = sys.stdin.buffer if name == "-" else open(name, "rb")  # noqa: SIM115 (closed by the caller)
    if stream.seekable():
        return stream
    with stream:
        copy = cast("BinaryIO", tempfile.TemporaryFile())  # noqa: SIM115 (closed by the caller)
        shutil.copyfileobj(stream, copy)
    copy.seek(0)
    return copy


def _advance(bar: tqdm[Any], position: int) -> None:
    bar.update(position - bar.n)
