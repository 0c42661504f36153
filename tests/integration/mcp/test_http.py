"""`/mcp` of the running product: the protocol by hand, and its SDK's own client."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

import httpx
import httpx2
import pytest
from mcp.client.client import Client, ConnectMode
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from tests.integration.mcp.conftest import Door, in_a_thread

TOOLS = ["memory_offload", "memory_deref", "offload_search", "canvas_read"]
CLIENT = {"capabilities": {}, "clientInfo": {"name": "by hand", "version": "1"}}


@asynccontextmanager
async def client(door: Door, mode: ConnectMode, key: str = "") -> AsyncIterator[Client]:
    headers = {"authorization": f"Bearer {key or door.stack.key}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        Client(streamable_http_client(door.url, http_client=http), mode=mode) as speaking,
    ):
        yield speaking


def test_the_flow_of_the_inspector_works_by_hand(door: Door) -> None:
    opened = door.ask("initialize", {"protocolVersion": "2025-06-18", **CLIENT})["result"]
    assert opened["protocolVersion"] == "2025-06-18"
    assert opened["serverInfo"]["name"] == "offload"
    assert "tools" in opened["capabilities"]
    noted = door.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert (noted.status_code, noted.content) == (202, b"")
    listed = door.ask("tools/list", **{"mcp-protocol-version": "2025-06-18"})["result"]["tools"]
    assert [tool["name"] for tool in listed] == TOOLS
    assert all(tool["inputSchema"]["type"] == "object" for tool in listed)
    stored = door.call("memory_offload", content="by hand")
    assert not stored["isError"]
    told = json.loads(stored["content"][0]["text"])
    assert stored["content"][0]["text"] == json.dumps(told, indent=2, sort_keys=True)
    assert stored["structuredContent"] == told
    read = door.call("memory_deref", ref_id=told["ref_id"])
    assert read["structuredContent"]["content"] == "by hand"
    assert door.ask("ping")["result"] == {}


def test_memory_deref_pair_registered(door: Door) -> None:
    listed = door.ask("tools/list")["result"]["tools"]
    assert {"memory_offload", "memory_deref"} <= {tool["name"] for tool in listed}


def test_memory_offload_registered_at_semantic_tier(door: Door) -> None:
    """There are no profiles: every agent's key has every tool."""
    for key in (door.stack.key, door.charlies_key):
        listed = door.ask("tools/list", authorization=f"Bearer {key}")["result"]["tools"]
        assert "memory_offload" in {tool["name"] for tool in listed}


def test_memory_offload_absent_at_keyword_tier(door: Door) -> None:
    """The only caller to whom the tools are not listed is one without a key."""
    answer = door.send({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, authorization="")
    assert answer.status_code == 401
    assert "memory_offload" not in answer.text


def test_offload_pair_in_family_power_expected_count(door: Door) -> None:
    """What is listed is what there is, each once."""
    names = [tool["name"] for tool in door.ask("tools/list")["result"]["tools"]]
    assert sorted(names) == sorted(TOOLS)


def test_no_session_is_opened_so_that_any_server_may_take_the_next_message(door: Door) -> None:
    opening = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", **CLIENT},
    }
    assert "mcp-session-id" not in door.send(opening).headers
    assert door.ask("tools/list", **{"mcp-session-id": "of another server"})["result"]["tools"]


def test_an_unknown_version_is_answered_with_one_that_is_spoken(door: Door) -> None:
    opened = door.ask("initialize", {"protocolVersion": "1999-01-01", **CLIENT})["result"]
    assert opened["protocolVersion"] == "2025-11-25"
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    refused = door.send(message, **{"mcp-protocol-version": "1999-01-01"})
    assert refused.status_code == 400
    assert "error" in refused.json()


def test_a_tool_that_is_not_there_is_an_error_of_the_protocol(door: Door) -> None:
    error = door.ask("tools/call", {"name": "memory_forget", "arguments": {}})["error"]
    assert error == {"code": -32602, "message": "Unknown tool: memory_forget"}
    assert door.ask("memory/forget")["error"]["code"] == -32601


@pytest.mark.parametrize(
    ("body", "code"), [(b"{", -32700), (b"\xff\xfe", -32700), (b"[]", -32602), (b"7", -32602), (b"", -32700)]
)
def test_what_is_no_message_is_refused(door: Door, body: bytes, code: int) -> None:
    answer = door.send(body)
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == code


@pytest.mark.parametrize("key", ["", "Bearer", "Bearer ofk_unknown", "Basic b2ZrXw==", "Bearer \xe9"])
def test_nobody_comes_in_without_a_key(door: Door, key: str) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    answer = httpx.post(door.url, json=message, headers={"authorization": key.encode("latin-1")})
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    assert answer.headers["content-type"] == "application/problem+json"
    assert "tools" not in answer.text
    assert answer.json()["request_id"] == answer.headers["x-request-id"]


def test_a_login_is_no_key(door: Door) -> None:
    with httpx.Client() as browser:
        browser.get(door.stack.manage("login_link"), follow_redirects=True)
        assert browser.cookies
        assert browser.post(door.url, json={"jsonrpc": "2.0", "id": 1, "method": "ping"}).status_code == 401


