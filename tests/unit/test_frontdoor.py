from __future__ import annotations

import asyncio
import json
from typing import Any
from urllib.parse import quote, unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from canvases.converters import SegmentConverter
from offload_site.frontdoor import BodyLimit, keep_segments

Message = dict[str, Any]


@given(st.text(min_size=1, max_size=50).filter(lambda text: text.isprintable()))
def test_any_id_survives_as_one_segment_of_an_address(text: str) -> None:
    path = keep_segments(f"/api/{quote(text, safe='')}/end")
    segments = path.split("/")
    assert len(segments) == 4
    assert SegmentConverter().to_python(segments[2]) == text
    assert unquote(SegmentConverter().to_url(text)) == text


@pytest.mark.parametrize(
    ("raw", "kept"),
    [
        ("/a/b", "/a/b"),
        ("/a%2Fb/c", "/a%2Fb/c"),
        ("/a%252Fb/c", "/a%252Fb/c"),
        ("/%C3%A9", "/é"),
        ("/%2E%2E/x", "/../x"),
        ("/%0A", "/\n"),
    ],
)
def test_only_slashes_and_percent_signs_stay_encoded(raw: str, kept: str) -> None:
    assert keep_segments(raw) == kept


def send_through(
    chunks: list[bytes], headers: list[tuple[bytes, bytes]], limit: int
) -> tuple[int, bytes, bytes]:
    """Send a body through the limit; return the status, the answer's body and what the app got."""
    messages = [{"type": "http.request", "body": part, "more_body": True} for part in chunks]
    messages.append({"type": "http.request", "body": b"", "more_body": False})
    got = bytearray()
    sent: list[Message] = []

    async def app(scope: Message, receive: Any, send: Any) -> None:
        more = True
        while more:
            message = await receive()
            got.extend(message.get("body", b""))
            more = message.get("more_body", False)
        length = dict(scope["headers"])[b"content-length"]
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": length})

    async def receive() -> Message:
        return messages.pop(0)

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "headers": headers}
    asyncio.run(BodyLimit(app, limit=limit)(scope, receive, send))
    return sent[0]["status"], sent[1]["body"], bytes(got)


def test_a_body_without_a_stated_length_gets_one() -> None:
    assert send_through([b"ab", b"cde"], [], limit=10) == (200, b"5", b"abcde")


@pytest.mark.parametrize("headers", [[], [(b"content-length", b"11")], [(b"content-length", b"-1")]])
def test_a_body_over_the_limit_never_reaches_the_app(headers: list[tuple[bytes, bytes]]) -> None:
    status, body, got = send_through([b"x" * 11], headers, limit=10)
    assert (status, got) == (413, b"")
    assert json.loads(body)["limit"] == 10
