from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from canvases.models import Agent, Boundary, Session, ToolPair
from canvases.models.session import text_key
from tests.conftest import Api, pair
from tests.integration.views.conftest import work


def test_an_empty_list_shows_how_to_fill_it(owner_client: Client) -> None:
    html = owner_client.get("/sessions/").content.decode()
    assert "create_api_key --agent" in html
    assert "curl http://testserver/api/v1/sessions/" in html


def test_the_start_is_the_list_of_sessions(owner_client: Client) -> None:
    assert owner_client.get("/")["Location"] == "/sessions/"


def make_sessions(agent: Agent, count: int) -> None:
    Session.objects.bulk_create(
        Session(agent=agent, session_id=f"run-{n}", session_key=text_key(f"run-{n}")) for n in range(count)
    )


def test_sessions_come_in_pages_and_none_is_lost(owner_client: Client, alice: Api) -> None:
    make_sessions(alice.agent, 120)
    seen: list[str] = []
    after = ""
    while True:
        data: dict[str, Any] = owner_client.get("/sessions/", {"after": after, "_format": "json"}).json()
        seen += [row["session_id"] for row in data["sessions"]]
        html = owner_client.get("/sessions/", {"after": after}).content.decode()
        assert html.count("<tr data-row>") == len(data["sessions"])
        if not data["next"]:
            break
        after = data["next"]
    assert sorted(seen) == sorted(f"run-{n}" for n in range(120))


def test_a_long_list_takes_no_more_queries_than_a_short_one(owner_client: Client, alice: Api) -> None:
    counts = []
    for more in (1, 40):
        make_sessions(alice.agent, more) if more == 40 else alice.pairs(pair("x"), session="first")
        with CaptureQueriesContext(connection) as seen:
            owner_client.get("/sessions/")
        counts.append(len(seen))
    assert counts[0] == counts[1]


@pytest.mark.parametrize("after", ["x", "W10", "WyJ4Il0", "a" * 5000])
def test_a_token_that_was_not_given_out_is_refused(
    owner_client: Client, session: Session, after: str
) -> None:
    for path in ("/sessions/", f"/sessions/{session.pk}/timeline/"):
        answer = owner_client.get(path, {"after": after})
        assert answer.status_code == 400
        assert "token" in answer.content.decode()


def test_the_timeline_gives_prompts_and_calls_in_order(owner_client: Client, alice: Api) -> None:
    alice.prompt("First: fix the parser")
    alice.pairs(*work(6))
    alice.prompt("Second: thanks, now the docs")
    alice.pairs(pair("docs"))
    alice.process()
    path = f"/sessions/{alice.session().pk}/timeline/"
    rows = owner_client.get(path, {"_format": "json"}).json()["rows"]
    assert [row.get("seq", row.get("prompt")) for row in rows] == [
        "First: fix the parser",
        *range(1, 7),
        "Second: thanks, now the docs",
        7,
    ]
    html = owner_client.get(path).content.decode()
    assert html.index("First: fix") < html.index("#6<") < html.index("Second: thanks") < html.index("#7<")
    boundary = rows[0]
    assert boundary["reason"] in html


def test_timeline_pages_give_every_call_and_prompt_once(owner_client: Client, alice: Api) -> None:
    for part in range(4):
        alice.prompt(f"prompt {part}")
        alice.pairs(*[pair("x", tool_call_id=f"{part}-{n}") for n in range(30)])
    alice.prompt("last words")
    path = f"/sessions/{alice.session().pk}/timeline/"
    seen: list[Any] = []
    after = ""
    while True:
        data = owner_client.get(path, {"after": after, "_format": "json"}).json()
        seen += [row.get("seq", row.get("prompt")) for row in data["rows"]]
        if not data["next"]:
            break
        after = data["next"]
    assert [one for one in seen if isinstance(one, int)] == list(range(1, 121))
    assert [one for one in seen if isinstance(one, str)] == [*[f"prompt {n}" for n in range(4)], "last words"]


def test_two_agents_sessions_of_one_name_are_listed(owner_client: Client, alice: Api, charlie: Api) -> None:
    alice.pairs(pair("x"))
    charlie.pairs(pair("y"))
    html = owner_client.get("/sessions/s1/").content.decode()
    assert "alice" in html
    assert "charlie" in html


