"""Let go of what is older than the retention."""

from __future__ import annotations

import json
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from canvases.services.reclaim import LEAST_DAYS, MOST_DAYS, Reclaimed, reclaim


class Command(BaseCommand):
    help = (
        "Let go of sessions that nobody used for so many days, with their results; the canvases worked on last and "
        "what they stand for stay. The running server does it every hour when OFFLOAD_RETENTION_DAYS is set."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--days",
            type=int,
            default=settings.OFFLOAD_RETENTION_DAYS,
            help="default: OFFLOAD_RETENTION_DAYS",
        )
        parser.add_argument("--dry-run", action="store_true", help="only say what would be let go of")
        parser.add_argument("--json", action="store_true", help="print one line of JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        days = options["days"]
        if days != 0 and not LEAST_DAYS <= days <= MOST_DAYS:
            raise CommandError(
                f"--days is {days}; give 0 (nothing) or {LEAST_DAYS} to {MOST_DAYS}.", returncode=2
            )
        done = reclaim(days=days, dry_run=options["dry_run"])
        if options["json"]:
            self.stdout.write(json.dumps(done.to_json()))
        else:
            self._tell(done, days, "would be let go of" if options["dry_run"] else "were let go of")

    def _tell(self, done: Reclaimed, days: int, verb: str) -> None:
        if not days:
            self.stdout.write("There is no retention: results are kept for ever. Give --days N or set it.")
        else:
            self.stdout.write(
                f"{done.sessions} sessions {verb} whole and {done.sessions_thinned} in part: "
                f"{done.contents} contents ({done.size_bytes} bytes as posted)"
            )
        for name in done.logs:
            self.stdout.write(f"log {name} {verb}")
