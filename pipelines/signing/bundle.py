"""What is signed for a stored content: who keeps which bytes, where, how, and for how long."""

from __future__ import annotations

import hashlib
import re
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Final

from pipelines.signing import cbor
from pipelines.signing.keys import KeyRing, SignatureMissing, SigningKey

DOMAIN: Final = "offload.stored-content"
VERSION: Final = 1
MAX_TIME: Final = 253_402_300_799
"""The last second of the year 9999, in Unix time."""
_SHA256 = re.compile(r"[0-9a-f]{64}", re.ASCII)


class BundleInvalid(ValueError):
    """A field of a bundle has a value that cannot be; the text names it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """A reference to a stored content, as it is signed."""

    agent: str
    namespace: str
    ref_id: str
    content_sha256: str
    """64 lower-case hex digits, of the bytes before compression."""
    size_bytes: int
    codec: str
    """How the bytes are kept: `zstd`, `identity`."""
    media_type: str
    stored_at: int
    """Unix time in seconds."""
    ttl_seconds: int | None = None
    """None: for good."""
    expires_at: int | None = None
    """`stored_at + ttl_seconds`, Unix time in seconds; None: for good."""

    def __post_init__(self) -> None:
        if not _SHA256.fullmatch(self.content_sha256):
            raise BundleInvalid("content_sha256 must be 64 lower-case hex digits")
        if self.size_bytes < 0:
            raise BundleInvalid("size_bytes must be 0 or more")
        for name in ("stored_at", "expires_at"):
            if not 0 <= (getattr(self, name) or 0) <= MAX_TIME:
                raise BundleInvalid(f"{name} must be a Unix time up to {MAX_TIME}")
        if self.ttl_seconds is not None and self.ttl_seconds < 1:
            raise BundleInvalid("ttl_seconds must be 1 or more")
        ends = None if self.ttl_seconds is None else self.stored_at + self.ttl_seconds
        if self.expires_at != ends:
            raise BundleInvalid(f"expires_at must be {ends}, the time stored plus the time to live")


def bundle_bytes(bundle: Bundle) -> bytes:
    """Return the bytes that are signed: deterministic CBOR of the fields, a domain tag and a version."""
    return cbor.encode({"domain": DOMAIN, "version": VERSION, **asdict(bundle)})


def payload_hash(bundle: Bundle) -> bytes:
    """Return the SHA-256 (32 bytes) of the signed bytes."""
    return hashlib.sha256(bundle_bytes(bundle)).digest()


def sign(bundle: Bundle, key: SigningKey) -> bytes:
    """Return the signature (64 bytes) of a bundle."""
    return key.sign(bundle_bytes(bundle))


def verify(
    bundle: Bundle, *, key_id: str | None, signature: bytes | None, ring: KeyRing, must_be_signed: bool
) -> bool:
    """Return whether the bundle is signed; `must_be_signed` comes from the policy, never from the row.

    Raises the SignatureRefused that says why the signature does not hold, also when only one of key id and
    signature is left, and SignatureMissing when neither is there but must be.
    """
    if not key_id and not signature:
        if must_be_signed:
            raise SignatureMissing("the content is not signed, and must be")
        return False
    at = datetime.fromtimestamp(bundle.stored_at, UTC)
    ring.verify(key_id, signature, bundle_bytes(bundle), at=at)
    return True
