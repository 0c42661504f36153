"""A body over the limit is refused before it is read, parsed or asked for its key, whatever it is sent to."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from offload_site.asgi import application

LIMIT = settings.OFFLOAD_MAX_BODY_BYTES
PAGES = ["/login/", "/logout/", "/admin/login/", "/sessions/", "/nowhere"]


def posts() -> list[str]:
    """Return each address of the API that takes a body, and pages."""
    documented = Client().get("/api/v1/openapi.json").json()["paths"]
    found = [path for path, methods in documented.items() if set(methods) & {"post", "put", "patch"}]
    return [path.replace("{session_id}", "s1") for path in found] + PAGES


def answered(
    path: str, chunks: list[bytes], *headers: tuple[bytes, bytes]
) -> tuple[int, dict[str, Any], int]:
    """Send a body; return the status, the problem, and how many chunks were taken."""
    sent: list[dict[str, Any]] = []
    taken = 0

    async def receive() -> dict[str, Any]:
        nonlocal taken
        taken += 1
        return {"type": "http.request", "body": chunks[taken - 1], "more_body": True}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": "POST",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(b"host", b"localhost"), *headers],
    }
    asyncio.run(application(scope, receive, send))
    return sent[0]["status"], json.loads(sent[1]["body"]), taken


def test_every_address_refuses_a_body_that_says_it_is_too_large_unread(db: None) -> None:
    tried = posts()
    assert len(tried) > len(PAGES) + 2
    for path in tried:
        status, problem, taken = answered(path, [], (b"content-length", str(LIMIT + 1).encode()))
        assert (status, problem["limit"], taken) == (413, LIMIT, 0), path
        assert problem["request_id"]


@pytest.mark.parametrize("stated", [None, b"5"], ids=["nothing stated", "too little stated"])
def test_every_address_stops_reading_a_body_at_the_limit(db: None, stated: bytes | None) -> None:
    part = b" " * (LIMIT // 4)
    headers = [(b"content-length", stated)] if stated else [(b"transfer-encoding", b"chunked")]
    for path in posts():
        status, problem, taken = answered(path, [part] * 100, *headers)
        assert (status, problem["limit"]) == (413, LIMIT), path
        assert taken == 5, path
