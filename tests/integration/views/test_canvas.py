from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from canvases.models import Boundary, Canvas, CanvasRevision, Session
from tests.conftest import Api, pair
from tests.integration.views.conftest import work


def twin(client: Client, path: str, **query: Any) -> dict[str, Any]:
    answer = client.get(path, {**query, "_format": "json"})
    assert answer.status_code == 200
    data: dict[str, Any] = answer.json()
    return data


def address(session: Session) -> str:
    return f"/sessions/{session.pk}/canvases/1/"


def test_a_session_lands_on_its_active_canvas(owner_client: Client, session: Session) -> None:
    assert owner_client.get(f"/sessions/{session.pk}/")["Location"] == address(session)


def test_the_page_lists_every_node_of_the_drawing_with_a_link(owner_client: Client, session: Session) -> None:
    data = twin(owner_client, address(session))
    html = owner_client.get(address(session)).content.decode()
    assert data["canvas"]["nodes"]
    for node in data["canvas"]["nodes"]:
        assert f'href="?node={node["node_id"]}"' in html
    assert f">{len(data['canvas']['nodes'])} nodes<" in html.replace("\n", "")


def test_page_twin_and_api_agree(owner_client: Client, alice: Api, session: Session) -> None:
    data = twin(owner_client, address(session))
    told = alice.get("sessions/s1/canvases/1").json()
    for key in ("filename", "status", "progress", "task_goal", "nodes", "edges", "mermaid"):
        assert data["canvas"][key] == told[key], key
    figures = alice.get("sessions/s1").json()
    assert data["session"]["tokens"] == figures["tokens"]
    assert data["session"]["version"] == figures["version"]


def test_a_node_shows_the_calls_behind_it(owner_client: Client, session: Session) -> None:
    nodes = twin(owner_client, address(session))["canvas"]["nodes"]
    shown: list[int] = []
    for node in nodes:
        opened = twin(owner_client, address(session), node=node["node_id"])["node"]
        assert len(opened["calls"]) == node["calls"]
        assert opened["drawn"] == node
        shown += [call["seq"] for call in opened["calls"]]
        html = owner_client.get(address(session), {"node": node["node_id"]}).content.decode()
        for call in opened["calls"]:
            assert f'href="/sessions/{session.pk}/entries/{call["seq"]}/"' in html
    assert sorted(shown) == list(range(1, 13))


def test_an_unknown_node_says_so(owner_client: Client, session: Session) -> None:
    for node in ("001-N999", "x", "999-N1", "001-N1" * 400):
        answer = owner_client.get(address(session), {"node": node})
        assert answer.status_code == 200
        assert "Not in this revision" in answer.content.decode()


def test_old_revisions_stay_readable(owner_client: Client, alice: Api, session: Session) -> None:
    alice.pairs(*work(30)[12:])
    alice.process()
    newest = Canvas.objects.get(session=session).revision
    assert newest > 1
    html = owner_client.get(address(session), {"rev": "1"}).content.decode()
    assert f"revision 1 of {newest}" in html
    assert 'rel="prev"' not in html
    assert 'href="?rev=2"' in html
    first = twin(owner_client, address(session), rev="1")
    assert first["canvas"]["drawing"] == CanvasRevision.objects.get(canvas__session=session, number=1).drawing
    node = first["canvas"]["nodes"][-1]["node_id"]
    calls = twin(owner_client, address(session), rev="1", node=node)["node"]["calls"]
    assert all(call["seq"] <= first["canvas"]["through_seq"] for call in calls)


@pytest.mark.parametrize("rev", ["0", "99", "-1", "x", "²", "9" * 30])
def test_a_revision_that_is_not_there_is_not_found(owner_client: Client, session: Session, rev: str) -> None:
    assert owner_client.get(address(session), {"rev": rev}).status_code == 404
    assert owner_client.get(address(session), {"rev": rev, "_format": "json"}).status_code == 404


