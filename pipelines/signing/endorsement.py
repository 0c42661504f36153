"""What a server's key says of the public keys it trusts, so that nobody adds one by editing a table."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final

from pipelines.signing import cbor
from pipelines.signing.keys import KeyRing, PublicKey, SignatureRefused, SigningKey

DOMAIN: Final = "offload.trusted-key"
VERSION: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Endorsed:
    """A public key as a table has it, with the signature under what is said of it."""

    key: PublicKey
    endorsement: bytes | None
    """64 bytes."""


def endorsement_bytes(key: PublicKey) -> bytes:
    """Return the bytes that are signed: deterministic CBOR of the key, its times, a domain tag and a version."""
    return cbor.encode(
        {
            "domain": DOMAIN,
            "version": VERSION,
            "public": key.public,
            "valid_from": key.valid_from.isoformat(),
            "valid_to": key.valid_to.isoformat() if key.valid_to else None,
            "revoked": key.revoked,
        }
    )


def endorse(key: PublicKey, by: SigningKey) -> bytes:
    """Return the signature (64 bytes) under what is said of a key."""
    return by.sign(endorsement_bytes(key))


def trusted(rows: Iterable[Endorsed], servers: Collection[bytes]) -> KeyRing:
    """Return the ring of the keys that one of the server's own keys (32 raw bytes each) endorsed."""
    return KeyRing.of(row.key for row in rows if any(_endorsed(row, by) for by in servers))


def _endorsed(row: Endorsed, by: bytes) -> bool:
    speaker = PublicKey(public=by, valid_from=row.key.valid_from)
    try:
        speaker.verify(row.endorsement, endorsement_bytes(row.key), at=row.key.valid_from)
    except SignatureRefused:
        return False
    return True
