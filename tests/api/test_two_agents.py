"""Two agents that use the same session id: nothing of one is in any answer to the other."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from tests.conftest import Api, pair

MARK = "alicemark"
NAMES = ("node_id", "tool_call_id", "result_ref", "ref_id")
OPEN = {"/api/v1/health"}
STREAMED = {"/api/v1/sessions/{session_id}/events"}  # tested with the running server


def work(mark: str) -> list[dict[str, Any]]:
    return [
        pair(
            f"{mark} line {number}\n" * 30,
            tool_name="Read",
            tool_call_id=f"{mark}-{number}",
            params={"file_path": f"/{mark}/{number}.py"},
        )
        for number in range(6)
    ]


@pytest.fixture
def both(alice: Api, charlie: Api) -> dict[str, Any]:
    """Both agents work in a session of the same name; returns what Alice was told of her first result."""
    for api, mark in ((alice, MARK), (charlie, "charliemark")):
        api.prompt(f"Fix the {mark} parser in the {mark} module", session="same")
        refs = api.pairs(*work(mark), session="same").json()["refs"]
        api.process("same")
        list_ = {"messages": [{"role": "user", "content": f"Look at {mark}"}]}
        event = api.post("sessions/same/compress", list_).json()["report"]["event_id"]
        if api is alice:
            mine: dict[str, Any] = {**refs[0], "event_id": event}
    return mine


def addresses(ref: dict[str, Any]) -> list[str]:
    """Return each documented read that names Alice's session, refs or calls."""
    documented = Client().get("/api/v1/openapi.json").json()["paths"]
    found = []
    for path, methods in documented.items():
        if "get" not in methods or path in OPEN | STREAMED:
            continue
        names = {one["name"] for one in methods["get"].get("parameters", [])}
        filled = path.replace("{session_id}", "same").replace("{number}", "1")
        filled = filled.replace("{ref_id}", ref["ref_id"]).replace("{event_id}", str(ref["event_id"]))
        assert "{" not in filled, "give a sample value for this parameter"
        if "/deref" in path:
            values = {**ref, "node_id": "001-N1"}
            found += [f"{filled}?session_id=same&{name}={values[name]}" for name in NAMES]
        elif "q" in names:
            found += [f"{filled}?q={MARK}", f"{filled}?q={MARK}&session_id=same"]
        else:
            found.append(filled)
    return found


def body(answer: Any) -> str:
    content = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return re.sub(rf"q={MARK}", "", content.decode())


def test_no_read_of_the_api_gives_one_agent_anything_of_the_other(
    alice: Api, charlie: Api, both: dict[str, Any]
) -> None:
    told = set()
    # The log first: what Charlie asks for in vain is noted in his own.
    for address in sorted(addresses(both), key=lambda address: "/audit/" not in address):
        mine, theirs = alice.client.get(address), charlie.client.get(address)
        assert mine.status_code == 200, address
        assert theirs.status_code in (200, 404), address
        if MARK in body(mine):
            told.add(address.partition("?")[0].rpartition("/")[2])
        text = body(theirs)
        for secret in (MARK, both["content_sha256"], both["ref_id"], "alice"):
            assert secret not in text, address
    assert {"entries", "offload.jsonl", "canvases", "1", "1.mmd", "raw", "deref"} <= told


def test_what_an_agent_has_not_is_not_found_in_the_words_for_what_nobody_has(
    alice: Api, charlie: Api, both: dict[str, Any]
) -> None:
    alice.pairs(pair("x"), session="hers")
    alice.process("hers")
    for address in addresses(both):
        if "same" in address:
            foreign = charlie.client.get(address.replace("same", "hers"))
            unknown = charlie.client.get(address.replace("same", "nobodys"))
        elif both["ref_id"] in address:
            foreign = charlie.client.get(address)
            unknown = charlie.client.get(address.replace(both["ref_id"], "ofl_AAAAAAAAAAAAA"))
        else:
            continue
        assert foreign.status_code == unknown.status_code == 404, address
        assert {**foreign.json(), "request_id": ""} == {**unknown.json(), "request_id": ""}, address


def test_what_one_agent_posts_never_joins_the_session_of_the_other(
    alice: Api, charlie: Api, both: dict[str, Any]
) -> None:
    before = alice.get("sessions/same").json()
    charlie.pairs(pair("more of charlie", tool_call_id=both["tool_call_id"]), session="same")
    charlie.prompt("Something else", session="same")
    charlie.process("same")
    assert alice.get("sessions/same").json() == before


def test_the_pages_of_one_session_show_nothing_of_the_other(
    charlie: Api, owner_client: Client, both: dict[str, Any]
) -> None:
    pk = charlie.session("same").pk
    for path in ("", "timeline/", "canvases/1/", "canvases/1/?node=001-N1", "entries/1/"):
        for form in ({}, {"_format": "json"}):
            answer = owner_client.get(f"/sessions/{pk}/{path}", form, follow=True)
            assert answer.status_code == 200
            text = answer.content.decode()
            assert MARK not in text, path
            assert "charlie" in text, path
