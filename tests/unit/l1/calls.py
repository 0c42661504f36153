"""Short ways to write a tool call in a test."""

from __future__ import annotations

from typing import Any

from pipelines.l1 import summarise
from pipelines.records import Summary, ToolCall


def row(tool_name: str, params: Any = None, result: Any = "", **more: Any) -> Summary:
    return summarise(ToolCall(tool_name=tool_name, params=params, result=result, **more))


def ran(command: str, result: Any = "", **more: Any) -> Summary:
    return row("Bash", {"command": command}, result, **more)
