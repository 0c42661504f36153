from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.stack import Stack, wait_for

MANY = 24  # three times the threads that answer
ROOM = 4096  # bytes that a slow reader takes in


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    started = Stack(Path(tmp_path_factory.mktemp("slow")) / "home")
    started.start()
    yield started
    started.stop()


@contextlib.contextmanager
def connections(server: Stack, request: str) -> Iterator[list[socket.socket]]:
    head = f"{request}\r\nHost: localhost\r\nAuthorization: Bearer {server.key}\r\n"
    opened = []
    try:
        for _ in range(MANY):
            one = socket.socket()
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, ROOM)
            one.connect(("127.0.0.1", server.port))
            one.sendall(head.encode())
            opened.append(one)
        yield opened
    finally:
        for one in opened:
            one.close()


def test_clients_that_send_half_a_body_keep_nobody_waiting(server: Stack) -> None:
    path = "/api/v1/sessions/s1/tool-pairs"
    with connections(server, f"POST {path} HTTP/1.1\r\nContent-Length: 100000") as half:
        for one in half:
            one.sendall(b'\r\n{"tool_pairs": [')
        time.sleep(0.5)
        assert httpx.get(server.url("/api/v1/health"), timeout=5).status_code == 200
        body = {"tool_pairs": [{"tool_name": "T", "result": "in time"}]}
        assert server.post("sessions/s1/tool-pairs", body).json()["accepted"] == 1


@pytest.mark.parametrize("path", ["sessions/many/offload.jsonl", "refs/{}/raw"])
def test_clients_that_read_slowly_keep_nobody_waiting(server: Stack, path: str) -> None:
    if "refs" in path:
        large = {"tool_pairs": [{"tool_name": "T", "result": "a line of a log\n" * 300_000}]}
        path = path.format(server.post("sessions/large/tool-pairs", large).json()["refs"][0]["ref_id"])
    elif "many" in path:
        ids = [f"{n} " + "long id " * 6000 for n in range(200)]
        many = [{"tool_name": "T", "tool_call_id": one, "result": "ok"} for one in ids]
        assert server.post("sessions/many/tool-pairs", {"tool_pairs": many}).json()["accepted"] == 200
        wait_for(lambda: server.settled("many"), "200 entries", server.output)
    with connections(server, f"GET /api/v1/{path} HTTP/1.1") as slow:
        for one in slow:
            one.sendall(b"\r\n")
        time.sleep(2)
        assert httpx.get(server.url("/api/v1/health"), timeout=5).status_code == 200


def test_an_upgrade_to_a_websocket_is_refused_quietly(server: Stack) -> None:
    headers = {
        "connection": "Upgrade",
        "upgrade": "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    }
    assert httpx.get(server.url("/api/v1/health"), headers=headers).status_code == 403
    assert "Traceback" not in server.output()
