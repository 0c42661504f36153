"""The README's worked example, run word for word."""

from __future__ import annotations

import json
import os
import re
import subprocess
from typing import Any

from tests.stack import ROOT, Stack, wait_for

README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def section(title: str) -> list[tuple[str, str]]:
    """Return the code blocks, as (language, text), under a heading."""
    text = README.split(f"\n## {title}\n")[1].split("\n## ")[0]
    return [(found[1], found[2]) for found in BLOCK.finditer(text)]


def steady(members: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object without the values that differ from one run to the next."""
    differing = {"stored_at", "key_id", "signature"}
    return {
        key: type(value) if key in differing and not isinstance(value, dict) else value
        for key, value in members
    }


def same(printed: str, shown: str) -> bool:
    def plain(text: str) -> Any:
        try:
            return json.loads(text, object_pairs_hook=steady)
        except ValueError:
            return text.strip()

    return bool(plain(printed) == plain(shown))


def test_the_worked_example_prints_what_the_readme_shows(stack: Stack) -> None:
    blocks = section("One result, all the way")
    environment = {**os.environ, "OFFLOAD": stack.url(""), "KEY": stack.key}
    printed = ""
    compared = 0
    for language, text in blocks:
        if language == "sh" and "export KEY" not in text:
            wait_for(
                lambda: "shop" not in str(stack.get("sessions").json()) or stack.settled("shop"), "the work"
            )
            commands = text.replace("\n\ncurl", "\n\necho; curl")
            done = subprocess.run(
                ["bash", "-ec", commands], env=environment, capture_output=True, text=True, check=True
            )
            printed = (
                done.stdout.split("\n", 1)[1] if done.stdout.startswith('{"boundary_id"') else done.stdout
            )
        elif language != "sh":
            assert same(printed, text), f"README shows\n{text}\nbut it prints\n{printed}"
            compared += 1
    assert compared == 4


def test_every_setting_is_in_the_readme_and_the_other_way_round() -> None:
    code = "".join(
        (ROOT / "offload_site" / name).read_text() for name in ("env.py", "settings.py", "compression.py")
    )
    read = set(
        re.findall(r"env\.(?:text|boolean|integer|days|ratio|words|urls?|choice)\(\s*\"([A-Z_]+)\"", code)
    )
    read |= set(re.findall(r"\btext\(\"([A-Z_]+)\"", code))
    told = set(
        re.findall(
            r"`((?:OFFLOAD_|DATABASE_|REDIS_)[A-Z_]+)`", README.split("## Settings")[1].split("\n## ")[0]
        )
    )
    assert told == read


def test_every_command_is_in_the_readme() -> None:
    told = set(re.findall(r"^\| `([a-z_]+)", README.split("## Commands")[1].split("\n## ")[0], re.MULTILINE))
    made = {path.stem for path in (ROOT / "canvases/management/commands").glob("*.py")} - {"__init__"}
    assert made - {"serve", "vendor_assets"} <= told
