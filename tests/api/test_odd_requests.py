from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from django.test import Client

from tests.conftest import Api, pair

ODD_TIMES = {
    "NUL between date and time": "2026-01-31\x0012:00:00",
    "surrogate between date and time": "2026-01-31\ud80012:00:00",
    "emoji between date and time": "2026-01-31\U0001f98a12:00:00",
    "more digits than anyone counts": "2026-01-31T12:00:00." + "0" * 300 + "Z",
    "before year 1 in UTC": "0001-01-01T00:00:00+14:00",
    "after year 9999 in UTC": "9999-12-31T23:59:59-14:00",
    "no time": "yesterday",
    "a number": 1769860800,
    "true": True,
    "a list": [],
}
TIMES = [
    "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59.999999Z",
    "2026-01-31T12:00:00.123456789Z",
    "2026-01-31T12:00:00+05:30",
    "2026-01-31 12:00:00",
    "20260131T120000Z",
    "2026-01-31",
]
WALKS = ["sessions", "sessions/s1/entries", "sessions/s1/canvases", "sessions/s1/canvases/1/revisions"]


def token(text: str | bytes) -> str:
    data = text if isinstance(text, bytes) else text.encode()
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


ODD_TOKENS = {
    "not base64": "é",
    "nothing": token("[]"),
    "cut": token("[1"),
    "deeper than any list": token("[" * 9000),
    "true": token("[true]"),
    "a fraction": token("[1.5]"),
    "endless digits": token(f"[{'9' * 4400}]"),
    "bytes": token(b'["\xff", 1]'),
    "before year 1 in UTC": token('["0001-01-01T00:00:00+14:00", 1]'),
    "after year 9999 in UTC": token('["9999-12-31T23:00:00-14:00", 1]'),
    "no zone": token('["2026-01-31T12:00:00", 1]'),
    "NUL": token('["2026-01-31\\u000012:00:00", 1]'),
    "surrogate": token('["\\ud800", 1]'),
}
FAR_TOKENS = [token("[-1]"), token(f"[{'9' * 30}]"), token(f"[{2**63}]")]


@pytest.mark.parametrize("time", ODD_TIMES.values(), ids=ODD_TIMES)
def test_a_time_that_is_none_is_named_as_wrong_and_stores_nothing(alice: Api, time: Any) -> None:
    posted = alice.pairs(pair(timestamp=time), pair("good", timestamp=TIMES[0]))
    assert (posted.status_code, posted.json()["accepted"]) == (202, 1)
    assert "timestamp must be" in posted.json()["errors"][0]["detail"]
    prompt = alice.post("sessions/s1/prompts", {"prompt": "Fix it", "timestamp": time})
    assert prompt.status_code == 422
    assert "timestamp must be" in prompt.json()["detail"]


@pytest.mark.parametrize("time", TIMES)
def test_every_way_to_write_a_time_is_read(alice: Api, owner_client: Client, time: str) -> None:
    assert alice.post("sessions/s1/prompts", {"prompt": "Fix it", "timestamp": time}).status_code == 202
    assert alice.pairs(pair(timestamp=time)).json()["accepted"] == 1
    assert alice.pairs(pair(timestamp=time)).json()["duplicates"] == 1
    alice.process()
    assert alice.get("sessions/s1/entries").json()["items"][0]["timestamp"].endswith("+00:00")
    number = alice.session().pk
    for path in ("timeline/", "canvases/1/", "entries/1/"):
        assert owner_client.get(f"/sessions/{number}/{path}").status_code in (200, 404), path


@pytest.mark.parametrize("path", WALKS)
@pytest.mark.parametrize("after", ODD_TOKENS.values(), ids=ODD_TOKENS)
def test_a_token_of_no_list_is_refused_with_what_to_send(alice: Api, path: str, after: str) -> None:
    alice.pairs(pair())
    alice.process()
    answer = alice.get(path, after=after)
    assert answer.status_code == 422
    assert "after is not a token of this list" in answer.json()["detail"]


@pytest.mark.parametrize("after", FAR_TOKENS)
def test_a_token_beyond_the_list_gives_an_empty_page_or_all(alice: Api, after: str) -> None:
    alice.pairs(pair())
    alice.process()
    assert len(alice.get("sessions/s1/entries", after=after).json()["items"]) in (0, 1)
    assert alice.get("deref", session_id="s1", tool_call_id="c1", after=after).status_code in (200, 404)
    assert alice.get("sessions/s1/canvases/1/revisions", after=after).status_code == 200


@pytest.mark.parametrize("text", ["\x00", "a\x00b", "\U0001f98a", "x" * 20_000, "%", "'; --", "\n"])
@pytest.mark.parametrize("name", ["node_id", "ref_id", "tool_call_id", "result_ref"])
def test_a_name_nothing_has_is_not_found_whatever_is_in_it(alice: Api, name: str, text: str) -> None:
    alice.pairs(pair())
    assert alice.get("deref", session_id="s1", **{name: text}).status_code == 404
    assert alice.get("deref", session_id=text, **{name: "x"}).status_code == 404


@pytest.mark.parametrize("path", ["refs/{}/raw", "sessions/{}", "sessions/{}/canvases/1"])
@pytest.mark.parametrize("text", ["%00", "a%00b", "%F0%9F%A6%8A", "x" * 5000, "%25", "%0A"])
def test_an_address_nothing_has_is_not_found_whatever_is_in_it(alice: Api, path: str, text: str) -> None:
    assert alice.client.get(f"/api/v1/{path.format(text)}").status_code == 404


