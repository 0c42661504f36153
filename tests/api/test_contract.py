"""The published OpenAPI document against what the server answers."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.test import Client

from canvases.api import schemas
from canvases.api.search import SearchOut
from tests.conftest import Api, pair

OUTLINE = {
    ("get", "/api/v1/health"): schemas.HealthOut,
    ("get", "/api/v1/audit/events"): schemas.EventListOut,
    ("get", "/api/v1/sessions"): schemas.SessionListOut,
    ("get", "/api/v1/sessions/{session_id}"): schemas.SessionOut,
    ("get", "/api/v1/sessions/{session_id}/entries"): schemas.EntryListOut,
    ("get", "/api/v1/sessions/{session_id}/canvases"): schemas.CanvasListOut,
    ("get", "/api/v1/sessions/{session_id}/canvases/{number}"): schemas.CanvasOut,
    ("get", "/api/v1/sessions/{session_id}/canvases/{number}/revisions"): schemas.RevisionListOut,
}
FILES = {
    "/api/v1/sessions/{session_id}/offload.jsonl": "application/jsonl",
    "/api/v1/sessions/{session_id}/canvases/{number}.mmd": "text/vnd.mermaid; charset=utf-8",
}


@pytest.fixture
def document(db: None) -> dict[str, Any]:
    return dict(Client().get("/api/v1/openapi.json").json())


def path_of(template: str) -> str:
    return template.removeprefix("/api/v1/").replace("{session_id}", "s1").replace("{number}", "1")


@pytest.mark.parametrize(("method", "path"), OUTLINE)
def test_each_documented_read_answers_in_its_documented_shape(
    alice: Api, document: dict[str, Any], method: str, path: str
) -> None:
    alice.pairs(pair("a"), pair({"b": 1}, tool_call_id="c2"))
    alice.process()
    assert method in document["paths"][path]
    answer = alice.get(path_of(path))
    assert answer.status_code == 200
    schema = OUTLINE[method, path]
    read = schema.model_validate(answer.json(), strict=True)
    assert read.model_dump() == answer.json(), "something is undocumented"


@pytest.mark.parametrize("path", FILES)
def test_each_documented_file_is_served_as_its_type(alice: Api, document: dict[str, Any], path: str) -> None:
    alice.pairs(pair("a"))
    alice.process()
    assert path in document["paths"]
    answer = alice.get(path_of(path))
    assert (answer.status_code, answer["Content-Type"]) == (200, FILES[path])


def test_posting_and_reading_back_answer_in_their_documented_shape(alice: Api) -> None:
    answer = alice.pairs(pair("a"), {"tool_name": 5})
    schemas.ToolPairsOut.model_validate(answer.json(), strict=True)
    schemas.PromptOut.model_validate(alice.prompt("go").json(), strict=True)
    found = alice.get("deref", ref_id=answer.json()["refs"][0]["ref_id"])
    schemas.DerefOut.model_validate(found.json(), strict=True)
    schemas.VerificationOut.model_validate(alice.post("audit/verify", {}).json(), strict=True)
    alice.process()
    found = alice.get("search", q="a").json()
    assert found["items"]
    assert SearchOut.model_validate(found, strict=True).model_dump() == found


def test_every_address_of_the_document_is_tested_here(document: dict[str, Any]) -> None:
    others = {
        "/api/v1/sessions/{session_id}/tool-pairs",
        "/api/v1/sessions/{session_id}/prompts",
        "/api/v1/deref",
        "/api/v1/search",
        "/api/v1/refs/{ref_id}/raw",
        "/api/v1/audit/verify",
        "/api/v1/offload",
        "/api/v1/sessions/{session_id}/compress",
        "/api/v1/sessions/{session_id}/compressions",
        "/api/v1/sessions/{session_id}/compressions/{event_id}",
        "/api/v1/contents",
        "/api/v1/refs",
        "/api/v1/refs/{ref_id}",
        "/api/v1/sessions/{session_id}/events",
    }
    assert set(document["paths"]) == {path for _, path in OUTLINE} | set(FILES) | others


def test_an_error_never_echoes_what_was_sent(alice: Api) -> None:
    secret = "tvly-SECRET-0123456789"
    answers = [
        alice.post("sessions/s1/tool-pairs", f'{{"tool_pairs": "{secret}"}}'),
        alice.post("sessions/s1/tool-pairs", f'{{"{secret}'),
        alice.pairs({"tool_name": "", "result": secret}),
        alice.pairs(pair(secret, timestamp=secret)),
        alice.get("deref", ref_id="x", lines=secret),
        alice.get("sessions", after=secret),
        alice.get(f"sessions/{secret}"),
    ]
    for answer in answers:
        assert answer.status_code >= 400
        schemas.ProblemOut.model_validate(answer.json(), strict=True)
        assert secret not in answer.content.decode()


def test_every_reference_of_the_description_leads_somewhere(db: None) -> None:
    for _ in range(2):  # the description is made anew for each request
        text = Client().get("/api/v1/openapi.json").content.decode()
        names = set(re.findall(r'"#/components/schemas/([^"]+)"', text))
        assert "ToolPairIn" in names
        assert names <= set(json.loads(text)["components"]["schemas"])


def test_the_docs_page_loads_nothing_from_elsewhere(db: None) -> None:
    page = Client().get("/api/v1/docs")
    assert page.status_code == 200
    assert "//cdn" not in page.content.decode()
    assert "script-src 'self'" in page["Content-Security-Policy"]
