from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from canvases.models import ApiKey
from tests.conftest import Api, pair

OPEN = {"api/v1/health", "api/v1/openapi.json", "api/v1/docs"}
SAMPLES = {
    "session_id": "s1",
    "number": "1",
    "ref_id": "ofl_XFGSPOMTJU7AQ",
    "seq": "1",
    "pk": "1",
    "event_id": "1",
}


def addresses() -> list[str]:
    """Return a sample address of every pattern of the project."""
    found: list[str] = []

    def walk(prefix: str, resolver: Any) -> None:
        for pattern in resolver.url_patterns:
            text = prefix + str(pattern.pattern)
            if isinstance(pattern, URLResolver):
                walk(text, pattern)
            elif isinstance(pattern, URLPattern):
                found.append(text)

    walk("", get_resolver())
    return found


def sample(pattern: str) -> str:
    text = pattern.replace("^", "").replace("$", "").replace("\\Z", "")
    for name, value in SAMPLES.items():
        for kind in ("segment:", "int:", "str:", "slug:", ""):
            text = text.replace(f"<{kind}{name}>", value)
    return text


API_PATHS = sorted({sample(path) for path in addresses() if path.startswith("api/v1/")} - OPEN - {"api/v1/"})


@pytest.mark.parametrize("path", API_PATHS)
def test_every_api_address_but_the_open_ones_needs_a_key(db: None, path: str) -> None:
    assert "<" not in path, "give a sample value for this parameter"
    for headers in ({}, {"authorization": "Bearer nonsense"}, {"authorization": "Basic eDp5"}):
        client = Client(headers=headers)
        answers = [
            client.generic(method, f"/{path}", "{}", content_type="application/json")
            for method in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
        ]
        codes = {answer.status_code for answer in answers}
        assert codes <= {401, 405}, f"{path} answered {codes}"
        assert 401 in codes


def test_a_logged_in_person_is_no_api_client(owner_client: Client) -> None:
    assert owner_client.get("/api/v1/sessions").status_code == 401


def test_a_key_needs_no_csrf_token_and_a_cookie_does(alice: Api, django_user_model: Any) -> None:
    strict = Client(enforce_csrf_checks=True, headers={"authorization": f"Bearer {alice.key}"})
    body = '{"tool_pairs": [{"tool_name": "T", "result": "x"}]}'
    answer = strict.post("/api/v1/sessions/s1/tool-pairs", body, content_type="application/json")
    assert answer.status_code == 202
    with_cookie = Client(enforce_csrf_checks=True)
    with_cookie.force_login(django_user_model.objects.create_user("bob"))
    assert with_cookie.post("/logout/").status_code == 403


def test_a_wrong_key_is_told_from_none(db: None) -> None:
    none = Client().get("/api/v1/sessions").json()["detail"]
    wrong = Client(headers={"authorization": "Bearer ofk_wrong"}).get("/api/v1/sessions").json()["detail"]
    assert none.startswith("Send")
    assert "not known" in wrong


def test_a_revoked_key_opens_nothing(alice: Api) -> None:
    ApiKey.objects.update(revoked_at="2026-01-01T00:00:00Z")
    assert alice.get("sessions").status_code == 401


def test_a_key_is_kept_only_as_its_digest(alice: Api) -> None:
    row = ApiKey.objects.get()
    assert alice.key not in (row.key_sha256, row.prefix)
    assert len(row.key_sha256) == 64


def test_one_agent_never_sees_anothers_session_of_the_same_name(alice: Api, charlie: Api) -> None:
    alice.pairs(pair("secret of alice"), session="same")
    alice.process("same")
    charlie.pairs(pair("of charlie"), session="same")
    charlie.process("same")
    assert charlie.get("sessions/same").json()["pairs"] == 1
    lines = b"".join(charlie.get("sessions/same/offload.jsonl").streaming_content).decode()
    assert "alice" not in lines
    assert [item["session_id"] for item in charlie.get("sessions").json()["items"]] == ["same"]


@pytest.mark.parametrize(
    "path", ["", "/entries", "/offload.jsonl", "/canvases", "/canvases/1", "/canvases/1.mmd"]
)
def test_a_foreign_and_an_unknown_session_give_the_same_404(alice: Api, charlie: Api, path: str) -> None:
    alice.pairs(pair("secret"))
    alice.process()
    foreign, unknown = charlie.get(f"sessions/s1{path}"), charlie.get(f"sessions/none{path}")
    assert foreign.status_code == unknown.status_code == 404
    assert {**foreign.json(), "request_id": 0} == {**unknown.json(), "request_id": 0}


def test_unknown_addresses_and_methods_of_the_api_are_problems_too(alice: Api) -> None:
    unknown = alice.get("nothing/here")
    assert (unknown.status_code, unknown["Content-Type"]) == (404, "application/problem+json")
    wrong = alice.client.delete("/api/v1/sessions")
    assert (wrong.status_code, wrong["Content-Type"]) == (405, "application/problem+json")
    assert wrong.json()["request_id"] == wrong["X-Request-ID"]
