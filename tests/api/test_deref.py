from __future__ import annotations

import hashlib
from typing import Any

import pytest

from canvases.models import OffloadedBlob
from pipelines import tokens
from tests.conftest import Api, pair

LOG = "".join(f"line {n}: {'FAILED' if n == 700 else 'ok'} 世界 🦊\n" for n in range(1, 1001))


@pytest.fixture
def ref(alice: Api) -> dict[str, Any]:
    answer = alice.pairs(pair(LOG), pair([{"type": "text", "text": "block one"}], tool_call_id="c2"))
    alice.process()
    return dict(answer.json()["refs"][0])


def test_a_result_is_read_back_by_each_of_its_four_names(alice: Api, ref: dict[str, Any]) -> None:
    node_id = alice.get("sessions/s1/entries").json()["items"][0]["node_id"]
    names = [
        {"ref_id": ref["ref_id"]},
        {"tool_call_id": "c1", "session_id": "s1"},
        {"result_ref": ref["result_ref"], "session_id": "s1"},
        {"node_id": node_id, "session_id": "s1"},
    ]
    for name in names:
        item = alice.get("deref", **name).json()["items"][0]
        assert item["sha256"] == hashlib.sha256(LOG.encode()).hexdigest()
        assert item["verified"] is True
        assert LOG.startswith(item["content"])


def test_pages_join_to_the_whole_text(alice: Api, ref: dict[str, Any]) -> None:
    parts, offset = [], 0
    while offset is not None:
        item = alice.get("deref", ref_id=ref["ref_id"], offset=offset, max_tokens=500).json()["items"][0]
        parts.append(item["content"])
        assert item["total_lines"] == 1000
        offset = item["next_offset"]
    assert len(parts) > 3
    assert "".join(parts) == LOG


def test_lines_and_grep_find_the_place(alice: Api, ref: dict[str, Any]) -> None:
    lines = alice.get("deref", ref_id=ref["ref_id"], lines="10-11").json()["items"][0]["content"]
    assert lines.splitlines()[0].startswith("line 10:")
    assert len(lines.splitlines()) == 2
    hits = alice.get("deref", ref_id=ref["ref_id"], grep="failed", context=1).json()["items"][0]["content"]
    assert [line.split(" ")[0] for line in hits.splitlines()] == ["699-line", "700:line", "701-line"]


def test_blocks_are_read_back_as_their_text(alice: Api, ref: dict[str, Any]) -> None:
    item = alice.get("deref", tool_call_id="c2", session_id="s1").json()["items"][0]
    assert item["content"] == "block one"


def test_many_results_under_one_id_share_the_budget_and_come_in_pages(alice: Api) -> None:
    alice.pairs(*[pair(f"number {n}\n" + LOG, tool_call_id="call_0") for n in range(60)])
    first = alice.get("deref", session_id="s1", tool_call_id="call_0", max_tokens=2000).json()
    second = alice.get("deref", session_id="s1", tool_call_id="call_0", after=first["next"]).json()
    assert [len(first["items"]), len(second["items"]), second["next"]] == [50, 10, None]
    assert sum(tokens.count(item["content"]) for item in first["items"]) <= 2000
    assert all(item["content"].startswith("number") for item in first["items"])


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({}, "exactly one"),
        ({"ref_id": "x", "node_id": "y"}, "exactly one"),
        ({"node_id": "001-N1"}, "session_id"),
        ({"ref_id": "REF", "lines": "x"}, "lines"),
        ({"ref_id": "REF", "offset": -1}, "offset"),
        ({"ref_id": "REF", "offset": "many"}, "offset"),
        ({"ref_id": "REF", "max_tokens": 0}, "max_tokens"),
        ({"tool_call_id": "c1", "session_id": "s1", "after": "x"}, "after"),
        ({"ref_id": "REF", "grep": "a\nb"}, "one line"),
    ],
)
def test_a_bad_question_gets_an_answer_that_says_what_to_send(
    alice: Api, ref: dict[str, Any], query: dict[str, Any], words: str
) -> None:
    query = {name: ref["ref_id"] if value == "REF" else value for name, value in query.items()}
    answer = alice.get("deref", **query)
    assert answer.status_code == 422
    assert words in answer.json()["detail"]


@pytest.mark.parametrize(
    "query",
    [
        {"ref_id": "ofl_AAAAAAAAAAAAA"},
        {"ref_id": "../../etc/passwd"},
        {"node_id": "001-N99", "session_id": "s1"},
        {"node_id": "nonsense", "session_id": "s1"},
        {"tool_call_id": "unknown", "session_id": "s1"},
        {"result_ref": "refs/../../secret", "session_id": "s1"},
        {"result_ref": "refs/000001-x.md", "session_id": "no such session"},
    ],
)
def test_an_unknown_name_is_a_404(alice: Api, ref: dict[str, Any], query: dict[str, Any]) -> None:
    assert alice.get("deref", **query).status_code == 404


def test_another_agent_gets_the_same_404_as_for_unknown_names(
    alice: Api, charlie: Api, ref: dict[str, Any]
) -> None:
    for query in (
        {"ref_id": ref["ref_id"]},
        {"tool_call_id": "c1", "session_id": "s1"},
        {"node_id": "001-N1", "session_id": "s1"},
        {"result_ref": ref["result_ref"], "session_id": "s1"},
    ):
        foreign = charlie.get("deref", **query)
        assert foreign.status_code == 404
        assert LOG[:20] not in foreign.content.decode()
    unknown = charlie.get("refs/ofl_AAAAAAAAAAAAA/raw").json()
    foreign_raw = charlie.get(f"refs/{ref['ref_id']}/raw").json()
    assert {**foreign_raw, "request_id": ""} == {**unknown, "request_id": ""}


