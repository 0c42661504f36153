"""Searching what was put away by hand, which belongs to no call."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

import pytest

from canvases.api.search import SearchOut
from canvases.models import OffloadedBlob, Reference, SearchDocument, SignedEvent
from canvases.services import indexing
from canvases.services.expiry import references_expire
from canvases.services.indexing import waiting_index
from tests.conftest import Api, pair


def search(api: Api, q: str, **query: Any) -> dict[str, Any]:
    answer = api.get("search", q=q, **query)
    assert answer.status_code == 200, answer.content
    return dict(answer.json())


def put_away(api: Api, content: str, **fields: Any) -> str:
    answer = api.post("offload", {"content": content, **fields})
    assert answer.status_code == 201, answer.content
    return str(answer.json()["ref_id"])


def refs(answer: dict[str, Any]) -> list[str]:
    return [hit["ref_id"] for hit in answer["items"]]


def test_a_text_is_found_as_soon_as_it_is_put_away(alice: Api) -> None:
    ref_id = put_away(alice, "the plan\nfirst zanzibar, then home\n", namespace="plans")
    answer = search(alice, "Zanzibar")
    assert (answer["state"], answer["pending"], answer["next"]) == ("found", 0, None)
    [hit] = answer["items"]
    of_a_call = ("session_id", "seq", "tool_name", "tool_call", "tool_call_id", "result_ref")
    assert [hit[name] for name in of_a_call] == [None] * 6
    assert (hit["ref_id"], hit["namespaces"]) == (ref_id, ["plans"])
    assert hit["places"] == [
        {"where": "content", "line": 2, "excerpt": "first zanzibar, then home", "marks": [[6, 14]]}
    ]
    assert SearchOut.model_validate(answer, strict=True).model_dump() == answer
    assert search(alice, "absent")["state"] == "nothing_found"


def test_it_comes_after_the_calls_newest_first(alice: Api) -> None:
    older, newer = put_away(alice, "older common"), put_away(alice, "newer common")
    alice.pairs(pair("one common"), pair("two common", tool_call_id="c2"))
    alice.process()
    items = search(alice, "common")["items"]
    assert [(hit["seq"], hit["namespaces"]) for hit in items[:2]] == [(2, None), (1, None)]
    assert [hit["ref_id"] for hit in items[2:]] == [newer, older]


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 7])
def test_pages_go_on_from_the_calls_to_the_contents_without_gaps_or_repeats(alice: Api, limit: int) -> None:
    by_hand = [put_away(alice, f"content {n} common") for n in range(6)]
    calls = alice.pairs(*[pair(f"call {n} common", tool_call_id=f"c{n}") for n in range(5)]).json()["refs"]
    alice.process()
    found, after = [], ""
    while after is not None:
        page = search(alice, "common", limit=limit, after=after)
        found += refs(page)
        if after == "":
            alice.pairs(pair("a newer common call", tool_call_id="new"))
            alice.process()
        after = page["next"]
    newest = [call["ref_id"] for call in reversed(calls)] + by_hand[::-1]
    assert found == newest


def test_a_page_that_looked_at_enough_goes_on_in_the_contents(
    alice: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in range(4):
        put_away(alice, f"{n} alpha then beta")
    alice.pairs(*[pair(f"call {n} alpha then beta", tool_call_id=f"c{n}") for n in range(3)])
    alice.process()
    monkeypatch.setattr("canvases.selectors.search.MOST_CANDIDATES", 2)
    states, after = [], ""
    while after is not None:
        page = search(alice, '"beta alpha"', after=after)
        states.append(page["state"])
        after = page["next"]
    assert states == ["unfinished"] * 3 + ["nothing_found"]


def test_what_a_call_shows_as_well_is_listed_once(alice: Api) -> None:
    put_away(alice, "in both places")
    alice.pairs(pair("in both places"))
    [hit] = search(alice, "both")["items"]
    assert (hit["seq"], hit["namespaces"]) == (1, None)
    alice.process()
    alice.pairs(pair("a call, then by hand", tool_call_id="c2"))
    alice.process()
    put_away(alice, "a call, then by hand")
    assert [hit["seq"] for hit in search(alice, "hand")["items"]] == [2]


def test_a_session_is_searched_for_its_own_calls_only(alice: Api) -> None:
    ref_id = put_away(alice, "common words")
    alice.pairs(pair("a common call"))
    alice.process()
    assert [hit["seq"] for hit in search(alice, "common", session_id="s1")["items"]] == [1]
    assert alice.get("search", q="common", session_id="s1", ref_id=ref_id).status_code == 404


def test_one_ref_is_searched_for_all_its_lines(alice: Api) -> None:
    ref_id = put_away(alice, "\n".join(f"line {n} {'boom' if n % 10 == 0 else ''}" for n in range(1, 101)))
    put_away(alice, "another boom")
    [hit] = search(alice, "boom", ref_id=ref_id)["items"]
    assert [place["line"] for place in hit["places"]] == list(range(10, 101, 10))


def test_another_agents_is_never_found(alice: Api, charlie: Api) -> None:
    ref_id = put_away(alice, "only hers: zanzibar")
    assert search(charlie, "zanzibar")["state"] == "nothing_stored"
    assert charlie.get("search", q="zanzibar", ref_id=ref_id).status_code == 404
    put_away(charlie, "his own")
    assert (search(charlie, "zanzibar")["state"], search(charlie, "own")["state"]) == (
        "nothing_found",
        "found",
    )


def test_what_outlived_its_time_or_was_deleted_is_no_hit(alice: Api) -> None:
    expired = put_away(alice, "brief words", ttl_seconds=60)
    deleted = put_away(alice, "deleted words")
    assert len(search(alice, "words")["items"]) == 2
    Reference.objects.filter(blob__ref_id=expired).update(expires_at=1)
    assert refs(search(alice, "words")) == [deleted]
    assert alice.client.delete(f"/api/v1/refs/{deleted}").status_code == 204
    assert search(alice, "words")["state"] == "nothing_stored"
    references_expire()
    assert search(alice, "words")["state"] == "nothing_stored"
    again = put_away(alice, "brief words")
    assert refs(search(alice, "words")) == [again]


def test_the_newest_five_live_namespaces_are_told(alice: Api) -> None:
    for n in range(7):
        put_away(alice, "kept", namespace=f"n{n}")
    put_away(alice, "kept", namespace="Session/x")
    Reference.objects.filter(namespace="n6").update(expires_at=1)
    [hit] = search(alice, "kept")["items"]
    assert hit["namespaces"] == ["Session/x", "n5", "n4", "n3", "n2"]


def test_a_namespace_that_nobody_signed_is_not_told(alice: Api) -> None:
    put_away(alice, "kept", namespace="good")
    put_away(alice, "kept", namespace="edited")
    Reference.objects.filter(namespace="edited").update(namespace="forged")
    assert search(alice, "kept")["items"][0]["namespaces"] == ["good"]
    Reference.objects.filter(namespace="good").delete()
    answer = search(alice, "kept")
    assert (answer["items"], answer["unreadable"]) == ([], 1)


def test_damaged_bytes_are_withheld_and_counted_and_found_again_once_made_good(alice: Api) -> None:
    ref_id = put_away(alice, "precious words")
    OffloadedBlob.objects.update(content_zstd=b"broken")
    answer = search(alice, "precious")
    assert (answer["items"], answer["unreadable"]) == ([], 1)
    put_away(alice, "precious words", namespace="again")
    answer = search(alice, "precious")
    assert (answer["state"], answer["pending"]) == ("not_indexed_yet", 1)
    waiting_index()
    assert refs(search(alice, "precious")) == [ref_id]


def test_bytes_that_are_no_text_are_counted_as_not_searchable(alice: Api) -> None:
    content = base64.b64encode(bytes(range(256))).decode()
    alice.post("offload", {"content_base64": content, "media_type": "image/png"})
    answer = search(alice, "word")
    assert (answer["state"], answer["in_part"], answer["pending"]) == ("nothing_found", 1, 0)


def test_a_json_content_is_searched_as_it_is_read(alice: Api) -> None:
    content = '{"content": [{"type": "text", "text": "first\\nsecond \\u003cdiv\\u003e"}]}'
    put_away(alice, content, media_type="application/json")
    [place] = search(alice, "div")["items"][0]["places"]
    assert (place["line"], place["excerpt"]) == (2, "second <div>")


def test_a_large_content_waits_for_a_worker(alice: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexing, "SWEEP_BYTES", 100)
    ref_id = put_away(alice, "needle " + "hay " * 100)
    early = search(alice, "needle")
    assert (early["state"], early["pending"]) == ("not_indexed_yet", 1)
    put_away(alice, "needle " + "hay " * 100, namespace="again")
    assert waiting_index() == 1
    late = search(alice, "needle")
    assert (refs(late), late["pending"]) == ([ref_id], 0)
    assert waiting_index() == 0


def test_the_same_content_again_writes_no_other_document(alice: Api) -> None:
    put_away(alice, "once")
    [document] = SearchDocument.objects.defer("codes")
    put_away(alice, "once", namespace="other")
    assert SearchDocument.objects.get().pk == document.pk


def test_what_is_shown_is_noted(alice: Api) -> None:
    ref_id = put_away(alice, "noted words")
    search(alice, "noted")
    event = SignedEvent.objects.order_by("sequence").last()
    assert event is not None
    assert event.payload == {
        "query_sha256": hashlib.sha256(b"noted").hexdigest(),
        "shown": 1,
        "ref_ids": [ref_id],
    }


@pytest.mark.parametrize("position", [["results", 5], ["contents", -1], ["contents", 2**63], [5], ["pairs"]])
def test_a_token_that_no_answer_gave_is_a_422(alice: Api, position: list[Any]) -> None:
    token = base64.urlsafe_b64encode(json.dumps(position).encode()).decode().rstrip("=")
    assert alice.get("search", q="word", after=token).status_code == 422
