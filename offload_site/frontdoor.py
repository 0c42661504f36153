"""What is settled before Django sees a request: its body, whole and not too large, and its path's segments."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import quote, unquote

from canvases.problems import Problem, problem_send

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
_STILL_ENCODED = re.compile("[%/\udc80-\udcff]")


class KeepSegments:
    """Keep a `/` or `%` inside a path segment apart from those between segments.

    Servers decode the whole path, after which an id such as `a/b`, sent as `a%2Fb`, can no longer be told
    from two segments. Here each segment is decoded alone and then `%` and `/` in it are encoded again, so
    that the address patterns see one segment; the `segment` path converter decodes it. Bytes that are no UTF-8
    stay encoded too, so that two ids never meet in one replacement character.
    """

    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        raw = scope.get("raw_path")
        if scope["type"] == "http" and raw and b"%" in raw:
            scope = {**scope, "path": keep_segments(raw.split(b"?", 1)[0].decode("ascii", "surrogateescape"))}
        await self.app(scope, receive, send)


def keep_segments(raw_path: str) -> str:
    """Decode each segment of a percent-encoded path, leaving `%25`, `%2F` and what is no UTF-8 encoded."""
    return "/".join(
        _STILL_ENCODED.sub(_encoded, unquote(segment, errors="surrogateescape"))
        for segment in raw_path.split("/")
    )


def _encoded(found: re.Match[str]) -> str:
    return quote(found[0], safe="", errors="surrogateescape")


class WholeBodies:
    """Read each body before the app sees the request, and refuse one over the limit.

    The app runs on a few threads; a client that sends slowly, or half and then nothing, would hold one. Here
    it holds only what it has sent. A body that stops for `silence` seconds is given up, one whose client is
    gone is dropped, and no more than `held` bytes are kept of all bodies together. `limits` are those of requests
    that have one of their own, by method and path.
    """

    def __init__(
        self,
        app: App,
        *,
        limit: int,
        limits: Mapping[tuple[str, str], int] | None = None,
        silence: float = 30.0,
        held: int = 2**29,
    ) -> None:
        self.app = app
        self.limit = limit
        self.limits = limits or {}
        self.silence = silence
        self.most_held = max(held, 2 * max([limit, *self.limits.values()]))
        self.held = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD", "OPTIONS"):
            await self.app(scope, receive, send)
            return
        body = bytearray()
        try:
            await self._read(scope, receive, body)
            given = [pair for pair in scope["headers"] if pair[0] != b"content-length"]
            stated = (b"content-length", str(len(body)).encode())
            await self.app({**scope, "headers": [*given, stated]}, self._replay(body, receive), send)
        except _Refused as refusal:
            await problem_send(send, refusal.problem, {"connection": "close"})
        except _Gone:
            return
        finally:
            self._drop(body)

    async def _read(self, scope: Scope, receive: Receive, body: bytearray) -> None:
        limit, refusal = self._limit(scope)
        stated = dict(scope["headers"]).get(b"content-length", b"0")
        if not stated.isdigit() or int(stated) > limit:
            raise refusal
        more = True
        while more:
            try:
                message = await asyncio.wait_for(receive(), self.silence)
            except TimeoutError:
                detail = f"Nothing more of the body came for {self.silence:.0f} s; send it again."
                raise _Refused(408, detail) from None
            if message["type"] == "http.disconnect":
                raise _Gone
            chunk = message.get("body", b"")
            body += chunk
            self.held += len(chunk)
            if len(body) > limit:
                raise refusal
            if self.held > self.most_held:
                raise _Refused(503, "Too much is being sent at once; send this again in a while.")
            more = message.get("more_body", False)

    def _limit(self, scope: Scope) -> tuple[int, _Refused]:
        """Return the most bytes that this request's body may have, and the answer to one that has more."""
        own = self.limits.get((scope["method"], scope.get("path", "")))
        if own is not None:
            return own, _Refused(
                413, f"No content may have more than {own} bytes; store it in parts.", limit=own
            )
        detail = f"The limit is {self.limit} bytes (OFFLOAD_MAX_BODY_MB); send smaller batches."
        return self.limit, _Refused(413, detail, limit=self.limit)

    def _replay(self, body: bytearray, receive: Receive) -> Receive:
        sent = False

        async def again() -> dict[str, Any]:
            nonlocal sent
            if sent:
                return await receive()
            sent = True
            whole = bytes(body)
            self._drop(body)
            return {"type": "http.request", "body": whole, "more_body": False}

        return again

    def _drop(self, body: bytearray) -> None:
        self.held -= len(body)
        body.clear()


class _Gone(Exception):
    """The client is no longer there."""


class _Refused(Exception):
    """The request is answered here; the connection is closed with it."""

    def __init__(self, status: int, detail: str, **extra: int) -> None:
        super().__init__(detail)
        self.problem = Problem(status, detail, **extra)
