"""Store a file's content, or what comes on standard input."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from canvases.management.agents import add_agent_argument, agent_given, user_here
from canvases.services.offloads import OffloadRefused, offload
from canvases.services.quota import QuotaFull
from pipelines.pairs import TEXT, decode_text


class Command(BaseCommand):
    help = "Store the bytes of FILE (- for standard input) and print the ref id that reads them back."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE")
        add_agent_argument(parser)
        parser.add_argument("--namespace", help="default: auto")
        parser.add_argument(
            "--ttl-seconds", type=int, metavar="N", help="how long to keep it (default: for good)"
        )
        parser.add_argument("--json", action="store_true", help="print one line of JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        agent = agent_given(options["agent"], make=True)
        content = _read(options["file"])
        try:
            reference = offload(
                agent=agent,
                actor=user_here(),
                content=content,
                namespace=options["namespace"],
                ttl_seconds=options["ttl_seconds"],
                media_type=TEXT if decode_text(content) is not None else "application/octet-stream",
            )
        except (OffloadRefused, QuotaFull) as error:
            raise CommandError(f"offload failed: {error}") from None
        blob = reference.blob
        if not options["json"]:
            self.stdout.write(
                f"offloaded {blob.size_bytes} bytes -> {blob.ref_id} (sha256 {blob.content_sha256})"
            )
            return
        told = {
            "agent_id": agent.name,
            "content_sha256": blob.content_sha256,
            "expires_at": reference.expires_at,
            "namespace": reference.namespace,
            "ref_id": blob.ref_id,
            "stored_at": reference.stored_at,
        }
        self.stdout.write(json.dumps(told))


def _read(name: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise CommandError(f"offload failed: read {name}: {error.strerror}") from None