@pytest.mark.parametrize(
    "path", ["/sessions/none/", "/sessions/999/", "/sessions/999/timeline/", "/refs/ofl_X/"]
)
def test_what_is_not_there_is_not_found_in_words_and_in_json(owner_client: Client, path: str) -> None:
    page = owner_client.get(path)
    assert page.status_code == 404
    assert "No such" in page.content.decode()
    assert owner_client.get(path, {"_format": "json"}).json()["status"] == 404


def test_health_names_what_is_down_and_what_to_do(owner_client: Client, alice: Api) -> None:
    alice.pairs(pair("x"))
    html = owner_client.get("/health/").content.decode()
    assert "No worker has reported" in html
    assert "<code>make run</code>" in html
    twin = owner_client.get("/health/", {"_format": "json"}).json()
    assert twin["waiting"][0]["session_id"] == "s1"
    assert twin["health"]["layers"]["database"]["state"] == "ok"


def shown_time(iso: str) -> str:
    return f'datetime="{iso.replace("+00:00", "Z")}"'


def test_health_tells_when_each_layer_last_did_work(owner_client: Client, alice: Api) -> None:
    alice.pairs(pair("x"))
    before = owner_client.get("/health/", {"_format": "json"}).json()["health"]["layers"]
    alice.process()
    after = owner_client.get("/health/", {"_format": "json"}).json()["health"]["layers"]
    html = owner_client.get("/health/").content.decode()
    for layer in ("l1", "l15", "l2"):
        assert before[layer] == {"state": "idle"}, layer
        assert after[layer]["state"] == "ok", layer
        assert shown_time(after[layer]["last_success_at"]) in html, layer


def test_health_tells_when_each_agent_was_last_heard_of(
    owner_client: Client, alice: Api, charlie: Api
) -> None:
    def heard() -> dict[str, str | None]:
        rows = owner_client.get("/health/", {"_format": "json"}).json()["agents"]
        return {row["agent"]: row["last_received_at"] for row in rows}

    assert heard() == {"alice": None, "charlie": None}
    assert "nothing yet" in owner_client.get("/health/").content.decode()
    alice.pairs(pair("x"), session="one")
    alice.pairs(pair("y"), session="two")
    newest = max(ToolPair.objects.values_list("received_at", flat=True)).isoformat()
    assert heard() == {"alice": newest, "charlie": None}
    alice.process("one")
    alice.get("sessions")
    alice.pairs(pair("y"), session="two")
    assert heard()["alice"] == newest
    assert shown_time(newest) in owner_client.get("/health/").content.decode()
    charlie.prompt("hello")
    assert heard()["charlie"] == Boundary.objects.get(session__agent=charlie.agent).created_at.isoformat()


def test_health_that_is_open_to_all_names_no_agent(alice: Api) -> None:
    alice.pairs(pair("x"))
    assert "alice" not in Client().get("/api/v1/health").content.decode()


def test_page_and_api_count_the_same(owner_client: Client, alice: Api) -> None:
    for name in ("one", "two"):
        alice.prompt("Fix the failing tests of the parser", session=name)
        alice.pairs(*work(7), session=name)
    alice.process("one")
    shown = owner_client.get("/sessions/", {"_format": "json"}).json()["sessions"]
    assert shown == alice.get("sessions").json()["items"]
    for row in shown:
        one = alice.get(f"sessions/{row['session_id']}").json()
        page = owner_client.get(f"/sessions/{row['number']}/timeline/", {"_format": "json"}).json()
        assert page["session"] == one
        assert {key: one[key] for key in row} == row
        calls = [call for call in page["rows"] if "seq" in call]
        assert len(calls) == one["pairs"]
        entries = alice.get(f"sessions/{row['session_id']}/entries").json()["items"]
        assert len(entries) == one["entries"] == one["pairs"] - one["pending_summaries"]
        health = owner_client.get("/health/", {"_format": "json"}).json()
        waiting = [one["session_id"] for one in health["waiting"]]
        assert (row["session_id"] in waiting) == bool(one["pending_summaries"])
        assert health["health"]["waiting_sessions"] == alice.get("health").json()["waiting_sessions"] == 1
