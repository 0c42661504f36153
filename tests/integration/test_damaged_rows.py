from __future__ import annotations

import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from canvases.models import Canvas, Layer, OffloadedBlob, OffloadEntry, Session
from canvases.services.rebuilding import CanvasDamaged
from tests.conftest import Api, pair

SECRET = "hunter2-in-a-result"


@pytest.fixture
def owner(owner_client: Client) -> Client:
    return owner_client


def work(api: Api, session: str) -> Session:
    edit = {"file_path": "/p/a.py", "old_string": "a", "new_string": "b"}
    api.prompt("Fix the rounding in the shop module", session)
    api.pairs(
        pair("one\ntwo", tool_call_id="r"),
        pair("updated", tool_name="Edit", tool_call_id="e", params=edit),
        session=session,
    )
    api.process(session)
    return api.session(session)


def damage(table: str, column: str, value: str | bytes, where: str, *args: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"UPDATE {table} SET {column} = %s WHERE {where}", [value, *args])
        assert cursor.rowcount


def api_addresses(session: str) -> list[str]:
    one = f"sessions/{session}"
    return [
        "sessions",
        "health",
        one,
        f"{one}/entries",
        f"{one}/offload.jsonl",
        f"{one}/canvases",
        f"{one}/canvases/1",
        f"{one}/canvases/1.mmd",
        f"{one}/canvases/1/revisions",
        f"deref?session_id={session}&node_id=001-N1",
        f"deref?session_id={session}&tool_call_id=e",
    ]


def page_addresses(session: Session) -> list[str]:
    one = f"/sessions/{session.pk}/"
    return [
        "/sessions/",
        "/health/",
        f"{one}timeline/",
        f"{one}canvases/1/",
        f"{one}canvases/1/?node=001-N1",
        f"{one}entries/1/",
        f"{one}entries/2/",
    ]


PLACES = [
    ("canvases_canvas", "state", "session_id"),
    ("canvases_offloadentry", "facts", "session_id"),
    ("canvases_offloadentry", "keys", "session_id"),
    ("canvases_toolpair", "params", "session_id"),
    ("canvases_canvasrevision", "nodes", "canvas_id IN (SELECT id FROM canvases_canvas WHERE session_id"),
    ("canvases_canvasrevision", "edges", "canvas_id IN (SELECT id FROM canvases_canvas WHERE session_id"),
]


@pytest.mark.parametrize("value", ['{"number": 1', "", "[]", "{}", "null", '"text"', "[" * 100_000])
@pytest.mark.parametrize(("table", "column", "of"), PLACES, ids=[f"{place[1]}" for place in PLACES])
def test_a_damaged_row_takes_nothing_else_along(
    alice: Api, owner: Client, table: str, column: str, of: str, value: str
) -> None:
    hurt, well = work(alice, "hurt"), work(alice, "well")
    damage(table, column, value, of + (" = %s)" if "(" in of else " = %s"), hurt.pk)
    for session in (hurt, well):
        for address in api_addresses(session.session_id):
            assert alice.get(address).status_code == 200, address
            if "jsonl" in address:
                assert len(b"".join(alice.get(address).streaming_content).splitlines()) == 2  # type: ignore[attr-defined]
        for address in page_addresses(session):
            assert owner.get(address).status_code == 200, address
    alice.pairs(pair("three", tool_call_id="t"), session="well")
    alice.process("well")
    assert len(alice.get("sessions/well/entries").json()["items"]) == 3


def long_work(api: Api, session: str, part: int) -> None:
    """Post two turns of one task: enough to be folded, in a canvas of few nodes."""
    for turn in range(2):
        api.prompt(f"Fix the rounding in module {part}{turn} of the shop", session)
        for number in range(8):
            path = f"/p/shop_{part}_{turn}_{number % 3}.py"
            edit = {"file_path": path, "old_string": "a", "new_string": f"b{number}"}
            test = {"command": f"pytest tests/test_{number % 2}.py"}
            said = "1 failed, 3 passed" if number % 3 else "4 passed"
            mark = f"{part}.{turn}.{number}"
            api.pairs(
                pair(f"updated {mark}", tool_name="Edit", tool_call_id=f"e{mark}", params=edit),
                pair(f"{said} {mark}", tool_call_id=f"t{mark}", params=test),
                session=session,
            )
        api.process(session)


