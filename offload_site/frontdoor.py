"""What is settled before Django sees a request: the size of its body and the segments of its path."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import unquote

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


class KeepSegments:
    """Keep a `/` or `%` inside a path segment apart from those between segments.

    Servers decode the whole path, after which an id such as `a/b`, sent as `a%2Fb`, can no longer be told
    from two segments. Here each segment is decoded alone and then `%` and `/` in it are encoded again, so
    that the address patterns see one segment; the `segment` path converter decodes it.
    """

    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        raw = scope.get("raw_path")
        if scope["type"] == "http" and raw and b"%" in raw:
            scope = {**scope, "path": keep_segments(raw.split(b"?", 1)[0].decode("ascii", "replace"))}
        await self.app(scope, receive, send)


def keep_segments(raw_path: str) -> str:
    """Decode each segment of a percent-encoded path, leaving only `%25` and `%2F` encoded."""
    return "/".join(
        unquote(segment, errors="replace").replace("%", "%25").replace("/", "%2F")
        for segment in raw_path.split("/")
    )


class BodyLimit:
    """Refuse a body over the limit before anything parses it, and give each body a stated length.

    A request without Content-Length (chunked) is read here, up to the limit, since WSGI knows no such body.
    """

    def __init__(self, app: App, *, limit: int) -> None:
        self.app = app
        self.limit = limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD", "OPTIONS"):
            await self.app(scope, receive, send)
            return
        stated = dict(scope["headers"]).get(b"content-length")
        if stated is not None:
            if not stated.isdigit() or int(stated) > self.limit:
                await _refuse(send, self.limit)
                return
            await self.app(scope, receive, send)
            return
        body = await self._read(receive)
        if body is None:
            await _refuse(send, self.limit)
            return
        headers = [*scope["headers"], (b"content-length", str(len(body)).encode())]
        await self.app({**scope, "headers": headers}, _replay(body, receive), send)

    async def _read(self, receive: Receive) -> bytes | None:
        body = bytearray()
        while True:
            message = await receive()
            body += message.get("body", b"")
            if len(body) > self.limit:
                return None
            if not message.get("more_body", False):
                return bytes(body)


def _replay(body: bytes, receive: Receive) -> Receive:
    sent = False

    async def again() -> dict[str, Any]:
        nonlocal sent
        if sent:
            return await receive()
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


async def _refuse(send: Send, limit: int) -> None:
    problem = {
        "type": "about:blank",
        "title": "Body too large",
        "status": 413,
        "detail": f"The limit is {limit} bytes (OFFLOAD_MAX_BODY_MB); send smaller batches.",
        "limit": limit,
    }
    body = json.dumps(problem).encode()
    headers = [
        (b"content-type", b"application/problem+json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": body})
