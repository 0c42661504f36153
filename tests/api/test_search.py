from __future__ import annotations

import hashlib
from typing import Any

import pytest

from canvases.models import OffloadedBlob, SearchDocument, SignedEvent
from tests.conftest import Api, pair

TRACE = (
    "collected 3 items\n"
    "src/app/models.py:41: in parse_header\n"
    '    raise KeyError("user@example.org")\n'
    "KeyError at 0x7f3a in HTTPServer.handleRequest\n"
    "job 8c1d-44aa-9b07 of app.core.settings took 1234 ms\n"
    "エラー: 设置文件不存在\n"
)


def search(api: Api, q: str, **query: Any) -> dict[str, Any]:
    answer = api.get("search", q=q, **query)
    assert answer.status_code == 200, answer.content
    return dict(answer.json())


@pytest.fixture
def stored(alice: Api) -> dict[str, Any]:
    answer = alice.pairs(
        pair(TRACE, tool_call_id="trace", params={"command": "pytest -q"}),
        pair("nothing to see\n", tool_call_id="other", params={"command": "true"}),
    )
    alice.process()
    return dict(answer.json()["refs"][0])


@pytest.mark.parametrize(
    ("q", "line"),
    [
        ("parse_header", 2),
        ("header", 2),
        ("PARSE_HEADER", 2),
        ("src/app/models.py", 2),
        ("models.py", 2),
        ("app/models", 2),
        ("models.py:41", 2),
        ("KeyError", 3),
        ("keyerror", 3),
        ("error", 3),
        ("user@example.org", 3),
        ("0x7f3a", 4),
        ("HTTPServer", 4),
        ("httpserver", 4),
        ("server", 4),
        ("HTTPServer.handleRequest", 4),
        ("request", 4),
        ("8c1d-44aa-9b07", 5),
        ("44aa", 5),
        ("app.core.settings", 5),
        ("core.settings", 5),
        ("1234", 5),
        ("设置", 6),
        ("文", 6),
        ("エラー", 6),
        ("文件不存在", 6),
        ('"took 1234 ms"', 5),
        ("KeyError: (0x7f3a)", 4),
        ("pytest collected", None),
    ],
)
def test_a_word_a_name_or_a_path_leads_to_its_line(
    alice: Api, stored: dict[str, Any], q: str, line: int | None
) -> None:
    answer = search(alice, q)
    if line is None:
        assert answer["state"] == "nothing_found"
        return
    assert answer["state"] == "found"
    [hit] = answer["items"]
    assert {name: hit[name] for name in ("session_id", "seq", "tool_call_id")} == {
        "session_id": "s1",
        "seq": 1,
        "tool_call_id": "trace",
    }
    assert {name: hit[name] for name in ("ref_id", "result_ref", "content_sha256")} == {
        name: stored[name] for name in ("ref_id", "result_ref", "content_sha256")
    }
    places = [place for place in hit["places"] if place["where"] == "result"]
    assert line in [place["line"] for place in places]
    for place in places:
        assert place["excerpt"] == TRACE.splitlines()[place["line"] - 1]
        marked = {place["excerpt"][start:end].lower() for start, end in place["marks"]}
        assert marked
        assert all(one in q.lower() for one in marked)


@pytest.mark.parametrize(
    "q",
    [
        "pars",
        "eader",
        "models.pyc",
        "keyerrors",
        "0x7f3",
        "parse_head",
        "settings collected missing",
        '"ms took"',
    ],
)
def test_what_is_only_inside_a_word_or_not_all_there_is_not_found(
    alice: Api, stored: dict[str, Any], q: str
) -> None:
    answer = search(alice, q)
    assert (answer["state"], answer["items"], answer["pending"]) == ("nothing_found", [], 0)


def test_summaries_and_calls_are_found(alice: Api) -> None:
    alice.pairs(pair("12 passed\n" * 400, params={"command": "pytest tests/unit/test_orders.py"}))
    alice.process()
    places = search(alice, "test_orders.py")["items"][0]["places"]
    assert places[0]["where"] == "tool_call"
    assert places[0]["line"] is None
    start, end = places[0]["marks"][0]
    assert places[0]["excerpt"][start:end] == "test_orders.py"


def test_the_three_kinds_of_nothing_are_told_apart(alice: Api) -> None:
    assert search(alice, "word")["state"] == "nothing_stored"
    alice.pairs(pair("one word"), pair("more", tool_call_id="c2"))
    early = search(alice, "word", session_id="s1")
    assert (early["state"], early["pending"]) == ("not_indexed_yet", 2)
    alice.process()
    assert search(alice, "absent")["state"] == "nothing_found"
    alice.pairs(pair("a late word", tool_call_id="c3"))
    partly = search(alice, "word")
    assert (partly["state"], len(partly["items"]), partly["pending"]) == ("found", 1, 1)
    alice.process()
    assert [hit["seq"] for hit in search(alice, "word")["items"]] == [3, 1]


