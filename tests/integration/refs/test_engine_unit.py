"""The parts of storing and reading back, one by one."""

from __future__ import annotations

import pytest
import time_machine

from canvases.models import Agent, OffloadedBlob
from canvases.selectors.audit import chain_events
from canvases.services.expiry import references_expire
from canvases.services.offloads import OffloadRefused
from canvases.services.ref_reads import Refusal
from pipelines import blobs
from pipelines.signing import four_keys
from pipelines.signing.bundle import Bundle, bundle_bytes
from tests.integration.refs.acts import get, put, refusal


def test_ref_id_is_stable_for_identical_content() -> None:
    assert blobs.ref_id(b"same") == blobs.ref_id(b"same")
    assert blobs.ref_id(b"same").startswith("ofl_")
    assert len(blobs.ref_id(b"same").removeprefix("ofl_")) == 13


def test_ref_id_differs_for_distinct_content() -> None:
    assert blobs.ref_id(b"alpha") == "ofl_R3J7NLLILOKZ4"
    assert blobs.ref_id(b"beta") == "ofl_6RHGJZ27HFEOS"


def test_canonical_payload_is_deterministic() -> None:
    """Our own bundle has a domain tag, the owner and the life too; the one of four keys is read and written."""
    bundle = four_keys.FourKeys(content_sha256="deadbeef", namespace="ns", ref_id="ofl_X", stored_at=1234)
    expected = (
        "a46e636f6e74656e745f736861323536686465616462656566696e616d657370616365626e73"
        "667265665f6964656f666c5f586973746f7265645f61741904d2"
    )
    assert four_keys.write(bundle).hex() == four_keys.write(bundle).hex() == expected
    fields = {
        "agent": "a",
        "namespace": "ns",
        "ref_id": "ofl_X",
        "content_sha256": "0" * 64,
        "codec": "zstd",
        "media_type": "text/plain",
    }
    own = Bundle(**fields, size_bytes=1, stored_at=1234)
    assert bundle_bytes(own) == bundle_bytes(Bundle(**fields, size_bytes=1, stored_at=1234))
    raw = bundle_bytes(own)
    places = [
        raw.index(key.encode())
        for key in ("agent", "codec", "domain", "ref_id", "stored_at", "content_sha256")
    ]
    assert places == sorted(places), "shorter keys come first, as RFC 8949, 4.2.1 orders them"


def test_offload_deref_round_trip_no_signer(agent: Agent) -> None:
    """Nothing is stored without a signature; the round trip is the same."""
    reference = put(agent, "no signer")
    assert get(agent, reference.blob.ref_id) == b"no signer"
    assert reference.signature_b64


def test_offload_refuses_oversize_blob(agent: Agent) -> None:
    agent.offload_limit_bytes = 16
    with pytest.raises(OffloadRefused, match="22 bytes exceeds policy max 16"):
        put(agent, "x" * 22)
    assert not OffloadedBlob.objects.exists()


def test_deref_refuses_when_content_tampered(agent: Agent) -> None:
    ref = put(agent, "content").blob.ref_id
    OffloadedBlob.objects.update(content_zstd=blobs.pack(b"swapped"))
    assert refusal(agent, ref) == Refusal.DAMAGED


def test_deref_refuses_unknown_ref_id(agent: Agent) -> None:
    assert refusal(agent, "ofl_DOESNOTEXIST") == Refusal.NOT_FOUND


def test_deref_refuses_cross_agent_caller_with_notfound(agent: Agent, other: Agent) -> None:
    """There is no reader without a name: an operator names the agent whose content it is, and is noted."""
    ref = put(agent, "of alice").blob.ref_id
    assert refusal(other, ref) == Refusal.NOT_FOUND
    assert get(agent, ref) == b"of alice"
    assert [event.event_type for event in chain_events(other)] == ["refused"]


def test_sweep_purges_expired_rows(agent: Agent) -> None:
    alpha, beta = (put(agent, text, ttl_seconds=60) for text in ("alpha", "beta"))
    gamma = put(agent, "gamma")
    assert references_expire(at=gamma.stored_at + 3600).references == 2
    assert {refusal(agent, one.blob.ref_id) for one in (alpha, beta)} == {Refusal.NOT_FOUND}
    assert get(agent, gamma.blob.ref_id) == b"gamma"


def test_sweep_does_not_drop_blob_refreshed_after_select(agent: Agent) -> None:
    with time_machine.travel(1_800_000_000, tick=False) as clock:
        ref = put(agent, "refreshed", ttl_seconds=60).blob.ref_id
        clock.move_to(1_800_003_600)
        put(agent, "refreshed", ttl_seconds=60)
        assert references_expire(at=1_800_003_600).references == 0
        assert get(agent, ref) == b"refreshed"


def test_signed_events_chain_captures_offload_and_deref(agent: Agent) -> None:
    get(agent, put(agent, "captured").blob.ref_id)
    assert {event.event_type for event in chain_events(agent)} == {"offloaded", "dereferenced"}
