"""`manage.py mcp_stdio` as a host starts it."""

from __future__ import annotations

import getpass
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client.client import Client, ConnectMode
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.integration.mcp.conftest import Door, in_a_thread
from tests.stack import ROOT


def command(*words: str) -> list[str]:
    return [sys.executable, "manage.py", "mcp_stdio", *words]


def started(door: Door, *words: str, **environment: str) -> StdioServerParameters:
    python, *arguments = command(*words)
    return StdioServerParameters(
        command=python, args=arguments, env={**door.stack.environment, **environment}, cwd=ROOT
    )


def refused(door: Door, *words: str, **environment: str) -> str:
    """Start it where a start must fail, and return what is said, which is nothing on standard output."""
    done = subprocess.run(
        command(*words),
        cwd=ROOT,
        env={**door.stack.environment, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )
    said = done.stderr.decode()
    assert (done.returncode, done.stdout) == (1, b"")
    assert "Traceback" not in said
    return said


def request(number: int, method: str, params: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()


OPENING = request(
    0,
    "initialize",
    {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}},
)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_sdks_client_starts_it_and_reads_what_came_over_http(door: Door, mode: ConnectMode) -> None:
    ref_id = door.call("memory_offload", content="came over HTTP")["structuredContent"]["ref_id"]

    async def run() -> None:
        async with Client(stdio_client(started(door)), mode=mode) as speaking:
            read = await speaking.call_tool("memory_deref", {"ref_id": ref_id})
            assert read.structured_content["content"] == "came over HTTP"
            stored = await speaking.call_tool("memory_offload", {"content": "over stdio"})
            assert stored.structured_content["namespace"] == "auto"

    in_a_thread(run)
    events = door.stack.get("audit/events", limit=200).json()["items"]
    assert f"mcp {getpass.getuser()}" in {event["actor"] for event in events}


def test_each_agent_has_its_own(door: Door) -> None:
    ref_id = door.call("memory_offload", content="of local")["structuredContent"]["ref_id"]

    async def run() -> None:
        for server in (
            started(door, "--agent", "bob"),
            started(door, OFFLOAD_API_KEY=door.charlies_key),
        ):
            async with Client(stdio_client(server)) as speaking:
                answer = await speaking.call_tool("memory_deref", {"ref_id": ref_id, "agent_id": "local"})
                assert answer.is_error
                assert answer.content[0].text == f"offloaded blob {ref_id} not found"  # type: ignore[union-attr]

    in_a_thread(run)


def test_what_comes_through_a_pipe_is_answered_to_the_end_and_nothing_else_written(door: Door) -> None:
    content = "cut \ud83d \x00"
    call = request(1, "tools/call", {"name": "memory_offload", "arguments": {"content": content}})
    odd = [b"no message", b"[]", b'{"jsonrpc": "2.0", "id": 9, "method": "\\ud800"}', b"\xff"]
    done = subprocess.run(
        command(),
        cwd=ROOT,
        env={**door.stack.environment, "OFFLOAD_LOG_LEVEL": "DEBUG"},
        input=b"".join(line + b"\n" for line in (OPENING, *odd, call, request(2, "tools/list", {}))),
        capture_output=True,
        timeout=60,
        check=True,
    )
    answers = {one["id"]: one for one in map(json.loads, done.stdout.splitlines())}
    assert answers.keys() == {0, 1, 2, 9}
    assert answers[9]["error"]["code"] == -32601
    ref_id = answers[1]["result"]["structuredContent"]["ref_id"]
    assert door.stack.get("deref", ref_id=ref_id).json()["items"][0]["content"] == content


def test_a_start_that_cannot_be_says_why_on_standard_error(door: Door, tmp_path: Path) -> None:
    assert "not known here" in refused(door, OFFLOAD_API_KEY="ofk_unknown")
    assert "not both" in refused(door, "--agent", "bob", OFFLOAD_API_KEY="ofk_x")
    assert "printable characters" in refused(door, "--agent", "two\nlines")
    new = {"DATABASE_URL": "", "OFFLOAD_HOME": str(tmp_path / "new")}
    assert "start the server once" in refused(door, **new)


def test_a_key_that_is_revoked_meanwhile_opens_nothing_more(door: Door) -> None:
    key = door.stack.manage("create_api_key", "--agent", "dora")
    revoke = (
        "from canvases.models import ApiKey; from django.utils import timezone; "
        f"ApiKey.objects.filter(prefix={key[:12]!r}).update(revoked_at=timezone.now())"
    )

    async def run() -> None:
        async with Client(stdio_client(started(door, OFFLOAD_API_KEY=key))) as speaking:
            assert not (await speaking.call_tool("memory_offload", {"content": "dora's"})).is_error
            await anyio.to_thread.run_sync(door.stack.manage, "shell", "-c", revoke)
            answer = await speaking.call_tool("memory_offload", {"content": "more"})
            assert answer.is_error
            assert "not known here" in answer.content[0].text  # type: ignore[union-attr]

    in_a_thread(run)
