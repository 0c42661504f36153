from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

import pytest

from canvases.models import OffloadedBlob, OffloadEntry, ToolPair
from canvases.selectors.contents import blob_content
from tests.conftest import Api, pair

ODD_IDS = [
    "",
    "x" * 1500,
    "a/b",
    "../../etc/passwd",
    'say "hi"',
    "two\nlines",
    "🦊" * 50,
    "\x00nul",
    "\ud800",
]


def stored(row: ToolPair) -> bytes:
    return blob_content(row.blob)


def test_a_pair_is_stored_and_answered_with_its_ref(alice: Api) -> None:
    answer = alice.pairs(pair("hello world"))
    assert answer.status_code == 202
    body = answer.json()
    assert (body["accepted"], body["duplicates"], body["errors"]) == (1, 0, [])
    assert body["refs"] == [
        {
            "index": 0,
            "seq": 1,
            "tool_call_id": "c1",
            "ref_id": "ofl_XFGSPOMTJU7AQ",
            "result_ref": "refs/000001-ofl_XFGSPOMTJU7AQ.md",
            "content_sha256": hashlib.sha256(b"hello world").hexdigest(),
            "size_bytes": 11,
            "tokens": 2,
            "duplicate": False,
        }
    ]
    assert stored(ToolPair.objects.get()) == b"hello world"


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ('"text"', b"text"),
        ('""', b""),
        ('"nul \\u0000 here"', b"nul \x00 here"),
        ('"lone \\ud800"', b"lone \xed\xa0\x80"),
        ('"\\ud83e\\udd8a"', "🦊".encode()),
        ('"crlf\\r\\n"', b"crlf\r\n"),
        ('{"b": 1.0,  "a": [1e3]}', b'{"b": 1.0,  "a": [1e3]}'),
        ("[ ]", b"[ ]"),
        ("null", b"null"),
        ("0.10", b"0.10"),
        ("true", b"true"),
        ('[{"type": "text", "text": "世界"}]', '[{"type": "text", "text": "世界"}]'.encode()),
        ("1" * 5000, b"1" * 5000),
    ],
)
def test_any_content_is_kept_byte_for_byte(alice: Api, written: str, expected: bytes) -> None:
    body = '{"tool_pairs": [{"tool_name": "T", "result": %s }]}' % written
    answer = alice.post("sessions/s1/tool-pairs", body)
    assert answer.status_code == 202
    assert stored(ToolPair.objects.get()) == expected
    assert answer.json()["refs"][0]["content_sha256"] == hashlib.sha256(expected).hexdigest()
    alice.process()
    assert OffloadEntry.objects.count() == 1


def test_images_and_binary_blocks_are_kept_and_summarised(alice: Api) -> None:
    data = base64.b64encode(bytes(range(256)) * 40).decode()
    source = {"type": "base64", "media_type": "image/png", "data": data}
    answer = alice.pairs(pair([{"type": "image", "source": source}, {"type": "text", "text": "a plot"}]))
    assert answer.status_code == 202
    alice.process()
    assert json.loads(stored(ToolPair.objects.get()))[0]["source"]["data"] == data
    assert data[:40] not in OffloadEntry.objects.get().summary


def test_one_bad_pair_is_reported_and_the_others_are_kept(alice: Api) -> None:
    answer = alice.pairs(pair("a"), {"tool_name": 7, "result": "x"}, {"tool_name": "T"}, pair("b"))
    assert answer.status_code == 202
    body = answer.json()
    assert [ref["index"] for ref in body["refs"]] == [0, 3]
    assert [(error["index"], "must be a string" in error["detail"]) for error in body["errors"]] == [
        (1, True),
        (2, False),
    ]
    assert "result is missing" in body["errors"][1]["detail"]


