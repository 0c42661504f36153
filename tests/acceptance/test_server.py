from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from tests.stack import Stack, wait_for

THREADS = 8
ODD_SESSIONS = [
    "a/b",
    "..",
    "%2F",
    "two\nlines",
    'say "hi"',
    "🦊",
    "x" * 1500,
    "a?b#c",
    "events",
    " ",
    "世界",
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    started = Stack(Path(tmp_path_factory.mktemp("server")) / "home")
    started.start()
    yield started
    started.stop()


def pairs(*results: Any) -> dict[str, Any]:
    return {"tool_pairs": [{"tool_name": "T", "result": result} for result in results]}


def events(
    server: Stack, session: str, count: int, *, after: int | None = None, **headers: str
) -> list[dict[str, Any]]:
    """Read `count` events of a session's stream."""
    found: list[dict[str, Any]] = []
    auth = {"authorization": f"Bearer {server.key}"}
    url = server.url(f"/api/v1/sessions/{session}/events")
    query = {"last_event_id": after} if after is not None else {}
    with httpx.stream("GET", url, params=query, headers={**auth, **headers}, timeout=20) as stream:
        assert stream.headers["content-type"] == "text/event-stream"
        fields: dict[str, Any] = {}
        for line in stream.iter_lines():
            name, _, value = line.partition(": ")
            if line:
                fields[name] = value
            elif "id" in fields:
                found.append(fields)
                fields = {}
                if len(found) == count:
                    break
    return found


@pytest.mark.parametrize("session", ODD_SESSIONS, ids=range(len(ODD_SESSIONS)))
def test_any_session_id_works_as_one_segment_of_the_address(server: Stack, session: str) -> None:
    path = f"/api/v1/sessions/{quote(session, safe='').replace('.', '%2E')}"
    url = httpx.URL(server.url("/")).copy_with(raw_path=path.encode())
    post = url.copy_with(raw_path=f"{path}/tool-pairs".encode())
    auth = {"authorization": f"Bearer {server.key}"}
    answer = httpx.post(post, json=pairs(f"of {session}"), headers=auth, timeout=30)
    assert answer.status_code == 202
    assert httpx.get(url, headers=auth).json()["session_id"] == session


def test_bytes_that_are_no_text_meet_no_session_and_half_characters_their_own(server: Stack) -> None:
    def ask(method: str, path: str, **more: Any) -> httpx.Response:
        url = httpx.URL(server.url("/")).copy_with(raw_path=f"/api/v1/{path}".encode())
        auth = {"authorization": f"Bearer {server.key}"}
        return httpx.request(method, url, headers=auth, timeout=30, **more)

    for segment, session in (("%EF%BF%BD", "\ufffd"), ("%ED%A0%80", "\ud800")):
        assert ask("POST", f"sessions/{segment}/tool-pairs", json=pairs(segment)).status_code == 202
        assert ask("GET", f"sessions/{segment}").json()["session_id"] == session
        found = ask("GET", f"deref?session_id={segment}&tool_call_id=").json()["items"]
        assert [item["content"] for item in found] == [segment]
    for segment in ("%FF", "%C3", "%ED%A0", "a%80"):
        assert ask("GET", f"sessions/{segment}").status_code == 404
        assert ask("POST", f"sessions/{segment}/tool-pairs", json=pairs(1)).status_code == 404
        assert ask("GET", f"deref?session_id={segment}&tool_call_id=").status_code == 400


def test_a_body_over_the_limit_is_refused_before_it_is_read(server: Stack) -> None:
    def endless() -> Iterator[bytes]:
        for _ in range(40):
            yield b" " * 2**20

    url = server.url("/api/v1/sessions/s1/tool-pairs")
    auth = {"authorization": f"Bearer {server.key}"}
    stated = httpx.post(url, content=b" " * (33 * 2**20), headers=auth, timeout=30)
    assert (stated.status_code, stated.json()["limit"]) == (413, 32 * 2**20)
    chunked = httpx.post(url, content=endless(), headers=auth, timeout=30)
    assert chunked.status_code == 413


def test_a_body_sent_in_chunks_is_read_whole(server: Stack) -> None:
    body = json.dumps(pairs("in chunks " * 1000)).encode()
    parts = (body[at : at + 1000] for at in range(0, len(body), 1000))
    headers = {"authorization": f"Bearer {server.key}", "content-type": "application/json"}
    answer = httpx.post(server.url("/api/v1/sessions/chunks/tool-pairs"), content=parts, headers=headers)
    assert answer.json()["accepted"] == 1


def test_a_body_of_five_megabytes_is_no_trouble(server: Stack) -> None:
    text = "line of a large log 世界\n" * 200_000
    ref = server.post("sessions/large/tool-pairs", pairs(text)).json()["refs"][0]
    assert server.get(f"refs/{ref['ref_id']}/raw").text == text


def test_a_stream_tells_each_version_once_and_resumes_after_the_last_one_heard(server: Stack) -> None:
    server.post("sessions/live/tool-pairs", pairs(1))
    wait_for(lambda: server.settled("live"), "the first pair", server.output)
    now = server.get("sessions/live").json()["version"]
    poster = threading.Timer(0.5, lambda: server.post("sessions/live/tool-pairs", pairs(2, 3)))
    poster.start()
    heard = events(server, "live", 3)
    assert [int(event["id"]) for event in heard] == [now, now + 1, now + 2]
    assert json.loads(heard[0]["data"]) == {"version": now}
    again = events(server, "live", 2, **{"Last-Event-ID": str(now)})
    assert [int(event["id"]) for event in again] == [now + 1, now + 2]
    asked = events(server, "live", 2, after=now)
    assert [int(event["id"]) for event in asked] == [now + 1, now + 2]
    poster.join()


def test_a_stream_goes_on_where_it_was_after_a_restart(stack: Stack) -> None:
    stack.post("sessions/long/tool-pairs", pairs(1))
    wait_for(lambda: stack.settled("long"), "the first pair", stack.output)
    heard = int(events(stack, "long", 1)[0]["id"])
    stack.stop()
    stack.start()
    stack.post("sessions/long/tool-pairs", pairs(2))
    wait_for(lambda: stack.settled("long"), "the second pair", stack.output)
    now = stack.get("sessions/long").json()["version"]
    assert now > heard
    missed = events(stack, "long", now - heard, **{"Last-Event-ID": str(heard)})
    assert [int(event["id"]) for event in missed] == list(range(heard + 1, now + 1))


def test_a_change_is_heard_within_a_second(server: Stack) -> None:
    server.post("sessions/quick/tool-pairs", pairs(1))
    wait_for(lambda: server.settled("quick"), "the first pair", server.output)
    started = threading.Event()
    times: dict[str, float] = {}

    def post() -> None:
        started.wait()
        time.sleep(0.3)
        times["posted"] = time.monotonic()
        server.post("sessions/quick/tool-pairs", pairs(2))

    thread = threading.Thread(target=post)
    thread.start()
    started.set()
    events(server, "quick", 2)
    assert time.monotonic() - times["posted"] < 1.5
    thread.join()


def test_a_stream_needs_a_key_and_a_session_of_its_own(server: Stack) -> None:
    url = server.url("/api/v1/sessions/demo/events")
    assert httpx.get(url).status_code == 401
    other = server.manage("create_api_key", "--agent", "other")
    answer = httpx.get(url, headers={"authorization": f"Bearer {other}"})
    assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json")


def test_sixty_open_streams_hold_up_neither_posting_nor_each_other(server: Stack) -> None:
    server.post("sessions/many/tool-pairs", pairs(0))
    auth = {"authorization": f"Bearer {server.key}"}
    limits = httpx.Limits(max_connections=100)
    with ExitStack() as open_streams, httpx.Client(headers=auth, limits=limits, timeout=20) as client:
        for _ in range(60):
            open_streams.enter_context(client.stream("GET", server.url("/api/v1/sessions/many/events")))
        answer = server.post("sessions/many/tool-pairs", pairs(1))
        assert answer.status_code == 202
        assert server.get("health").status_code == 200
        (web,) = server.parts("uvicorn")
        assert len(web.net_connections()) > 60
        held = [file for file in web.open_files() if file.path.endswith(".sqlite3")]
        assert 0 < len(held) <= THREADS + 1, "each thread has a connection, and all streams together one"
    wait_for(lambda: server.settled("many"), "the work to be done", server.output)
    wait_for(lambda: len(web.net_connections()) < 20, "the streams to be closed", server.output)
