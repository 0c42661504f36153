"""Ids in paths and queries, for bytes that are no UTF-8 and for the half characters that JSON can carry."""

from __future__ import annotations

from urllib.parse import quote, unquote

import pytest

from canvases.models import Session
from tests.conftest import Api, pair

HALVES = ["\ud800", "a\udfffb", "😀\ud83d"]
NO_TEXT = ["%ff", "%C3", "a%80b", "%F0%9F%A6", "%C0%AF"]
REPLACED = "\ufffd"


def written(text: str) -> str:
    return quote(text, safe="", errors="surrogatepass")


@pytest.mark.parametrize("address", NO_TEXT)
def test_bytes_that_are_no_text_name_no_session(alice: Api, address: str) -> None:
    met = unquote(address, errors="replace")
    assert alice.pairs(pair("of another"), session=written(met)).status_code == 202
    for path in ("", "/entries", "/offload.jsonl", "/canvases", "/canvases/1"):
        assert alice.get(f"sessions/{address}{path}").status_code == 404, path
    for path in ("tool-pairs", "prompts"):
        assert alice.post(f"sessions/{address}/{path}", {"prompt": "x"}).status_code == 404, path
    assert Session.objects.count() == 1


@pytest.mark.parametrize("value", NO_TEXT)
@pytest.mark.parametrize("name", ["node_id", "ref_id", "tool_call_id", "result_ref", "session_id", "grep"])
def test_a_query_that_is_no_text_is_refused(alice: Api, name: str, value: str) -> None:
    alice.pairs(pair("mine", tool_call_id=REPLACED), session=written(REPLACED))
    answer = alice.client.get(f"/api/v1/deref?{name}={value}")
    assert answer.status_code == 400
    assert answer["Content-Type"] == "application/problem+json"
    assert "not UTF-8" in answer.json()["detail"]


@pytest.mark.parametrize("text", HALVES, ids=ascii)
def test_a_half_character_in_an_id_is_asked_for_by_its_three_bytes(alice: Api, text: str) -> None:
    assert alice.pairs(pair("mine", tool_call_id=text), session=written(text)).status_code == 202
    alice.pairs(pair("other", tool_call_id=REPLACED), session=REPLACED)
    assert alice.client.get(f"/api/v1/sessions/{written(text)}").json()["session_id"] == text
    answer = alice.client.get(f"/api/v1/deref?session_id={written(text)}&tool_call_id={written(text)}")
    assert [item["content"] for item in answer.json()["items"]] == ["mine"]
    assert [item["tool_call_id"] for item in answer.json()["items"]] == [text]
    missing = alice.client.get(f"/api/v1/deref?session_id={written(text)}&tool_call_id=x{written(text)}")
    assert missing.status_code == 404


def test_plain_queries_are_read_as_ever(alice: Api) -> None:
    alice.pairs(pair("one + two\nthree", tool_call_id="a b&c=é"))
    for query in ("tool_call_id=a+b%26c%3D%C3%A9", "tool_call_id=a%20b%26c%3D%c3%a9"):
        answer = alice.client.get(f"/api/v1/deref?session_id=s1&{query}&grep=one+%2B&lines=")
        assert [item["content"] for item in answer.json()["items"]] == ["1:one + two"], query