@pytest.mark.parametrize(
    ("header", "value", "status"),
    [
        ("host", "evil.example", 400),
        ("origin", "http://evil.example", 403),
        ("origin", "null", 403),
        ("origin", "http://[", 403),
        ("origin", "http://localhost:6274", 200),
    ],
)
def test_a_name_or_page_that_is_not_known_is_refused(
    door: Door, header: str, value: str, status: int
) -> None:
    answer = door.send({"jsonrpc": "2.0", "id": 1, "method": "ping"}, **{header: value})
    assert answer.status_code == status


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
def test_there_is_no_stream_to_open_and_no_session_to_end(door: Door, method: str) -> None:
    headers = {"authorization": f"Bearer {door.stack.key}", "accept": "text/event-stream"}
    answer = httpx.request(method, door.url, headers=headers)
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


def test_a_message_over_the_limit_is_refused(door: Door) -> None:
    answer = door.send(b" " * (2**20 + 1))
    assert answer.status_code == 413
    assert answer.json()["limit"] == 2**20


def test_a_failure_of_a_tool_is_a_result(door: Door) -> None:
    result = door.call("memory_offload")
    assert result == {"content": [{"type": "text", "text": "content is required"}], "isError": True}
    assert (
        "ttl_seconds must be"
        in door.call("memory_offload", content="x", ttl_seconds="60")["content"][0]["text"]
    )
    assert door.call("memory_deref")["content"][0]["text"] == "ref_id is required"


@pytest.mark.parametrize("content", ["cut \ud83d here", "\udc00", "a\x00b", "🦊 \ud83d"])
def test_half_characters_and_nul_go_through(door: Door, content: str) -> None:
    stored = door.call("memory_offload", content=content, namespace=content)
    ref_id = json.loads(stored["content"][0]["text"])["ref_id"]
    read = door.call("memory_deref", ref_id=ref_id)
    assert json.loads(read["content"][0]["text"])["content"] == content
    assert "not found" in door.call("memory_deref", ref_id=content)["content"][0]["text"]
    assert door.ask("tools/call", {"name": content, "arguments": {}})["error"]["code"] == -32602


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_sdks_client_puts_away_and_reads_back(door: Door, mode: ConnectMode) -> None:
    async def run() -> None:
        async with client(door, mode) as speaking:
            assert [tool.name for tool in (await speaking.list_tools()).tools] == TOOLS
            stored = await speaking.call_tool("memory_offload", {"content": f"kept by {mode}"})
            read = await speaking.call_tool("memory_deref", {"ref_id": stored.structured_content["ref_id"]})
            assert read.structured_content["content"] == f"kept by {mode}"
            missing = await speaking.call_tool("memory_deref", {})
            assert missing.is_error
            with pytest.raises(MCPError, match="Unknown tool"):
                await speaking.call_tool("memory_forget", {})

    in_a_thread(run)


def test_a_foreign_key_finds_nothing_whatever_it_claims(door: Door) -> None:
    async def run() -> None:
        async with client(door, "auto") as mine, client(door, "auto", door.charlies_key) as foreign:
            stored = await mine.call_tool("memory_offload", {"content": "mine alone"})
            ref_id = stored.structured_content["ref_id"]
            claim = {"ref_id": ref_id, "agent_id": "local", "metadata": {"agent_id": "local"}}
            answer = await foreign.call_tool("memory_deref", claim)
            assert answer.is_error
            assert answer.content[0].text == f"offloaded blob {ref_id} not found"  # type: ignore[union-attr]

    in_a_thread(run)


def test_twenty_calls_at_once_are_all_answered_rightly(door: Door) -> None:
    def round_trip(number: int) -> str:
        stored = door.call("memory_offload", content=f"text {number % 15}")
        return str(
            door.call("memory_deref", ref_id=stored["structuredContent"]["ref_id"])["structuredContent"][
                "content"
            ]
        )

    with ThreadPoolExecutor(20) as threads:
        texts = list(threads.map(round_trip, range(20)))
    assert texts == [f"text {number % 15}" for number in range(20)]


def test_the_audit_log_names_the_key_and_the_way(door: Door) -> None:
    ref_id = door.call("memory_offload", content="for the log")["structuredContent"]["ref_id"]
    door.call("memory_deref", ref_id=ref_id)
    events = door.stack.get("audit/events", limit=200).json()["items"]
    mine = [event for event in events if event["payload"].get("ref_id") == ref_id]
    assert [event["event_type"] for event in mine] == ["offloaded", "dereferenced"]
    assert {event["actor"] for event in mine} == {f"key {door.stack.key[:12]}"}
    assert mine[1]["payload"]["how"] == "mcp"


def test_what_is_read_over_mcp_is_what_the_api_gives(door: Door) -> None:
    pair = {"tool_name": "Bash", "tool_call_id": "c1", "params": {}, "result": "line\n" * 900}
    ref_id = door.stack.post("sessions/mcp/tool-pairs", {"tool_pairs": [pair]}).json()["refs"][0]["ref_id"]
    item = door.stack.get("deref", ref_id=ref_id, lines="5-", max_tokens=100).json()["items"][0]
    told = door.call("memory_deref", ref_id=ref_id, lines="5-", max_tokens=100)["structuredContent"]
    assert {name: item[name] for name in told if name != "stored_at"} == {
        name: value for name, value in told.items() if name != "stored_at"
    }
