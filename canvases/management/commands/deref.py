"""Read a stored content back."""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from canvases.management.agents import add_agent_argument, agent_given, user_here
from canvases.services.ref_reads import RefRead, RefRefused, Refusal, ref_read
from pipelines.pairs import decode_text

_CODES = {Refusal.NOT_FOUND: 3, Refusal.UNTRUSTED: 4, Refusal.DAMAGED: 4, Refusal.TOO_LARGE: 5}


class Command(BaseCommand):
    help = (
        "Write the exact bytes behind REF to standard output. Exit status: 0 done, 1 another error, 2 usage, "
        "3 not found or gone, 4 the content or its signature does not hold, 5 too large."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("ref", metavar="REF", help="ofl_…")
        add_agent_argument(parser)
        parser.add_argument("--out", metavar="PATH", help="write the bytes to this file")
        parser.add_argument(
            "--sha256", default="", metavar="HEX", help="choose among contents that share a ref id"
        )
        parser.add_argument("--json", action="store_true", help="print one line of JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        agent = agent_given(options["agent"])
        try:
            read = ref_read(
                agent=agent, actor=user_here(), how="cli", ref_id=options["ref"], sha256=options["sha256"]
            )
        except RefRefused as error:
            whose = f" (of agent {agent.name}; --agent names another)" * (error.refusal is Refusal.NOT_FOUND)
            code = _CODES.get(error.refusal, 1)
            raise CommandError(f"deref failed: {error}{whose}", returncode=code) from None
        if options["out"]:
            try:
                Path(options["out"]).write_bytes(read.content)
            except OSError as error:
                raise CommandError(f"deref failed: write {options['out']}: {error.strerror}") from None
        if options["json"]:
            self.stdout.write(json.dumps(_told(read, inline=not options["out"])))
        elif not options["out"]:
            sys.stdout.buffer.write(read.content)
            sys.stdout.buffer.flush()


def _told(read: RefRead, *, inline: bool) -> dict[str, Any]:
    text = decode_text(read.content) if inline else None
    told = {
        "bytes": len(read.content),
        "content": text,
        "ref_id": read.blob.ref_id,
        "sha256": read.blob.content_sha256,
        "stored_at": read.reference.stored_at,
    }
    if inline and text is None:
        told["content_base64"] = base64.b64encode(read.content).decode()
    return told
