"""A body over the limit is refused before it is read, parsed or asked for its key, whatever it is sent to."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from canvases.selectors.limits import MOST_OFFLOAD_BYTES
from offload_site.asgi import application

LIMIT = settings.OFFLOAD_MAX_BODY_BYTES
PAGES = ["/login/", "/logout/", "/admin/login/", "/sessions/", "/nowhere"]


CONTENTS = ("PUT", "/api/v1/contents")


def limit_of(method: str, path: str) -> int:
    return MOST_OFFLOAD_BYTES if (method, path) == CONTENTS else LIMIT


def bodies() -> list[tuple[str, str, int]]:
    """Return method, path and limit of each address of the API that takes a body, and of pages."""
    documented = Client().get("/api/v1/openapi.json").json()["paths"]
    found = [
        (method.upper(), path.replace("{session_id}", "s1"))
        for path, methods in documented.items()
        for method in methods
        if method in ("post", "put", "patch")
    ]
    assert CONTENTS in found
    found += [("POST", page) for page in PAGES]
    return [(method, path, limit_of(method, path)) for method, path in [*found, ("POST", CONTENTS[1])]]


def answered(
    path: str, chunks: list[bytes], *headers: tuple[bytes, bytes], method: str = "POST"
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
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(b"host", b"localhost"), *headers],
    }
    asyncio.run(application(scope, receive, send))
    return sent[0]["status"], json.loads(sent[1]["body"]), taken


def test_every_address_refuses_a_body_that_says_it_is_too_large_unread(db: None) -> None:
    tried = bodies()
    assert len(tried) > len(PAGES) + 2
    for method, path, limit in tried:
        too_long = (b"content-length", str(limit + 1).encode())
        status, problem, taken = answered(path, [], too_long, method=method)
        assert (status, problem["limit"], taken) == (413, limit, 0), path
        assert problem["request_id"]


@pytest.mark.parametrize("stated", [None, b"5"], ids=["nothing stated", "too little stated"])
def test_every_address_stops_reading_a_body_at_the_limit(db: None, stated: bytes | None) -> None:
    headers = [(b"content-length", stated)] if stated else [(b"transfer-encoding", b"chunked")]
    for method, path, limit in bodies():
        part = b" " * (limit // 4)
        status, problem, taken = answered(path, [part] * 100, *headers, method=method)
        assert (status, problem["limit"]) == (413, limit), path
        assert taken == 5, path