DRAWN = ("nodes", "edges", "mermaid", "drawing", "status", "progress", "task_goal", "revision")


@pytest.mark.parametrize("value", ["{}", '{"number": 1}', "[", "null"])
def test_a_damaged_canvas_is_made_again_from_its_entries(alice: Api, settings: Any, value: str) -> None:
    settings.OFFLOAD_CANVAS_MAX_NODES = 8
    when = timezone.now()
    for name in ("hurt", "well"):
        long_work(alice, name, 1)
    Canvas.objects.update(created_at=when)
    for name in ("hurt", "well"):
        if name == "hurt":
            damage("canvases_canvas", "state", value, "session_id = %s", alice.session("hurt").pk)
        long_work(alice, name, 2)
    hurt, well = (alice.get(f"sessions/{name}/canvases/1").json() for name in ("hurt", "well"))
    assert any(node["folded"] for node in well["nodes"])
    for member in DRAWN:
        assert without_times(hurt[member]) == without_times(well[member]), member
    for name in ("hurt", "well"):
        assert alice.session(name).failures == 0
    told = [
        [row["node_id"] for row in alice.get(f"sessions/{name}/entries", limit=200).json()["items"]]
        for name in ("hurt", "well")
    ]
    assert told[0] == told[1]


def without_times(value: Any) -> Any:
    if isinstance(value, list):
        return [{key: one[key] for key in one if key != "updated"} for one in value]
    return re.sub(r"20\d\d-[\dT:.+-]+Z?", "", value) if isinstance(value, str) else value


def test_a_damaged_canvas_is_never_begun_anew_and_health_says_so(alice: Api) -> None:
    session = work(alice, "s1")
    damage("canvases_canvas", "state", "{}", "session_id = %s", session.pk)
    OffloadEntry.objects.filter(session=session, seq=1).update(node_number=9)
    before = Canvas.objects.get().revision
    alice.pairs(pair("three", tool_call_id="t"))
    Layer.succeeded("worker")
    with pytest.raises(CanvasDamaged):
        alice.process()
    assert Canvas.objects.get().revision == before
    assert [item["node_id"] for item in alice.get("sessions/s1/entries").json()["items"]][2] is None
    health = alice.get("health").json()
    assert health["status"] == "degraded"
    assert health["layers"]["worker"]["state"] == "failing"
    assert "CanvasDamaged" in health["layers"]["worker"]["cause"]


def test_health_which_is_open_to_all_quotes_nothing_that_was_posted(
    alice: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    def quoting(call: object) -> None:
        raise ValueError(f"cannot read {call}")

    monkeypatch.setattr("canvases.services.summaries.l1.summarise", quoting)
    alice.pairs(pair(SECRET))
    alice.process()
    assert "ValueError" in Layer.objects.get(name="l1").last_error
    assert SECRET not in alice.get("health").content.decode()


@pytest.mark.parametrize("stored", [b"", b"no frame", b"\x28\xb5\x2f\xfd" + b"\xff" * 40])
def test_damaged_bytes_are_withheld_and_the_results_beside_them_given(alice: Api, stored: bytes) -> None:
    work(alice, "s1")
    blob = OffloadEntry.objects.get(seq=1).pair.blob
    OffloadedBlob.objects.filter(pk=blob.pk).update(content_zstd=stored)
    node = alice.get("sessions/s1/entries").json()["items"][0]["node_id"]
    found = [
        *alice.get("deref", session_id="s1", node_id=node).json()["items"],
        *alice.get("deref", session_id="s1", tool_call_id="e").json()["items"],
    ]
    assert [item["verified"] for item in found if item["seq"] == 1] == [False]
    assert all(item["verified"] for item in found if item["seq"] == 2)
    assert alice.get(f"refs/{blob.ref_id}/raw").status_code == 500