def test_results_of_every_size_are_found(alice: Api) -> None:
    sizes = [1, 100, 6_000, 60_000, 600_000, 2_000_000]
    results = [f"{'lorem ipsum ' * (size // 12)}\nneedle{size}\n" for size in sizes]
    alice.pairs(*[pair(result, tool_call_id=f"c{at}") for at, result in enumerate(results)])
    alice.process()
    for at, size in enumerate(sizes):
        [hit] = search(alice, f"needle{size}")["items"]
        assert hit["seq"] == at + 1
        assert hit["places"][-1]["line"] == 2


def test_a_session_narrows_the_search_and_an_unknown_one_is_a_404(alice: Api, charlie: Api) -> None:
    for session in ("s1", "s2"):
        alice.pairs(pair(f"shared words of {session}"), session=session)
        alice.process(session)
    assert len(search(alice, "shared")["items"]) == 2
    assert [hit["session_id"] for hit in search(alice, "shared", session_id="s2")["items"]] == ["s2"]
    foreign = charlie.get("search", q="shared", session_id="s1")
    unknown = charlie.get("search", q="shared", session_id="none")
    assert foreign.status_code == unknown.status_code == 404
    assert foreign.json()["detail"] == unknown.json()["detail"]


def test_equal_contents_of_another_agent_never_appear(alice: Api, charlie: Api) -> None:
    for api in (alice, charlie):
        api.pairs(pair("the same secret words"))
        api.process()
    alice.pairs(pair("only hers: zanzibar", tool_call_id="c2"))
    alice.process()
    assert len(search(alice, "secret")["items"]) == 1
    assert len(search(charlie, "secret")["items"]) == 1
    answer = search(charlie, "zanzibar")
    assert (answer["state"], answer["items"], answer["pending"]) == ("nothing_found", [], 0)
    ref_id = search(alice, "zanzibar")["items"][0]["ref_id"]
    assert charlie.get("search", q="zanzibar", ref_id=ref_id).status_code == 404


def test_one_ref_is_searched_for_all_its_lines_indexed_or_not(alice: Api) -> None:
    lines = [f"line {n} {'boom' if n % 10 == 0 else 'fine'}" for n in range(1, 101)]
    ref_id = alice.pairs(pair("\n".join(lines))).json()["refs"][0]["ref_id"]
    [hit] = search(alice, "boom", ref_id=ref_id)["items"]
    assert [place["line"] for place in hit["places"]] == list(range(10, 101, 10))


def test_pages_join_without_gaps_or_repeats(alice: Api) -> None:
    alice.pairs(*[pair(f"number {n} common", tool_call_id=f"c{n}") for n in range(23)])
    alice.process()
    seqs, after, pages = [], "", 0
    while after is not None:
        page = search(alice, "common", limit=5, after=after)
        seqs += [hit["seq"] for hit in page["items"]]
        after = page["next"]
        pages += 1
        if pages == 2:
            alice.pairs(pair("a newer common one", tool_call_id="new"))
            alice.process()
    assert (seqs, pages) == (list(range(23, 0, -1)), 5)


