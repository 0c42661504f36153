from __future__ import annotations

import base64
import hashlib
from typing import Any

import pytest

from canvases.api import schemas
from canvases.models import Agent, OffloadedBlob, Reference, SignedEvent
from canvases.services.expiry import references_expire
from canvases.services.verification import agent_verify
from tests.conftest import Api, pair

YEAR_9999 = 253_402_300_799


def offload(api: Api, content: str = "kept", **fields: Any) -> dict[str, Any]:
    answer = api.post("offload", {"content": content, **fields})
    assert answer.status_code == 201, answer.content
    schemas.OffloadOut.model_validate(answer.json(), strict=True)
    body: dict[str, Any] = answer.json()
    return body


def test_what_is_offloaded_reads_back_byte_for_byte(alice: Api) -> None:
    told = offload(alice, "héllo 世界 \x00 \ud800")
    raw = alice.get(f"refs/{told['ref_id']}/raw").content
    assert raw == "héllo 世界 \x00 ".encode() + b"\xed\xa0\x80"
    assert hashlib.sha256(raw).hexdigest() == told["content_sha256"]
    item = alice.get("deref", ref_id=told["ref_id"]).json()["items"][0]
    assert item["content"] == "héllo 世界 \x00 \ud800"
    assert item["signature"]["namespace"] == told["namespace"] == "auto"
    assert item["signature"]["signature"]
    assert item["signature"]["expires_at"] is None


def test_bytes_come_as_base64(alice: Api) -> None:
    content = bytes(range(256))
    answer = alice.post(
        "offload", {"content_base64": base64.b64encode(content).decode(), "media_type": "image/png"}
    )
    assert alice.get(f"refs/{answer.json()['ref_id']}/raw").content == content
    assert Reference.objects.get().media_type == "image/png"


@pytest.mark.parametrize("ttl", [0, -1, 1.5, "60", True, 2**63, 10**30, [1], 3_155_760_001])
def test_a_time_to_live_that_is_none_is_refused(alice: Api, ttl: Any) -> None:
    answer = alice.post("offload", {"content": "x", "ttl_seconds": ttl})
    assert answer.status_code == 422
    assert "ttl_seconds must be a whole number" in answer.json()["detail"]
    assert not OffloadedBlob.objects.exists()


@pytest.mark.parametrize("namespace", ["session/s1", "session/", "x" * 1001, 5, ["auto"]])
def test_a_namespace_that_cannot_be_is_refused(alice: Api, namespace: Any) -> None:
    assert alice.post("offload", {"content": "x", "namespace": namespace}).status_code == 422


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"content": None},
        {"content": 5},
        {"content": ["x"]},
        {"content": "x", "content_base64": "eA=="},
        {"content_base64": "?"},
        {"content_base64": "é"},
        {"content": "x", "media_type": ""},
        {"content": "x", "media_type": "a\nb"},
        [],
        "x",
        None,
    ],
)
def test_a_body_without_a_content_is_refused(alice: Api, body: Any) -> None:
    answer = alice.post("offload", body if isinstance(body, dict | list) else "null")
    assert answer.status_code == 422
    assert answer["Content-Type"] == "application/problem+json"


def test_each_agent_has_its_own_limit(alice: Api, charlie: Api) -> None:
    large = "x" * (2**20 + 1)
    refused = alice.post("offload", {"content": large})
    assert refused.status_code == 413
    assert refused.json()["limit"] == 2**20
    detail = refused.json()["detail"]
    assert detail.startswith("offload blob 1048577 bytes exceeds policy max 1048576; ")
    assert "manage.py agents alice --offload-limit-mb N" in detail
    assert SignedEvent.objects.get(agent=alice.agent).outcome == "too_large"
    assert offload(alice, large[:-1])["size_bytes"] == 2**20
    Agent.objects.filter(name="charlie").update(offload_limit_bytes=20 * 2**20)
    big = "y" * (17 * 2**20)
    told = offload(charlie, big)
    assert alice.get(f"refs/{told['ref_id']}/raw").status_code == 404
    assert charlie.get(f"refs/{told['ref_id']}/raw").content == big.encode()


