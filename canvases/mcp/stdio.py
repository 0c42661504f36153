"""MCP over standard input and output, for a host that starts the server itself."""

from __future__ import annotations

import json
import sys
import threading
from typing import Any, BinaryIO, TextIO, cast

import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, JSONRPCResponse

from canvases.mcp.surrogates import pack

LAST_ANSWERS_SECONDS = 30.0


def serve(server: Server[Any]) -> None:
    """Answer messages until standard input ends. What else is printed meanwhile goes to standard error."""
    anyio.run(_serve, server)


async def _serve(server: Server[Any]) -> None:
    open_requests = _OpenRequests()
    lines = cast("TextIO", _Lines(sys.stdin.buffer, open_requests))
    async with stdio_server(stdin=anyio.wrap_file(lines)) as (read, write):
        answers = cast("Any", _Answers(write, open_requests))
        await server.run(read, answers, server.create_initialization_options())


class _OpenRequests:
    """The requests that were read and are not answered yet."""

    def __init__(self) -> None:
        self._ids: set[str | int] = set()
        self._changed = threading.Condition()

    def read(self, line: bytes) -> None:
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            return
        if not isinstance(message, dict):
            return
        if message.get("method") == "notifications/cancelled":
            params = message.get("params")
            self.close(params.get("requestId") if isinstance(params, dict) else None)
        elif "method" in message and isinstance(message.get("id"), str | int):
            with self._changed:
                self._ids.add(message["id"])

    def close(self, request_id: Any) -> None:
        with self._changed:
            if isinstance(request_id, str | int):
                self._ids.discard(request_id)
            self._changed.notify_all()

    def wait_for_none(self) -> None:
        with self._changed:
            self._changed.wait_for(lambda: not self._ids, LAST_ANSWERS_SECONDS)


class _Lines:
    """Standard input, a message a line, each in a form that the SDK can read.

    The SDK breaks off what it works on when its input ends, so the end is told once all is answered.
    """

    def __init__(self, source: BinaryIO, open_requests: _OpenRequests) -> None:
        self.source = source
        self.open_requests = open_requests

    def readline(self) -> str:
        line = pack(self.source.readline())
        if line:
            self.open_requests.read(line)
        else:
            self.open_requests.wait_for_none()
        return line.decode("utf-8", "replace")


class _Answers:
    """The SDK's way to standard output, watched for what is answered."""

    def __init__(self, stream: Any, open_requests: _OpenRequests) -> None:
        self.stream = stream
        self.open_requests = open_requests

    async def send(self, item: SessionMessage) -> None:
        await self.stream.send(item)
        if isinstance(item.message, JSONRPCResponse | JSONRPCError):
            self.open_requests.close(item.message.id)

    async def aclose(self) -> None:
        await self.stream.aclose()

    async def __aenter__(self) -> _Answers:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.aclose()
