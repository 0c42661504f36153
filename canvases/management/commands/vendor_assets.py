"""Unpack Mermaid and the tokenizer's rank files from their installed packages."""

from __future__ import annotations

from importlib import resources
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from pipelines import rank_files


class Command(BaseCommand):
    help = (
        "Unpack the front-end library and the tokenizer's files from their packages; nothing is downloaded."
    )
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        target = settings.VENDOR_DIR / "static" / "vendor" / "mermaid.js"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((resources.files("mermaidx") / "assets" / "mermaid.js").read_bytes())
        rank_files.unpack_ranks(settings.VENDOR_DIR / "tiktoken")
        self.stdout.write(f"unpacked into {settings.VENDOR_DIR}")