def test_the_fragment_is_the_changing_part_of_the_page(owner_client: Client, session: Session) -> None:
    whole = owner_client.get(address(session))
    part = owner_client.get(address(session), headers={"hx-request": "true"})
    assert "HX-Request" in part["Vary"]
    assert "<html" not in part.content.decode()
    piece = part.content.decode().split('<pre id="drawing"')[1].split("</pre>")[0]
    assert piece in whole.content.decode()
    assert 'id="figures"' in part.content.decode()


def test_who_has_the_version_gets_no_content(owner_client: Client, alice: Api, session: Session) -> None:
    session.refresh_from_db()
    headers = {"hx-request": "true"}
    same = owner_client.get(address(session), {"_version": session.version}, headers=headers)
    assert same.status_code == 204
    alice.pairs(pair("new"))
    assert (
        owner_client.get(address(session), {"_version": session.version}, headers=headers).status_code == 200
    )


def test_the_number_of_queries_does_not_grow_with_the_work(
    owner_client: Client, alice: Api, session: Session
) -> None:
    def queries() -> list[int]:
        counts = []
        for path in (
            address(session),
            f"{address(session)}?node=001-N1",
            f"/sessions/{session.pk}/timeline/",
        ):
            with CaptureQueriesContext(
                connection,
            ) as seen:
                owner_client.get(path)
            counts.append(len(seen))
        return counts

    before = queries()
    alice.pairs(*work(60)[12:])
    alice.process()
    assert max(queries()) <= max(before) + 1
    assert max(before) <= 14


@pytest.mark.parametrize(
    ("verdict", "words"), [("pending", "worth drawing"), ("short", "too short for a drawing")]
)
def test_an_undrawn_session_says_why(owner_client: Client, alice: Api, verdict: str, words: str) -> None:
    alice.prompt("What is this?")
    alice.pairs(pair("a plain answer"))
    alice.process()
    Canvas.objects.all().delete()
    Boundary.objects.update(verdict=verdict, reason="Too little was done to tell.")
    session = alice.session()
    html = owner_client.get(f"/sessions/{session.pk}/").content.decode()
    assert words in html
    assert "Too little was done to tell." in html


def test_calls_that_wait_for_their_summary_are_said_to_wait(owner_client: Client, alice: Api) -> None:
    alice.pairs(pair("x"))
    html = owner_client.get(f"/sessions/{alice.session().pk}/").content.decode()
    assert "1 of 1 calls wait for their summary" in html
    assert "summary pending" in owner_client.get(f"/sessions/{alice.session().pk}/timeline/").content.decode()
    assert (
        "summary is pending"
        in owner_client.get(f"/sessions/{alice.session().pk}/entries/1/").content.decode()
    )


def test_a_session_without_calls_shows_the_command_that_posts_one(owner_client: Client, alice: Api) -> None:
    alice.prompt("hello")
    html = owner_client.get(f"/sessions/{alice.session().pk}/").content.decode()
    assert "curl http://testserver/api/v1/sessions/s1/tool-pairs" in html


def test_work_without_any_prompt_is_said_to_wait_for_judgement_and_then_why_it_is_drawn(
    owner_client: Client, alice: Api
) -> None:
    alice.pairs(*work(20))
    session = alice.session()
    undrawn = owner_client.get(f"/sessions/{session.pk}/").content.decode()
    for words in ("No canvas is drawn yet", "not judged yet", "No prompt was posted"):
        assert words in undrawn, words
    alice.process()
    assert owner_client.get(f"/sessions/{session.pk}/")["Location"] == address(session)
    nodes = twin(owner_client, address(session))["canvas"]["nodes"]
    assert sum(node["calls"] for node in nodes) == 20
    timeline = owner_client.get(f"/sessions/{session.pk}/timeline/").content.decode()
    assert "No prompt was posted" in timeline
    assert Boundary.objects.get().reason in timeline
    assert "not judged yet" not in timeline
    alice.pairs(*work(40)[20:])
    alice.process()
    nodes = twin(owner_client, address(session))["canvas"]["nodes"]
    assert sum(node["calls"] for node in nodes) == 40
