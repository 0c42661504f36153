from __future__ import annotations

import asyncio
import json
from typing import Any
from urllib.parse import quote, unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from canvases.converters import SegmentConverter
from offload_site.frontdoor import WholeBodies, keep_segments

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
        ("/a%FFb/%EF%BF%BD", "/a%FFb/\ufffd"),
        ("/%ED%A0%80/%f0%9f", "/%ED%A0%80/%F0%9F"),
        ("/\udce9", "/%E9"),
    ],
)
def test_only_slashes_and_percent_signs_stay_encoded(raw: str, kept: str) -> None:
    assert keep_segments(raw) == kept


@given(st.text(st.characters(categories=["Cs", "L", "P"]), min_size=1, max_size=20))
def test_an_id_with_half_characters_survives_too(text: str) -> None:
    segment = quote(text, safe="", errors="surrogatepass")
    assert SegmentConverter().to_python(keep_segments(segment)) == text
    assert SegmentConverter().to_url(text) == segment


@given(st.binary(min_size=1, max_size=8), st.binary(min_size=1, max_size=8))
def test_two_addresses_never_meet_in_one_id(one: bytes, other: bytes) -> None:
    read = set()
    for address in {one, other}:
        try:
            read.add(SegmentConverter().to_python(keep_segments(quote(address, safe=""))))
        except UnicodeDecodeError:
            read.add(repr(address))
    assert len(read) == len({one, other})


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
    asyncio.run(WholeBodies(app, limit=limit)(scope, receive, send))
    return sent[0]["status"], sent[1]["body"], bytes(got)


def test_a_body_without_a_stated_length_gets_one() -> None:
    assert send_through([b"ab", b"cde"], [], limit=10) == (200, b"5", b"abcde")


@pytest.mark.parametrize("headers", [[], [(b"content-length", b"11")], [(b"content-length", b"-1")]])
def test_a_body_over_the_limit_never_reaches_the_app(headers: list[tuple[bytes, bytes]]) -> None:
    status, body, got = send_through([b"x" * 11], headers, limit=10)
    assert (status, got) == (413, b"")
    assert json.loads(body)["limit"] == 10


async def silent() -> Message:
    await asyncio.sleep(60)
    return {"type": "http.disconnect"}


def stopped(first: list[Message], then: Any, **options: Any) -> tuple[list[Message], int, WholeBodies]:
    """Send a body that does not end; return what was answered, how often the app was asked, and the door."""
    asked = 0
    sent: list[Message] = []

    async def app(scope: Message, receive: Any, send: Any) -> None:
        nonlocal asked
        asked += 1

    async def receive() -> Message:
        return first.pop(0) if first else await then()

    async def send(message: Message) -> None:
        sent.append(message)

    door = WholeBodies(app, limit=100, **options)
    asyncio.run(door({"type": "http", "method": "POST", "headers": []}, receive, send))
    return sent, asked, door


def part(text: bytes, more: bool = True) -> Message:
    return {"type": "http.request", "body": text, "more_body": more}


def test_a_body_that_stops_coming_is_given_up_and_never_reaches_the_app() -> None:
    sent, asked, door = stopped([part(b"{")], silent, silence=0.01)
    assert (sent[0]["status"], asked, door.held) == (408, 0, 0)
    assert (b"connection", b"close") in sent[0]["headers"]
    assert json.loads(sent[1]["body"])["request_id"]


def test_a_body_whose_client_is_gone_is_dropped_even_when_it_reads_as_whole() -> None:
    async def gone() -> Message:
        return {"type": "http.disconnect"}

    assert stopped([part(b'{"tool_pairs": []}')], gone)[:2] == ([], 0)


def test_bodies_are_refused_for_a_while_when_too_much_is_held_of_all() -> None:
    sent, asked, door = stopped([part(b"x" * 60), part(b"", more=False)], silent, held=10)
    assert (sent, asked, door.held) == ([], 1, 0)
    door.held = 190
    answers: list[Message] = []

    async def receive() -> Message:
        return part(b"x" * 60)

    async def send(message: Message) -> None:
        answers.append(message)

    asyncio.run(door({"type": "http", "method": "POST", "headers": []}, receive, send))
    assert (answers[0]["status"], door.held) == (503, 190)
