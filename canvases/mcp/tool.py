"""What a tool is: a name, words for a model, a schema, and a function of who calls and with what."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from canvases.models import Agent

HOW = "mcp"
Arguments = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Whose data a call is about, and who calls, as the audit log names them."""

    agent: Agent
    actor: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool. `run` returns the answer, a JSON object, or raises ToolRefused; it may use the database."""

    name: str
    title: str
    description: str
    properties: dict[str, dict[str, Any]]
    run: Callable[[Caller, Arguments], dict[str, Any]]
    required: tuple[str, ...] = ()
    reads_only: bool = True

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of the arguments."""
        schema: dict[str, Any] = {"type": "object", "properties": self.properties}
        return {**schema, "required": list(self.required)} if self.required else schema


class ToolRefused(Exception):
    """The call has no answer; the text tells the model why, or what to send."""


def text(arguments: Arguments, name: str) -> str | None:
    """Return a text among the arguments, None when it is left out. Raises ToolRefused for another kind."""
    value = arguments.get(name)
    if value is not None and not isinstance(value, str):
        raise ToolRefused(f"{name} must be a text")
    return value


def whole(arguments: Arguments, name: str) -> int | None:
    """Return a whole number among the arguments, None when it is left out. Raises ToolRefused."""
    value = arguments.get(name)
    if value is None or type(value) is int:
        return value
    raise ToolRefused(f"{name} must be a whole number")


def whole_or(arguments: Arguments, name: str, default: int) -> int:
    """Return a whole number among the arguments, or the default. Raises ToolRefused."""
    value = whole(arguments, name)
    return default if value is None else value