def test_raw_gives_exact_bytes_with_ranges_and_an_etag(alice: Api, ref: dict[str, Any]) -> None:
    path = f"/api/v1/refs/{ref['ref_id']}/raw"
    whole = alice.client.get(path)
    assert whole.content == LOG.encode()
    assert whole["ETag"] == f'"{ref["content_sha256"]}"'
    assert whole["X-Content-Type-Options"] == "nosniff"
    part = alice.client.get(path, headers={"range": "bytes=5-9"})
    assert (part.status_code, part.content) == (206, LOG.encode()[5:10])
    assert part["Content-Range"] == f"bytes 5-9/{len(LOG.encode())}"
    tail = alice.client.get(path, headers={"range": "bytes=-7"})
    assert tail.content == LOG.encode()[-7:]
    beyond = alice.client.get(path, headers={"range": "bytes=999999999-"})
    assert beyond.status_code == 416
    assert alice.client.get(path, headers={"if-none-match": whole["ETag"]}).status_code == 304


@pytest.mark.parametrize("damage", [b"", b"garbage", b"\x28\xb5\x2f\xfd"])
def test_damaged_bytes_are_never_given_out(alice: Api, ref: dict[str, Any], damage: bytes) -> None:
    OffloadedBlob.objects.filter(ref_id=ref["ref_id"]).update(content_zstd=damage)
    item = alice.get("deref", ref_id=ref["ref_id"]).json()["items"][0]
    assert (item["verified"], item["content"]) == (False, None)
    assert item["error"]
    assert alice.get(f"refs/{ref['ref_id']}/raw").status_code == 500


def test_bytes_swapped_for_other_valid_ones_are_never_given_out(alice: Api, ref: dict[str, Any]) -> None:
    other = OffloadedBlob.objects.exclude(ref_id=ref["ref_id"]).get()
    OffloadedBlob.objects.filter(ref_id=ref["ref_id"]).update(content_zstd=other.content_zstd)
    item = alice.get("deref", ref_id=ref["ref_id"]).json()["items"][0]
    assert (item["verified"], item["content"]) == (False, None)


RANGES = {
    "bytes=0-0": (206, "0-0"),
    "bytes=0-": (206, "0-9"),
    "bytes=-1": (206, "9-9"),
    "bytes=-99": (206, "0-9"),
    "bytes=4-99999999999999999999999999": (206, "4-9"),
    "BYTES=0-0": (206, "0-0"),
    "bytes=-0": (416, "*"),
    "bytes=10-": (416, "*"),
    "bytes=99999999999999999999999999-": (416, "*"),
    "bytes=5-2": (200, None),
    "bytes=0-0,2-3": (200, None),
    "bytes=-": (200, None),
    "bytes=": (200, None),
    "bytes=a-b": (200, None),
    "bytes=" + "9" * 5000 + "-": (416, "*"),
    "lines=0-1": (200, None),
}


@pytest.mark.parametrize("asked", RANGES)
def test_each_form_of_range_is_given_refused_or_left_alone(alice: Api, asked: str) -> None:
    status, span = RANGES[asked]
    for result in ("0123456789", ""):
        ref = alice.pairs(pair(result, tool_call_id=result)).json()["refs"][0]
        answer = alice.client.get(f"/api/v1/refs/{ref['ref_id']}/raw", headers={"range": asked})
        size = len(result)
        if not size:
            assert answer.status_code == (200 if status == 200 else 416)
        else:
            assert answer.status_code == status
        assert answer["ETag"] == f'"{ref["content_sha256"]}"'
        if answer.status_code == 416:
            assert answer["Content-Range"] == f"bytes */{size}"
        elif span:
            assert answer["Content-Range"] == f"bytes {span}/10"
            assert answer.content.decode() == result[int(span[0]) : int(span[2]) + 1]
        else:
            assert answer.content.decode() == result


@pytest.mark.parametrize(
    ("condition", "status"), [("*", 304), ('W/"{}"', 304), ('"a", "{}"', 304), ("{}", 200), ('"a"', 200)]
)
def test_a_copy_that_is_still_good_is_not_sent_again(alice: Api, condition: str, status: int) -> None:
    ref = alice.pairs(pair("0123456789")).json()["refs"][0]
    headers = {"if-none-match": condition.format(ref["content_sha256"])}
    assert alice.client.get(f"/api/v1/refs/{ref['ref_id']}/raw", headers=headers).status_code == status


def test_a_place_that_only_some_results_have_is_read_there(alice: Api) -> None:
    alice.pairs(pair("one\ntwo\nthree\n"), pair("one\n"), pair(""))
    lines = alice.get("deref", session_id="s1", tool_call_id="c1", lines="2-3").json()["items"]
    assert [item["content"] for item in lines] == ["two\nthree\n", None, None]
    assert "this text has 1 lines" in lines[1]["error"]
    assert all(item["verified"] for item in lines)
    further = alice.get("deref", session_id="s1", tool_call_id="c1", offset=8).json()["items"]
    assert [item["content"] for item in further] == ["three\n", None, None]
    nowhere = alice.get("deref", session_id="s1", tool_call_id="c1", lines="7")
    assert nowhere.status_code == 422
    alone = alice.get("deref", ref_id=lines[1]["ref_id"], lines="7")
    assert "lines must begin at 1 to 1" in alone.json()["detail"]
