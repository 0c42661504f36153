from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from canvases.models import Boundary, Canvas, CanvasRevision, Session
from tests.conftest import Api, pair


def test_a_session_tells_what_is_due_and_what_is_done(alice: Api) -> None:
    alice.pairs(pair("a " * 4000), pair("b", tool_call_id="c2"))
    before = alice.get("sessions/s1").json()
    assert (before["pairs"], before["entries"], before["pending_summaries"]) == (2, 0, 2)
    alice.process()
    after = alice.get("sessions/s1").json()
    assert (after["entries"], after["pending_summaries"], after["unmapped_entries"]) == (2, 0, 0)
    assert after["version"] > before["version"]
    assert after["active_canvas"] == "001-" + after["active_canvas"][4:]
    tokens = after["tokens"]
    assert tokens["raw"] > tokens["offloaded"] > tokens["saved_gross"] > 3000
    assert tokens["saved_net"] == tokens["saved_gross"]


def test_the_session_list_pages_by_tokens_and_stays_still(alice: Api) -> None:
    for number in range(5):
        alice.pairs(pair("x"), session=f"s{number}")
    first = alice.get("sessions", limit=2).json()
    alice.pairs(pair("new"), session="s9")
    second = alice.get("sessions", limit=2, after=first["next"]).json()
    third = alice.get("sessions", limit=2, after=second["next"]).json()
    names = [item["session_id"] for page in (first, second, third) for item in page["items"]]
    assert names == ["s4", "s3", "s2", "s1", "s0"]
    assert third["next"] is None


@pytest.mark.parametrize("query", [{"after": "zzz"}, {"limit": 0}, {"limit": 1000}, {"limit": "x"}])
def test_bad_paging_is_a_422_that_says_what_to_send(alice: Api, query: dict[str, Any]) -> None:
    answer = alice.get("sessions", **query)
    assert answer.status_code == 422
    assert answer.json()["detail"]


def test_entries_come_in_order_as_pages_and_as_json_lines(alice: Api) -> None:
    alice.pairs(*[pair(f"result {n}\n" * 50, tool_call_id=f"c{n}") for n in range(7)])
    alice.process()
    first = alice.get("sessions/s1/entries", limit=4).json()
    second = alice.get("sessions/s1/entries", limit=4, after=first["next"]).json()
    rows = first["items"] + second["items"]
    assert [row["seq"] for row in rows] == list(range(1, 8))
    lines = b"".join(alice.get("sessions/s1/offload.jsonl").streaming_content).decode().splitlines()
    assert [json.loads(line) for line in lines] == rows
    wanted = {"timestamp", "node_id", "tool_call", "summary", "result_ref", "tool_call_id", "score"}
    assert wanted | {"session_key", "offloaded"} <= set(rows[0])


def test_a_canvas_appears_under_a_default_task_when_no_prompt_ever_comes(alice: Api) -> None:
    alice.pairs(*[pair(f"r{n}", tool_call_id=f"c{n}") for n in range(20)])
    alice.process()
    canvases = alice.get("sessions/s1/canvases").json()["items"]
    assert len(canvases) == 1
    assert canvases[0]["nodes"]
    assert Boundary.objects.get().prompt is None
    assert Boundary.objects.get().reason


def test_every_entry_of_a_long_task_is_on_a_node_that_exists(alice: Api) -> None:
    alice.prompt("Fix the failing test in parser.py")
    for number in range(6):
        alice.pairs(
            pair(
                "1 failed, 3 passed",
                params={"command": "pytest tests/test_parser.py"},
                tool_call_id=f"t{number}",
            ),
            pair("updated", tool_name="Edit", params={"file_path": "parser.py"}, tool_call_id=f"e{number}"),
        )
        alice.process()
    canvas = alice.get("sessions/s1/canvases/1").json()
    nodes = {node["node_id"] for node in canvas["nodes"]}
    entries = alice.get("sessions/s1/entries").json()["items"]
    assert {entry["node_id"] for entry in entries} <= nodes
    assert sum(node["entries"] for node in canvas["nodes"]) == len(entries) == 12