@pytest.mark.parametrize("text", ["%00", "a%00b", "%F0%9F%A6%8A", "x" * 5000, "%25", "%0A", "%ED%A0%80"])
def test_nothing_is_deleted_under_a_ref_id_nothing_has(alice: Api, text: str) -> None:
    assert alice.client.delete(f"/api/v1/refs/{text}").status_code == 404


@pytest.mark.parametrize("text", ["%00", "a%00b", "%F0%9F%A6%8A", "x" * 5000, "%25", "%0A"])
def test_a_page_nothing_has_is_not_found_whatever_is_in_its_address(
    alice: Api, owner_client: Client, text: str
) -> None:
    ref = alice.pairs(pair()).json()["refs"][0]["ref_id"]
    for path in (f"refs/{text}/", f"refs/{text}/raw", f"refs/{ref}/raw?sha256={text}", f"sessions/{text}/"):
        assert owner_client.get(f"/{path}").status_code == 404, path
    assert owner_client.get(f"/login/{text}/").status_code == 410
    assert owner_client.get(f"/sessions/{alice.session().pk}/timeline/?after={text}").status_code == 400


@pytest.mark.parametrize("number", ["9" * 30, "9" * 5000, str(2**31), str(2**63), "0", "-1"])
def test_a_number_beyond_all_columns_is_not_found(alice: Api, owner_client: Client, number: str) -> None:
    alice.pairs(pair())
    alice.process()
    pk = alice.session().pk
    assert alice.get(f"sessions/s1/canvases/{number}").status_code == 404
    assert alice.get(f"sessions/s1/canvases/1?rev={number}").status_code in (404, 422)
    for path in (f"{number}/", f"{pk}/canvases/{number}/", f"{pk}/entries/{number}/"):
        assert owner_client.get(f"/sessions/{path}").status_code == 404, path


def test_the_lists_of_pages_refuse_the_same_tokens(alice: Api, owner_client: Client) -> None:
    alice.pairs(pair())
    alice.process()
    for after in ODD_TOKENS.values():
        for path in ("", f"{alice.session().pk}/timeline/"):
            assert owner_client.get(f"/sessions/{path}", {"after": after}).status_code == 400, (path, after)


@pytest.mark.parametrize(
    "path", ["sessions", "sessions/s1", "sessions/s1/offload.jsonl", "refs/{}/raw", "health"]
)
def test_head_gives_what_get_would_without_the_body(alice: Api, path: str) -> None:
    ref = alice.pairs(pair("some text")).json()["refs"][0]["ref_id"]
    address = f"/api/v1/{path.format(ref)}"
    get, head = alice.client.get(address), alice.client.head(address)
    assert (head.status_code, head["Content-Type"]) == (get.status_code, get["Content-Type"])
    assert head.get("ETag") == get.get("ETag")
    assert head.getvalue() == b""
    assert alice.client.head("/api/v1/sessions/s1/tool-pairs").status_code == 405


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_a_stream_is_only_there_to_be_read(alice: Api, method: str) -> None:
    alice.pairs(pair())
    answer = alice.client.generic(method, "/api/v1/sessions/s1/events")
    assert answer.status_code == 405
    assert answer["Allow"] == "GET, HEAD"
    assert answer["Content-Type"] == "application/problem+json"
    head = alice.client.head("/api/v1/sessions/s1/events")
    assert (head.status_code, head["Content-Type"]) == (200, "text/event-stream")
    assert not head.streaming


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("last", ["9" * 5000, "-1", "x", "²", "1.5", ""])
def test_any_last_event_id_begins_a_stream(alice: Api, owner_client: Client, last: str) -> None:
    alice.pairs(pair())
    for client, path in (
        (alice.client, "/api/v1/sessions/s1/events"),
        (owner_client, f"/sessions/{alice.session().pk}/events"),
    ):
        answer = client.get(path, {"last_event_id": last})
        assert answer.status_code == 200
        assert answer.streaming


def test_a_host_name_that_is_not_known_is_named_with_the_setting(alice: Api) -> None:
    answer = alice.client.get("/api/v1/sessions", headers={"host": "box.example:8000"})
    assert answer.status_code == 400
    assert "OFFLOAD_ALLOWED_HOSTS" in answer.json()["detail"]


def test_an_error_answer_keeps_the_headers_that_guard_it(alice: Api) -> None:
    missing = alice.client.get("/api/v1/nothing-here")
    assert missing.json()["status"] == 404
    assert missing["X-Content-Type-Options"] == "nosniff"


def test_a_body_of_another_form_is_refused_with_what_is_wrong(alice: Api) -> None:
    bodies: dict[str, bytes] = {
        "nothing": b"",
        "cut": b'{"tool_pairs": [{"tool_name": "Bash", "resu',
        "two": b'{"tool_pairs": []} {}',
        "UTF-16": json.dumps({"tool_pairs": []}).encode("utf-16"),
        "zipped": b"\x1f\x8b\x08\x00",
        "deep": b'{"tool_pairs": ' + b"[" * 200_000,
        "form": b"tool_pairs=1",
        "a number": b"1",
        "NaN": b'{"tool_pairs": [{"tool_name": "a", "result": NaN}]}',
    }
    for name, body in bodies.items():
        for path in ("sessions/s1/tool-pairs", "sessions/s1/prompts"):
            answer = alice.client.post(f"/api/v1/{path}", body, content_type="text/plain")
            assert answer.status_code in (400, 422), (name, path)
            assert answer.json()["detail"]
