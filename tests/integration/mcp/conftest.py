from __future__ import annotations

import json
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest

from tests.stack import Stack


class Door:
    """`/mcp` of a running server, for a program that speaks JSON-RPC by hand."""

    def __init__(self, stack: Stack) -> None:
        self.stack = stack
        self.url = stack.url("/mcp")
        self.charlies_key = stack.manage("create_api_key", "--agent", "charlie")

    def send(self, message: Any, **headers: str) -> httpx.Response:
        """Send a JSON value, or bytes as they are."""
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        sent = {
            "authorization": f"Bearer {self.stack.key}",
            "accept": "application/json, text/event-stream",
            "content-type": "application/json",
            **headers,
        }
        return httpx.post(self.url, content=body, headers=sent, timeout=60)

    def ask(self, method: str, params: Any = None, **headers: str) -> dict[str, Any]:
        """Send a request and return the answer's members."""
        answer = self.send({"jsonrpc": "2.0", "id": 7, "method": method, "params": params or {}}, **headers)
        assert answer.status_code == 200, answer.text
        members: dict[str, Any] = answer.json()
        assert members["id"] == 7
        return members

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool and return its result."""
        result: dict[str, Any] = self.ask("tools/call", {"name": tool, "arguments": arguments})["result"]
        return result


@pytest.fixture(scope="session")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    started = Stack(Path(tmp_path_factory.mktemp("mcp")) / "home", OFFLOAD_MAX_BODY_MB="1")
    started.start()
    yield Door(started)
    started.stop()


def in_a_thread(act: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run a coroutine in a thread of its own: the browser's tests may have left a running loop in this one."""
    with ThreadPoolExecutor(max_workers=1) as pool:
        pool.submit(anyio.run, act).result()