def test_a_batch_without_a_good_pair_is_refused_with_each_reason(alice: Api) -> None:
    answer = alice.pairs({"tool_name": "T"}, {"result": "x"})
    assert answer.status_code == 422
    assert answer["Content-Type"] == "application/problem+json"
    assert [error["index"] for error in answer.json()["errors"]] == [0, 1]
    assert ToolPair.objects.count() == 0


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ("", 400, "not JSON"),
        ("{", 400, "not JSON"),
        ('{"tool_pairs": [NaN]}', 400, "NaN"),
        (b"\xff\xfe", 400, "not UTF-8"),
        ("[" * 100_000, 400, "not JSON"),
        ("[]", 422, "JSON object"),
        ("{}", 422, "tool_pairs is missing"),
        ('{"tool_pairs": []}', 422, "empty"),
        ('{"tool_pairs": {}}', 422, "not a list"),
        ('{"tool_pairs": [{"tool_name": "T", "result": 1}], "context_window": 0}', 422, "context_window"),
        ('{"tool_pairs": [{"tool_name": "T", "result": 1}], "recent_messages": [1]}', 422, "recent_messages"),
    ],
)
def test_a_bad_body_gets_an_error_that_says_what_to_do(
    alice: Api, body: Any, status: int, words: str
) -> None:
    answer = alice.post("sessions/s1/tool-pairs", body)
    assert answer.status_code == status
    assert answer["Content-Type"] == "application/problem+json"
    problem = answer.json()
    assert words in problem["detail"]
    assert {"type", "title", "status", "detail", "request_id"} <= set(problem)


def test_more_than_200_pairs_are_refused_and_200_are_kept(alice: Api) -> None:
    many = [pair(f"r{n}") for n in range(201)]
    assert alice.pairs(*many).status_code == 422
    assert alice.pairs(*many[:200]).json()["accepted"] == 200


def test_a_result_over_the_limit_is_reported_with_the_limit(alice: Api, settings: Any) -> None:
    settings.OFFLOAD_MAX_RESULT_BYTES = 100
    body = alice.pairs(pair("x" * 101), pair("x" * 100)).json()
    assert body["accepted"] == 1
    assert "the limit is 100" in body["errors"][0]["detail"]


def test_a_body_over_the_limit_is_a_413_with_the_limit(alice: Api, settings: Any) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = settings.OFFLOAD_MAX_BODY_BYTES = 1000
    answer = alice.pairs(pair("x" * 2000))
    assert answer.status_code == 413
    assert answer.json()["limit"] == 1000


def test_posting_a_batch_twice_stores_nothing_new(alice: Api) -> None:
    batch = [pair("a"), pair("b", tool_call_id="c2", timestamp="2026-01-31T12:00:00Z")]
    first = alice.pairs(*batch).json()
    again = alice.pairs(*batch).json()
    assert (again["accepted"], again["duplicates"]) == (0, 2)
    assert [ref["ref_id"] for ref in again["refs"]] == [ref["ref_id"] for ref in first["refs"]]
    assert (ToolPair.objects.count(), OffloadedBlob.objects.count()) == (2, 2)
    assert alice.session().pair_count == 2


def test_params_written_in_another_order_are_the_same_pair(alice: Api) -> None:
    alice.post(
        "sessions/s1/tool-pairs", '{"tool_pairs":[{"tool_name":"T","params":{"a":1,"b":2},"result":""}]}'
    )
    again = alice.post(
        "sessions/s1/tool-pairs", '{"tool_pairs":[{"tool_name":"T","params":{"b":2,  "a":1},"result":""}]}'
    )
    assert again.json()["duplicates"] == 1


@pytest.mark.parametrize(
    "change",
    [
        {"result": "other"},
        {"tool_name": "Read"},
        {"params": {}},
        {"timestamp": "2026-01-31T12:00:00Z"},
        {"tool_call_id": "c_1"},
        {"is_error": True},
    ],
)
def test_a_pair_that_differs_in_one_field_is_a_new_pair(alice: Api, change: dict[str, Any]) -> None:
    alice.pairs(pair("a"))
    assert alice.pairs(pair(**{"result": "a", **change})).json()["accepted"] == 1


def test_a_repeated_tool_call_id_keeps_every_result(alice: Api) -> None:
    alice.pairs(*[pair(f"result {n}", tool_call_id="call_0") for n in range(4)])
    found = alice.get("deref", session_id="s1", tool_call_id="call_0").json()["items"]
    assert [item["content"] for item in found] == [f"result {n}" for n in range(4)]


def test_results_without_an_id_of_their_own_are_kept_apart(alice: Api) -> None:
    unnamed = pair("none given")
    del unnamed["tool_call_id"]
    posted = [
        unnamed,
        pair("empty", tool_call_id=""),
        pair("null", tool_call_id=None),
        pair("empty again", tool_call_id=""),
    ]
    refs = alice.pairs(*posted).json()["refs"]
    assert [ref["duplicate"] for ref in refs] == [False] * 4
    assert len({ref["ref_id"] for ref in refs}) == len({ref["result_ref"] for ref in refs}) == 4
    for ref, one in zip(refs, posted, strict=True):
        found = alice.get("deref", session_id="s1", result_ref=ref["result_ref"]).json()["items"]
        assert [item["content"] for item in found] == [one["result"]]
    together = alice.get("deref", session_id="s1", tool_call_id="").json()["items"]
    assert [item["content"] for item in together] == [one["result"] for one in posted]
    alice.process()
    assert OffloadEntry.objects.count() == 4


