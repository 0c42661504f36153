"""Measure on transcripts how small contents are stored, and how long storing and reading back takes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection

from canvases.management.own_database import own_database
from canvases.models import Agent
from canvases.services.timings import Timings, content_timings
from pipelines import transcripts
from pipelines.content import spaced
from pipelines.pairs import decode_text
from pipelines.storage_sizes import Sizes

CONTENT_SIZES = {"1 KB": 1_000, "100 KB": 100_000, "1 MB": 1_000_000}


class Command(BaseCommand):
    help = (
        "Measure on the Claude Code transcripts in a folder how small their results are stored, and how long one "
        "result takes to store and to read back. Works in a database of its own, which is dropped afterwards."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", metavar="FOLDER", help="with .jsonl files, in folders below it too")
        parser.add_argument(
            "--rounds", type=int, default=100, metavar="N", help="contents timed of each size"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["rounds"] < 2:
            raise CommandError("--rounds must be 2 or more.")
        folder = Path(options["folder"])
        files = sorted(folder.rglob("*.jsonl"))
        sizes = Sizes()
        text: list[str] = []
        read = sum(self._read(file, sizes, text) for file in files)
        if not sizes.contents:
            raise CommandError(f"There is no result in a transcript below {folder}.")
        self.stdout.write(
            f"{read} transcripts, {sizes.contents} results, {sizes.distinct} of them distinct\n"
        )
        self._tell_sizes(sizes)
        with own_database():
            agent = Agent.objects.create(name="benchmark")
            for name, size in CONTENT_SIZES.items():
                timings = content_timings(
                    agent=agent, text="\n".join(text), size=size, rounds=options["rounds"]
                )
                self._tell_timings(name, timings)

    def _read(self, file: Path, sizes: Sizes, text: list[str]) -> bool:
        """Count the results of a file; say whether it is a transcript."""
        with file.open("rb") as stream:
            try:
                for event in transcripts.read(stream):
                    if isinstance(event, transcripts.PairSeen):
                        sizes.add(event.pair.tool_name, event.pair.content)
                        text.append(decode_text(event.pair.content) or "")
            except transcripts.UnknownFormat:
                return False
        return True

    def _tell_sizes(self, sizes: Sizes) -> None:
        self.stdout.write(f"\n{'stored as':34}{'bytes':>14}{'ratio':>8}\n")
        for name, stored in (
            ("posted", sizes.posted),
            ("zstd", sizes.plain),
            ("zstd, each content once", sizes.once),
            ("  and a dictionary per tool", sizes.per_tool.total),
            ("  and one dictionary for all tools", sizes.shared.total),
        ):
            self.stdout.write(f"{name:34}{spaced(stored):>14}{sizes.posted / max(1, stored):>8.2f}\n")
        for name, learned in (("per tool", sizes.per_tool), ("for all tools", sizes.shared)):
            saved = 1 - learned.total / max(1, sizes.once)
            number = len(learned.dictionaries)
            self.stdout.write(
                f"dictionaries {name}: {number}, saved {saved:.1%} with their own bytes counted\n"
            )
        self.stdout.write(
            f"\n{connection.vendor + ', ms':14}{'store p50':>12}{'p99':>8}{'read p50':>12}{'p99':>8}\n"
        )

    def _tell_timings(self, name: str, found: Timings) -> None:
        store, read = found.store, found.read
        self.stdout.write(f"{name:14}{store.p50:>12.1f}{store.p99:>8.1f}{read.p50:>12.1f}{read.p99:>8.1f}\n")