def test_the_newest_time_to_live_counts_and_each_namespace_has_its_own(alice: Api) -> None:
    told = offload(alice, ttl_seconds=60)
    assert told["expires_at"] == told["stored_at"] + 60
    offload(alice, namespace="other", ttl_seconds=600)
    assert OffloadedBlob.objects.count() == 1
    offload(alice, ttl_seconds=120)
    lives = dict(Reference.objects.values_list("namespace", "ttl_seconds"))
    assert lives == {"auto": 120, "other": 600}
    assert offload(alice)["expires_at"] is None
    assert agent_verify(alice.agent).to_json()["holds"] is True


def test_a_content_of_a_session_outlives_every_time_to_live(alice: Api) -> None:
    alice.pairs(pair("kept"))
    told = offload(alice, "kept", ttl_seconds=1)
    references_expire(at=YEAR_9999)
    assert alice.get(f"refs/{told['ref_id']}/raw").content == b"kept"
    assert agent_verify(alice.agent).to_json()["holds"] is True


def test_what_is_gone_says_since_when_and_why_and_can_be_stored_again(alice: Api) -> None:
    told = offload(alice, ttl_seconds=1)
    references_expire(at=YEAR_9999)
    for answer in (
        alice.get(f"refs/{told['ref_id']}/raw"),
        alice.get("deref", ref_id=told["ref_id"]),
    ):
        assert answer.status_code == 410
        assert "the content was expired at 20" in answer.json()["detail"]
    assert bytes(OffloadedBlob.objects.get().content_zstd) == b""
    assert SignedEvent.objects.filter(event_type="expired", actor="sweep").count() == 1
    assert agent_verify(alice.agent).to_json()["holds"] is True
    offload(alice)
    assert alice.get(f"refs/{told['ref_id']}/raw").content == b"kept"
    assert agent_verify(alice.agent).to_json()["holds"] is True


def test_a_deleted_namespace_keeps_nothing_and_leaves_the_others(alice: Api, charlie: Api) -> None:
    told = offload(alice)
    offload(alice, namespace="other")
    offload(charlie)
    address = f"refs/{told['ref_id']}"
    assert charlie.client.delete(f"/api/v1/{address}?namespace=other").status_code == 404
    assert alice.client.delete(f"/api/v1/{address}").status_code == 204
    assert alice.get(f"{address}/raw").status_code == 200
    assert alice.client.delete(f"/api/v1/{address}").status_code == 404
    assert alice.client.delete(f"/api/v1/{address}?namespace=other").status_code == 204
    gone = alice.get(f"{address}/raw")
    assert gone.status_code == 410
    assert "the content was deleted at" in gone.json()["detail"]
    assert charlie.get(f"{address}/raw").content == b"kept"
    assert agent_verify(alice.agent).to_json()["holds"] is True


def test_what_a_session_keeps_cannot_be_deleted_from_outside(alice: Api) -> None:
    ref = alice.pairs(pair("kept")).json()["refs"][0]["ref_id"]
    answer = alice.client.delete(f"/api/v1/refs/{ref}?namespace=session/s1")
    assert answer.status_code == 422
    assert alice.get(f"refs/{ref}/raw").status_code == 200


def test_a_repeated_request_is_answered_once(alice: Api) -> None:
    first = alice.post("offload", {"content": "x"}, **{"idempotency-key": "k1"})
    again = alice.post("offload", {"content": "x"}, **{"idempotency-key": "k1"})
    assert first.json() == again.json()
    assert SignedEvent.objects.count() == 1


def test_what_is_only_said_to_be_json_is_read_as_text(alice: Api) -> None:
    ref_id = offload(alice, content="no JSON", media_type="application/json")["ref_id"]
    assert alice.get("deref", ref_id=ref_id).json()["items"][0]["content"] == "no JSON"
    answer = alice.get("deref", ref_id=ref_id, json_path="$.a")
    assert answer.status_code == 422
