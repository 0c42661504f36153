"""Storing and reading back: a whole turn, integrity, limits, lives, namespaces, owners, and the trail of it."""

from __future__ import annotations

from collections import Counter

import pytest
import time_machine

from canvases.models import Agent, OffloadedBlob, Reference
from canvases.selectors.audit import chain_events
from canvases.services.expiry import references_expire
from canvases.services.offloads import OffloadTooLarge
from canvases.services.ref_reads import Refusal, ref_read
from pipelines import blobs
from tests.integration.refs.acts import get, holds, put, refusal


def namespaces() -> Counter[str]:
    return Counter(Reference.objects.values_list("namespace", flat=True))


def test_offload_deref_roundtrip(agent: Agent) -> None:
    reference = put(agent, "hello world")
    ref = reference.blob.ref_id
    assert ref == "ofl_XFGSPOMTJU7AQ"
    assert len(ref) == 17
    read = ref_read(agent=agent, actor="test", how="test", ref_id=ref)
    assert read.content == b"hello world"
    assert read.blob.content_sha256 == reference.blob.content_sha256
    assert read.reference.stored_at == reference.stored_at


def test_offload_signature_verification_on_deref(agent: Agent) -> None:
    ref = put(agent, "the original content").blob.ref_id
    OffloadedBlob.objects.update(content_zstd=blobs.pack(b"REPLACED TAMPERED CONTENT"))
    assert refusal(agent, ref) == Refusal.DAMAGED


def test_offload_size_limit_enforced(agent: Agent) -> None:
    agent.offload_limit_bytes = 64
    put(agent, "x" * 60)
    put(agent, "y" * 64)
    with pytest.raises(OffloadTooLarge, match="offload blob 128 bytes exceeds policy max 64") as refused:
        put(agent, "x" * 128)
    assert refused.value.limit == 64
    assert OffloadedBlob.objects.count() == 2


def test_offload_ttl_expiry(agent: Agent) -> None:
    short = [put(agent, text, ttl_seconds=60) for text in ("one", "two")]
    permanent = put(agent, "three")
    assert references_expire(at=permanent.stored_at + 3600).references == 2
    assert [refusal(agent, one.blob.ref_id) for one in short] == [Refusal.NOT_FOUND] * 2
    assert get(agent, permanent.blob.ref_id) == b"three"


def test_offload_namespace_isolation(agent: Agent, other: Agent) -> None:
    """The same body from a second namespace or agent is one more reason to keep it; it never takes the first away,
    or whoever can guess a text could lock its owner out."""
    first = put(agent, "body one", namespace="a")
    second = put(agent, "body two", namespace="b")
    assert (namespaces()["a"], namespaces()["b"], namespaces()["c"]) == (1, 1, 0)
    again = put(other, "body one", namespace="c", ttl_seconds=1)
    assert again.blob.ref_id == first.blob.ref_id
    assert (namespaces()["a"], namespaces()["b"], namespaces()["c"]) == (1, 1, 1)
    references_expire(at=again.stored_at + 60)
    assert get(agent, first.blob.ref_id) == b"body one"
    assert get(agent, second.blob.ref_id) == b"body two"
    assert refusal(other, again.blob.ref_id) == Refusal.NOT_FOUND


def test_offload_tier_gating(agent: Agent) -> None:
    """Every reference is signed, whoever stores it: there is no way to store without a key."""
    reference = put(agent, "gated", namespace="tier")
    assert (reference.blob.agent, reference.namespace) == (agent, "tier")
    assert len(reference.signature_b64) == 86


def test_offload_signed_events_trail(agent: Agent) -> None:
    get(agent, put(agent, "trail").blob.ref_id)
    assert [event.event_type for event in chain_events(agent)] == ["offloaded", "dereferenced"]
    assert holds(agent)


def test_handle_deref_refuses_expired_blob(agent: Agent, other: Agent) -> None:
    """It is readable through its whole last second and not in the next, swept or not; so for everyone."""
    with time_machine.travel(1_800_000_000, tick=False) as clock:
        ref = put(agent, "short", ttl_seconds=5).blob.ref_id
        clock.move_to(1_800_000_005.9)
        assert get(agent, ref) == b"short"
        assert not references_expire().references
        clock.move_to(1_800_000_006)
        assert refusal(agent, ref) == Refusal.NOT_FOUND
        assert refusal(other, ref) == Refusal.NOT_FOUND
        assert OffloadedBlob.objects.get().gone_at is None
        assert references_expire().contents == 1
    assert holds(agent)
