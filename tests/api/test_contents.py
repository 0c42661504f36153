"""Contents that come as the body itself, in any bytes and as large as the agent may store."""

from __future__ import annotations

import hashlib
import os
from typing import Any
from urllib.parse import urlencode

import pytest
from django.conf import settings
from django.http import HttpResponse
from django.test import Client

from canvases.api import schemas
from canvases.models import OffloadedBlob, Reference, SignedEvent
from canvases.selectors.limits import MOST_OFFLOAD_BYTES
from canvases.services.verification import agent_verify
from tests.api.test_body_cap import answered
from tests.conftest import Api


def put(api: Api, content: bytes, media_type: str = "text/plain", **query: Any) -> HttpResponse:
    headers = query.pop("headers", None)
    address = "/api/v1/contents" + (f"?{urlencode(query)}" if query else "")
    return api.client.put(address, content, content_type=media_type, headers=headers)


@pytest.mark.parametrize("content", [b"", b"kept", bytes(range(256)), b"\xef\xbb\xbf{\xff\r\n"])
def test_any_bytes_come_back_as_they_were_sent(alice: Api, content: bytes) -> None:
    answer = put(alice, content, "image/png", namespace="plans", ttl_seconds=60)
    assert answer.status_code == 201
    told = answer.json()
    schemas.OffloadOut.model_validate(told, strict=True)
    assert told["content_sha256"] == hashlib.sha256(content).hexdigest()
    assert (told["namespace"], told["size_bytes"]) == ("plans", len(content))
    assert told["expires_at"] == told["stored_at"] + 60
    assert alice.get(f"refs/{told['ref_id']}/raw").content == content
    assert not content or Reference.objects.get().media_type == "image/png"
    assert agent_verify(alice.agent).to_json()["holds"] is True


def test_it_is_the_same_content_as_one_that_came_in_json(alice: Api) -> None:
    one, other = put(alice, b"kept").json(), alice.post("offload", {"content": "kept"}).json()
    assert one["ref_id"] == other["ref_id"]
    assert OffloadedBlob.objects.count() == 1


def test_a_content_may_be_larger_than_any_json_body(alice: Api) -> None:
    alice.agent.offload_limit_bytes = MOST_OFFLOAD_BYTES
    alice.agent.save()
    content = os.urandom(1024) * (settings.OFFLOAD_MAX_BODY_BYTES // 1024 + 1)
    told = put(alice, content, "application/octet-stream").json()
    raw = alice.get(f"refs/{told['ref_id']}/raw").content
    assert hashlib.sha256(raw).hexdigest() == hashlib.sha256(content).hexdigest()


def test_one_over_the_agents_own_limit_is_refused_with_that_limit(alice: Api) -> None:
    refused = put(alice, b"x" * (2**20 + 1))
    assert (refused.status_code, refused.json()["limit"]) == (413, 2**20)
    assert refused["Content-Type"] == "application/problem+json"
    assert SignedEvent.objects.get().outcome == "too_large"
    assert not OffloadedBlob.objects.exists()


def test_one_over_every_limit_is_refused_unread(db: None) -> None:
    too_long = (b"content-length", str(MOST_OFFLOAD_BYTES + 1).encode())
    status, problem, taken = answered("/api/v1/contents", [], too_long, method="PUT")
    assert (status, problem["limit"], taken) == (413, MOST_OFFLOAD_BYTES, 0)
    assert "store it in parts" in problem["detail"]


@pytest.mark.parametrize(
    "query",
    [{"ttl_seconds": "x"}, {"ttl_seconds": 0}, {"namespace": "session/s1"}, {"namespace": "x" * 1001}],
)
def test_what_cannot_be_is_refused(alice: Api, query: dict[str, Any]) -> None:
    assert put(alice, b"x", **query).status_code == 422
    assert not OffloadedBlob.objects.exists()


def test_a_form_and_a_long_type_are_no_exception(alice: Api) -> None:
    assert put(alice, b"a=b", "application/x-www-form-urlencoded").status_code == 201
    assert put(alice, b"a=b", "x/" + "y" * 80).status_code == 422


def test_a_repeated_request_is_answered_once_and_another_query_is_another_request(alice: Api) -> None:
    headers = {"idempotency-key": "k1"}
    first, again = put(alice, b"x", headers=headers), put(alice, b"x", headers=headers)
    assert first.json() == again.json()
    assert SignedEvent.objects.count() == 1
    assert put(alice, b"x", namespace="other", headers=headers).status_code == 409


def test_nobody_stores_without_a_key(db: None) -> None:
    assert Client().put("/api/v1/contents", b"x").status_code == 401


def test_the_description_says_that_the_body_is_bytes(db: None) -> None:
    operation = Client().get("/api/v1/openapi.json").json()["paths"]["/api/v1/contents"]["put"]
    assert operation["requestBody"]["content"] == {"*/*": {"schema": {"type": "string", "format": "binary"}}}
    assert {"201", "401", "413", "422"} <= set(operation["responses"])