def test_a_page_that_looked_at_enough_says_that_it_goes_on(
    alice: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice.pairs(*[pair(f"{n} alpha then beta", tool_call_id=f"c{n}") for n in range(7)])
    alice.process()
    monkeypatch.setattr("canvases.selectors.search.MOST_CANDIDATES", 3)
    states, after = [], ""
    while after is not None:
        page = search(alice, '"beta alpha"', after=after)
        states.append(page["state"])
        after = page["next"]
    assert states == ["unfinished", "unfinished", "nothing_found"]


@pytest.mark.parametrize("q", ["", "   ", "-> !!", '""', "x" * 501, "a " * 40])
def test_a_question_that_cannot_be_searched_is_answered_with_what_to_send(alice: Api, q: str) -> None:
    answer = alice.get("search", q=q)
    assert answer.status_code == 422
    assert "send" in answer.json()["detail"]


@pytest.mark.parametrize(("name", "value"), [("after", "x"), ("limit", 0), ("limit", 201)])
def test_bad_paging_is_a_422(alice: Api, name: str, value: Any) -> None:
    assert alice.get("search", q="word", **{name: value}).status_code == 422


@pytest.mark.parametrize(
    "q", ["a' OR 1=1", 'b" OR "c', "x:* & !y", "NEAR(a b)", "codes:a", "\x00 null", "%s", "\\"]
)
def test_no_sign_of_a_query_language_means_anything(alice: Api, q: str) -> None:
    alice.pairs(pair("plain"))
    alice.process()
    assert alice.get("search", q=q).status_code in (200, 422)


def test_long_lines_are_shown_around_the_match(alice: Api) -> None:
    alice.pairs(pair("x, " * 50_000 + "here is the Needle, " + "y, " * 50_000))
    alice.process()
    [place] = search(alice, "needle")["items"][0]["places"]
    assert len(place["excerpt"]) <= 240
    [[start, end]] = place["marks"]
    assert place["excerpt"][start:end] == "Needle"


def test_blocks_colours_and_escaped_letters_are_seen_through(alice: Api) -> None:
    alice.pairs(
        pair([{"type": "text", "text": "first\nsecond línea"}], tool_call_id="blocks"),
        pair("\x1b[1m\x1b[31mfailed\x1b[0m badly", tool_call_id="colours"),
    )
    alice.post(
        "sessions/s1/tool-pairs",
        '{"tool_pairs": [{"tool_name": "Get", "tool_call_id": "json", '
        '"result": {"a": "\\u4e16\\u754c peace\\nline two"}}]}',
    )
    alice.process()
    place = search(alice, "línea")["items"][0]["places"][-1]
    assert (place["line"], place["excerpt"]) == (2, "second línea")
    [hit] = search(alice, '"failed badly"')["items"]
    assert (hit["tool_call_id"], hit["places"][-1]["excerpt"]) == ("colours", "failed badly")
    assert search(alice, "世界")["items"][0]["tool_call_id"] == "json"
    assert search(alice, '"line two"')["items"][0]["tool_call_id"] == "json"


@pytest.mark.parametrize(
    "shape",
    [
        '{"content": [{"type": "text", "text": %s}]}',
        '{"content": [{"text": %s}], "isError": true}',
        '{"type": "text", "text": %s}',
        '[{"text": %s}]',
        '[{"functionResponse": {"response": {"output": %s}}}]',
        ' \n [{"type": "text", "text": %s}]',
    ],
)
def test_blocks_of_each_shape_are_found_by_the_words_that_are_read_back(alice: Api, shape: str) -> None:
    result = shape % '"first\\nsecond \\u003czebra\\u003e at src\\/app\\/main.py"'
    alice.post("sessions/s1/tool-pairs", '{"tool_pairs": [{"tool_name": "Get", "result": %s}]}' % result)
    alice.process()
    for q in ("zebra", "app/main.py", '"second <zebra"'):
        [hit] = search(alice, q)["items"]
        place = hit["places"][-1]
        assert (place["where"], place["line"]) == ("result", 2)
        assert place["excerpt"] == "second <zebra> at src/app/main.py"


def test_the_error_of_a_call_is_found(alice: Api) -> None:
    error = "first line\n" + "filler text\n" * 500 + "OSError: quota of volume77 exceeded\n"
    alice.pairs(pair(None, error=error), pair("volume78", tool_call_id="c2"))
    alice.process()
    [hit] = search(alice, "volume77 quota")["items"]
    assert hit["seq"] == 1
    assert {
        "where": "error",
        "line": None,
        "excerpt": "OSError: quota of volume77 exceeded",
        "marks": [[9, 14], [18, 26]],
    } in hit["places"]


def test_a_result_damaged_later_is_withheld_and_counted(alice: Api, stored: dict[str, Any]) -> None:
    OffloadedBlob.objects.filter(ref_id=stored["ref_id"]).update(content_zstd=b"broken")
    answer = search(alice, "0x7f3a")
    assert all(place["where"] != "result" for hit in answer["items"] for place in hit["places"])
    assert answer["unreadable"] == 1


def test_each_search_is_one_event_without_its_words(alice: Api, stored: dict[str, Any]) -> None:
    before = SignedEvent.objects.count()
    search(alice, "keyerror")
    [event] = SignedEvent.objects.order_by("sequence")[before:]
    assert (event.event_type, event.payload) == (
        "searched",
        {
            "query_sha256": hashlib.sha256(b"keyerror").hexdigest(),
            "shown": 1,
            "ref_ids": [stored["ref_id"]],
        },
    )
    assert alice.post("audit/verify", {}).json()["holds"] is True


def test_deleting_a_content_takes_its_terms_along(alice: Api) -> None:
    alice.pairs(pair("findable words"))
    alice.process()
    pk = SearchDocument.objects.get(blob__isnull=False).pk
    alice.session().delete()
    OffloadedBlob.objects.all().delete()
    assert not SearchDocument.objects.exists()
    assert search(alice, "findable")["state"] == "nothing_stored"
    alice.pairs(pair("other words", tool_call_id="c2"))
    alice.process()
    assert SearchDocument.objects.get(blob__isnull=False).pk > pk
    assert search(alice, "findable")["state"] == "nothing_found"
    assert search(alice, "other")["state"] == "found"
