"""System checks: what a start needs beside the code, each with its cure."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.checks import Error, register

from pipelines import rank_files


@register()
def assets_are_unpacked(**kwargs: Any) -> list[Error]:
    """offload.E001: the tokenizer's rank files and Mermaid come from packages and are unpacked at set-up."""
    wanted = [settings.VENDOR_DIR / "static" / "vendor" / "mermaid.js"]
    wanted += [settings.VENDOR_DIR / "tiktoken" / file.name for file in rank_files.RANK_FILES.values()]
    missing = [str(path) for path in wanted if not path.exists()]
    if not missing:
        return []
    return [Error(f"Missing: {', '.join(missing)}", hint="Run `make setup`.", id="offload.E001")]