def test_a_server_that_numbers_its_calls_anew_each_turn_loses_none(alice: Api) -> None:
    for turn in range(3):
        alice.prompt(f"Turn {turn} of the work on the parser")
        alice.pairs(*[pair(f"turn {turn}, call {n}", tool_call_id=f"call_{n}") for n in range(3)])
        alice.process()
    for n in range(3):
        found = alice.get("deref", session_id="s1", tool_call_id=f"call_{n}").json()["items"]
        assert [item["content"] for item in found] == [f"turn {turn}, call {n}" for turn in range(3)]


@pytest.mark.parametrize("call_id", ODD_IDS)
def test_any_tool_call_id_works(alice: Api, call_id: str) -> None:
    answer = alice.pairs(pair("mine", tool_call_id=call_id), pair("other", tool_call_id="plain"))
    assert answer.json()["refs"][0]["tool_call_id"] == call_id
    alice.process()
    assert ToolPair.objects.get(seq=1).tool_call_id == call_id
    if call_id.isprintable():
        found = alice.get("deref", session_id="s1", tool_call_id=call_id).json()["items"]
        assert [item["content"] for item in found] == ["mine"]


def test_a_failed_call_without_a_result_keeps_its_error(alice: Api) -> None:
    alice.pairs({"tool_name": "Bash", "params": {"command": "x"}, "error": "command not found: x"})
    alice.process()
    row = ToolPair.objects.get()
    assert stored(row) == b"command not found: x"
    assert row.is_error is True
    assert "command not found" in row.entry.summary


@pytest.mark.parametrize("when", ["yesterday", 5, {}, "2026-13-01"])
def test_a_timestamp_that_is_none_is_refused(alice: Api, when: Any) -> None:
    answer = alice.pairs(pair("a", timestamp=when))
    assert answer.status_code == 422
    assert "ISO 8601" in answer.json()["errors"][0]["detail"]


def test_an_idempotency_key_makes_a_request_safe_to_repeat(alice: Api) -> None:
    first = alice.prompt("continue", **{"Idempotency-Key": "k1"})
    again = alice.prompt("continue", **{"Idempotency-Key": "k1"})
    other = alice.prompt("continue", **{"Idempotency-Key": "k2"})
    assert first.json() == again.json() != other.json()


def test_an_idempotency_key_of_another_request_is_refused(alice: Api) -> None:
    alice.prompt("one", **{"Idempotency-Key": "k1"})
    answer = alice.prompt("two", **{"Idempotency-Key": "k1"})
    assert answer.status_code == 409
    assert "use a new one" in answer.json()["detail"]


def test_the_same_content_is_stored_once_per_agent(alice: Api, charlie: Api) -> None:
    alice.pairs(pair("same", tool_call_id="a"), pair("same", tool_call_id="b"))
    alice.pairs(pair("same"), session="s2")
    charlie.pairs(pair("same"))
    assert OffloadedBlob.objects.count() == 2


def test_two_contents_with_one_ref_id_both_stay_readable(alice: Api) -> None:
    one, two = "offload collision probe 4b15f00d2bf6c0d8", "offload collision probe 08c7a835b456a701"
    refs = alice.pairs(pair(one), pair(two)).json()["refs"]
    assert refs[0]["ref_id"] == refs[1]["ref_id"] == "ofl_E2NYKI6OFGRUU"
    found = alice.get("deref", ref_id="ofl_E2NYKI6OFGRUU").json()["items"]
    assert {item["content"] for item in found} == {one, two}
    ambiguous = alice.get("refs/ofl_E2NYKI6OFGRUU/raw")
    assert ambiguous.status_code == 409
    assert len(ambiguous.json()["sha256"]) == 2
    for text in (one, two):
        sha256 = hashlib.sha256(text.encode()).hexdigest()
        assert alice.get("refs/ofl_E2NYKI6OFGRUU/raw", sha256=sha256).content == text.encode()