def test_every_revision_stays_readable(alice: Api) -> None:
    for number in range(3):
        alice.pairs(pair(f"r{number}", tool_call_id=f"c{number}"))
        alice.process()
    revisions = alice.get("sessions/s1/canvases/1/revisions").json()["items"]
    assert [row["number"] for row in revisions] == [1, 2, 3]
    texts = [alice.get("sessions/s1/canvases/1", rev=row["number"]).json()["mermaid"] for row in revisions]
    assert len(set(texts)) == 3
    newest = alice.get("sessions/s1/canvases/1.mmd")
    assert newest.content.decode() == texts[-1]
    assert "flowchart TD" in texts[0]
    assert alice.get("sessions/s1/canvases/1", rev=9).status_code == 404


def test_canvases_come_in_pages_of_few_queries(alice: Api) -> None:
    alice.pairs(pair("a"))
    alice.process()
    canvas, revision = Canvas.objects.get(), CanvasRevision.objects.get()
    for number in range(2, 6):
        canvas.pk, canvas.number = None, number
        canvas.save()
        revision.pk, revision.canvas = None, canvas
        revision.save()
    counts = []
    with CaptureQueriesContext(connection) as queries:
        whole = alice.get("sessions/s1/canvases").json()
    counts.append(len(queries))
    assert [one["number"] for one in whole["items"]] == [1, 2, 3, 4, 5]
    assert whole["next"] is None
    pages, after = [], ""
    while after is not None:
        with CaptureQueriesContext(connection) as queries:
            page = alice.get("sessions/s1/canvases", limit=1, after=after).json()
        counts.append(len(queries))
        pages += page["items"]
        after = page["next"]
    assert pages == whole["items"]
    assert len(set(counts)) == 1
    for one in whole["items"]:
        assert one == alice.get(f"sessions/s1/canvases/{one['number']}").json()


def test_a_second_session_starts_with_nothing_of_the_first(alice: Api) -> None:
    alice.pairs(pair("a"), session="A")
    alice.process("A")
    alice.pairs(pair("b"), session="B")
    assert alice.get("sessions/B").json()["active_canvas"] is None
    alice.process("B")
    canvas = alice.get("sessions/B/canvases").json()["items"][0]
    assert canvas["number"] == 1
    assert sum(node["entries"] for node in canvas["nodes"]) == 1


def test_lists_and_canvases_carry_no_result_bodies(alice: Api) -> None:
    marker = "body-marker-in-the-middle"
    alice.pairs(pair(("filler line\n" * 300) + marker + ("\nfiller line" * 300)))
    alice.process()
    for path in ("sessions", "sessions/s1", "sessions/s1/entries", "sessions/s1/canvases"):
        assert marker not in alice.get(path).content.decode()


def test_every_change_counts_the_version_up(alice: Api) -> None:
    versions = [0]
    for act in (
        lambda: alice.pairs(pair("a")),
        lambda: alice.process(),
        lambda: alice.prompt("do it"),
        lambda: alice.pairs(pair("b")),
    ):
        act()
        versions.append(Session.objects.get().version)
    assert versions == sorted(set(versions))


def test_a_repeated_post_is_no_change(alice: Api) -> None:
    alice.pairs(pair("a"))
    version = Session.objects.get().version
    alice.pairs(pair("a"))
    assert Session.objects.get().version == version


@pytest.mark.parametrize(
    ("body", "status"),
    [("{}", 422), ('{"prompt": ""}', 422), ('{"prompt": 5}', 422), ("[]", 422), ("nope", 400)],
)
def test_a_bad_prompt_is_refused(alice: Api, body: str, status: int) -> None:
    answer = alice.post("sessions/s1/prompts", body)
    assert answer.status_code == status
    assert answer.json()["detail"]


def test_a_prompt_with_a_time_is_stored_once(alice: Api) -> None:
    body = {"prompt": "go on", "timestamp": "2026-01-31T12:00:00Z"}
    first = alice.post("sessions/s1/prompts", body).json()
    assert alice.post("sessions/s1/prompts", body).json() == first
    assert Boundary.objects.count() == 1
