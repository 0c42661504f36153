from __future__ import annotations

from dataclasses import fields, replace
from datetime import UTC, datetime
from typing import Any

import cbor2
import pytest

from pipelines.signing import bundle as bundles
from pipelines.signing import keys

KEY = keys.from_seed(bytes(range(32)))
SINCE = datetime(2020, 1, 1, tzinfo=UTC)
RING = keys.KeyRing.of([keys.PublicKey(public=KEY.public, valid_from=SINCE)])
GOOD = bundles.Bundle(
    agent="alice",
    namespace="tenant-a/scratch",
    ref_id="ofl_XFGSPOMTJU7AQ",
    content_sha256="b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9",
    size_bytes=11,
    codec="zstd",
    media_type="text/plain",
    stored_at=1_780_000_000,
    ttl_seconds=60,
    expires_at=1_780_000_060,
)
OTHER: dict[str, Any] = {
    "agent": "bob",
    "namespace": "tenant-a/scratch ",
    "ref_id": "ofl_R3J7NLLILOKZ4",
    "content_sha256": "8ed3f6ad685b959ead7022518e1af76cd816f8e8ec7ccdda1ed4018e8f2223f8",
    "size_bytes": 12,
    "codec": "identity",
    "media_type": "text/html",
}


def verify(bundle: bundles.Bundle, signature: bytes | None, key_id: str | None = KEY.key_id) -> bool:
    return bundles.verify(bundle, key_id=key_id, signature=signature, ring=RING, must_be_signed=True)


def test_the_signed_bytes_are_deterministic_cbor_of_every_field() -> None:
    raw = bundles.bundle_bytes(GOOD)
    read = cbor2.loads(raw)
    assert read == {
        "domain": "offload.stored-content",
        "version": 1,
        **{field.name: getattr(GOOD, field.name) for field in fields(GOOD)},
    }
    written = [cbor2.dumps(key) for key in read]
    assert written == sorted(written)
    assert raw == cbor2.dumps(read)
    assert (
        bundles.payload_hash(GOOD).hex() == "c8de604a405e079443bc70ca29398bd56a82eeaf1a30f0dbf456888497d0da6f"
    )


def test_a_signed_bundle_verifies() -> None:
    assert verify(GOOD, bundles.sign(GOOD, KEY))


@pytest.mark.parametrize("name", OTHER)
def test_no_field_can_be_edited_under_a_signature(name: str) -> None:
    with pytest.raises(keys.SignatureWrong):
        verify(replace(GOOD, **{name: OTHER[name]}), bundles.sign(GOOD, KEY))


@pytest.mark.parametrize(
    "edit",
    [
        {"stored_at": GOOD.stored_at + 1, "expires_at": GOOD.stored_at + 61},
        {"ttl_seconds": 61, "expires_at": GOOD.stored_at + 61},
        {"ttl_seconds": None, "expires_at": None},
    ],
)
def test_neither_time_nor_life_can_be_edited_under_a_signature(edit: dict[str, Any]) -> None:
    with pytest.raises(keys.SignatureWrong):
        verify(replace(GOOD, **edit), bundles.sign(GOOD, KEY))


@pytest.mark.parametrize("key_id", [None, "", KEY.key_id])
def test_taking_the_signature_away_does_not_switch_the_check_off(key_id: str | None) -> None:
    with pytest.raises(keys.SignatureMissing):
        verify(GOOD, None, key_id)


def test_unsigned_passes_where_the_policy_allows_it_but_half_a_signature_never() -> None:
    def lax(key_id: str | None, signature: bytes | None) -> bool:
        return bundles.verify(GOOD, key_id=key_id, signature=signature, ring=RING, must_be_signed=False)

    assert lax(None, None) is False
    assert lax("", b"") is False
    with pytest.raises(keys.SignatureMissing):
        lax(KEY.key_id, None)
    with pytest.raises(keys.SignatureMissing):
        lax(None, bundles.sign(GOOD, KEY))


@pytest.mark.parametrize(
    "edit",
    [
        {"content_sha256": "B" * 64},
        {"content_sha256": "b" * 63},
        {"size_bytes": -1},
        {"stored_at": -1},
        {"stored_at": 2**60},
        {"ttl_seconds": 0, "expires_at": GOOD.stored_at},
        {"ttl_seconds": -1, "expires_at": GOOD.stored_at - 1},
        {"ttl_seconds": 2**62, "expires_at": GOOD.stored_at + 2**62},
        {"expires_at": None},
        {"ttl_seconds": None},
    ],
)
def test_values_that_cannot_be_are_refused_before_anything_is_signed(edit: dict[str, Any]) -> None:
    with pytest.raises(bundles.BundleInvalid):
        replace(GOOD, **edit)


def test_any_namespace_can_be_signed() -> None:
    for namespace in ("", "\x00", "\ud800", "名前", "x" * 100_000):
        odd = replace(GOOD, namespace=namespace)
        assert verify(odd, bundles.sign(odd, KEY))
