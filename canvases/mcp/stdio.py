"""MCP over standard input and output, for a host that starts the server itself."""

from __future__ import annotations

import sys
from typing import Any, BinaryIO, TextIO, cast

import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from canvases.mcp.surrogates import pack


class _Lines:
    """Standard input, a message a line, each in a form that the SDK can read."""

    def __init__(self, source: BinaryIO) -> None:
        self.source = source

    def readline(self) -> str:
        return pack(self.source.readline()).decode("utf-8", "replace")


def serve(server: Server[Any]) -> None:
    """Answer messages until standard input ends. What else is printed meanwhile goes to standard error."""
    anyio.run(_serve, server)


async def _serve(server: Server[Any]) -> None:
    lines = cast("TextIO", _Lines(sys.stdin.buffer))
    async with stdio_server(stdin=anyio.wrap_file(lines)) as (read, write):
        await server.run(read, write, server.create_initialization_options())
