"""Print an address that logs the owner in once."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from canvases.services.owner import login_url


class Command(BaseCommand):
    help = "Print an address that logs the owner in; it works once, within 24 hours."

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(login_url())
