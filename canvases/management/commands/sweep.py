"""Take away what has outlived its time."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from canvases.services.expiry import MOST_AT_A_RUN, PAUSE_SECONDS, references_expire


class Command(BaseCommand):
    help = "Take expired contents away now, as the running server does every minute."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--most", type=int, default=MOST_AT_A_RUN, metavar="N", help="references at this run"
        )
        parser.add_argument(
            "--pause-ms", type=float, default=PAUSE_SECONDS * 1000, metavar="MS", help="between transactions"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        swept = references_expire(most=options["most"], pause=options["pause_ms"] / 1000)
        self.stdout.write(
            f"swept {swept.references} references; {swept.contents} contents ({swept.size_bytes} bytes) are gone"
        )
