"""The events of `go test -json` turned back into the log they describe."""

from __future__ import annotations

import json
from typing import Any

MAX_CHARACTERS = 8 << 20


def is_event_stream(text: str) -> bool:
    """Tell whether a text is a stream of test events."""
    head = text[:2_000].lstrip()
    return head.startswith('{"') and '"Action":"' in head.split("\n", 1)[0] and '"Package":' in head


def as_log(text: str) -> str:
    """Return the log of a stream of test events: their output, and a verdict line for each that has none."""
    lines: list[str] = []
    speaking = ""
    for line in text[:MAX_CHARACTERS].split("\n"):
        event = _event(line)
        if event is None:
            lines.append(line)
            continue
        action, test = event.get("Action"), event.get("Test")
        if action == "output" and not str(event.get("Output", "")).lstrip().startswith("--- "):
            said = str(event["Output"]).rstrip("\n")
            if test and test != speaking and not said.startswith("=== "):
                lines.append(f"=== NAME  {test}")
            speaking = str(test or "")
            lines.append(said)
        elif action in ("pass", "fail", "skip") and test:
            lines.append(f"--- {str(action).upper()}: {test}")
        elif action == "fail":
            lines.append(f"FAIL\t{event.get('Package')}")
    return "\n".join(lines)


def _event(line: str) -> dict[str, Any] | None:
    if not line.startswith("{"):
        return None
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) and "Action" in event else None
