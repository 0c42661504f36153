from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from canvases.models import Canvas, Session
from canvases.services.ingest import RECENT_CHARACTERS
from tests.conftest import Api, pair

LARGE = ("content_zstd", "recent_messages", "params", "state")


@pytest.fixture
def session(alice: Api) -> Session:
    for task in ("Fix the rounding in the shop module", "Write a parser for the invoice format"):
        alice.prompt(task)
        alice.pairs(*[pair(f"{task} {n}\n" * 9, tool_call_id=f"{task} {n}") for n in range(30)])
    alice.process()
    assert Canvas.objects.count() >= 1
    return alice.session()


@pytest.mark.parametrize(
    "path",
    [
        "sessions",
        "sessions/s1",
        "sessions/s1/entries?limit=60",
        "sessions/s1/offload.jsonl",
        "sessions/s1/canvases",
        "sessions/s1/canvases/1",
        "sessions/s1/canvases/1/revisions",
    ],
)
def test_api_lists_load_nothing_large_once_a_row(alice: Api, session: Session, path: str) -> None:
    _loads_little(lambda: _read(alice.get(path)), session)


@pytest.mark.parametrize(
    "path", ["/sessions/", "{}timeline/", "{}canvases/1/", "{}canvases/1/?node=001-N1", "{}entries/1/"]
)
def test_pages_load_nothing_large_once_a_row(owner_client: Client, session: Session, path: str) -> None:
    _loads_little(lambda: _read(owner_client.get(path.format(f"/sessions/{session.pk}/"))), session)


@pytest.mark.parametrize("call", ["node_id=001-N1", "tool_call_id=Fix the rounding in the shop module 1"])
def test_results_read_back_together_are_loaded_one_after_the_other(
    alice: Api, session: Session, call: str
) -> None:
    with CaptureQueriesContext(connection) as queries:
        assert alice.get(f"deref?session_id=s1&{call}").status_code == 200
    loading = [query["sql"] for query in queries if '"content_zstd"' in query["sql"]]
    assert loading
    assert all("JOIN" not in sql and " IN (" not in sql for sql in loading)


def _read(answer: object) -> None:
    assert answer.status_code == 200  # type: ignore[attr-defined]
    if getattr(answer, "streaming", False):
        assert b"".join(answer.streaming_content)  # type: ignore[attr-defined]


def _loads_little(read: Callable[[], None], session: Session) -> None:
    with CaptureQueriesContext(connection) as queries:
        read()
    canvases = Canvas.objects.filter(session=session).count()
    for column in LARGE:
        loading = [query["sql"] for query in queries if f'"{column}"' in query["sql"].split(" FROM ")[0]]
        assert len(loading) <= 2 * canvases, loading
        assert all("JOIN" not in sql for sql in loading), loading


@pytest.mark.parametrize(
    ("path", "body"), [("tool-pairs", {"tool_pairs": [pair("a")]}), ("prompts", {"prompt": "Fix the parser"})]
)
def test_of_recent_messages_the_newest_are_kept_and_no_more_than_is_useful(
    alice: Api, path: str, body: dict[str, object]
) -> None:
    messages = [{"role": "user", "content": f"{n} " + "x" * 99_000} for n in range(20)]
    assert alice.post(f"sessions/s1/{path}", {**body, "recent_messages": messages}).status_code == 202
    kept = alice.session().recent_messages
    assert len(kept) <= RECENT_CHARACTERS
    assert json.loads(kept) == messages[-2:]
    alice.pairs(pair("b", tool_call_id="b"))
    alice.prompt("Go on with the parser")
    alice.process()
    assert alice.session().recent_messages == kept
    newer = [{"role": "assistant", "content": "\ud800"}]
    assert alice.post(f"sessions/s1/{path}", {**body, "recent_messages": newer}).status_code == 202
    assert json.loads(alice.session().recent_messages) == newer


@pytest.mark.parametrize("messages", [[1], {}, "text", 5])
def test_recent_messages_of_another_shape_are_refused_on_both_ways_in(alice: Api, messages: object) -> None:
    for path, body in (("tool-pairs", {"tool_pairs": [pair("a")]}), ("prompts", {"prompt": "Fix it"})):
        answer = alice.post(f"sessions/s1/{path}", {**body, "recent_messages": messages})
        assert answer.status_code == 422, path
        assert "recent_messages must be" in answer.json()["detail"]
    assert not Session.objects.exists()
