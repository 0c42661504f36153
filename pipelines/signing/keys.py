"""Ed25519 keys: the one that signs, and the ring of public ones with the time each was valid."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key

SEED_BYTES = 32
SIGNATURE_BYTES = 64


class SigningError(ValueError):
    """A key or a signature is not what it must be."""


class KeyUnreadable(SigningError):
    """What was given is no Ed25519 key."""


class SignatureRefused(SigningError):
    """A signature proves nothing; the subclass says why."""


class SignatureMissing(SignatureRefused):
    """There is no signature where one must be."""


class SignatureWrong(SignatureRefused):
    """The key did not sign these bytes."""


class KeyUnknown(SignatureRefused):
    """The ring has no key of this id."""


class KeyOutsideValidity(SignatureRefused):
    """The key was not valid at the time of signing."""


class KeyRevoked(SignatureRefused):
    """The key was revoked: nothing it signed counts, whatever time is written there."""


def key_id_of(public: bytes) -> str:
    """Return the id of a raw public key (32 bytes): the first 16 hex digits of its SHA-256."""
    return hashlib.sha256(public).hexdigest()[:16]


@dataclass(frozen=True, slots=True, kw_only=True)
class SigningKey:
    """A private key, with its public half and id."""

    private: Ed25519PrivateKey = field(repr=False)
    public: bytes
    """32 raw bytes."""
    key_id: str

    def sign(self, message: bytes) -> bytes:
        """Return the 64 bytes of the signature (pure Ed25519, RFC 8032)."""
        return self.private.sign(message)


def from_seed(seed: bytes) -> SigningKey:
    """Make the key of a seed of 32 random bytes. Raises KeyUnreadable for another length."""
    if len(seed) != SEED_BYTES:
        raise KeyUnreadable(f"a seed has {SEED_BYTES} bytes, this has {len(seed)}")
    return _signing_key(Ed25519PrivateKey.from_private_bytes(seed))


def from_pem(pem: bytes, password: bytes | None = None) -> SigningKey:
    """Read a private key in PEM (PKCS#8). Raises KeyUnreadable for anything else."""
    try:
        private = load_pem_private_key(pem, password)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise KeyUnreadable(f"this PEM text holds no readable private key: {error}") from error
    if not isinstance(private, Ed25519PrivateKey):
        raise KeyUnreadable("the private key is not an Ed25519 key")
    return _signing_key(private)


def _signing_key(private: Ed25519PrivateKey) -> SigningKey:
    public = private.public_key().public_bytes_raw()
    return SigningKey(private=private, public=public, key_id=key_id_of(public))


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicKey:
    """A public key and when what it signed counts: from the second of `valid_from` up to before `valid_to`."""

    public: bytes
    """32 raw bytes."""
    valid_from: datetime
    valid_to: datetime | None = None
    """None while the key is in use."""
    revoked: bool = False
    key_id: str = field(init=False)
    _verifier: Ed25519PublicKey = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        try:
            verifier = Ed25519PublicKey.from_public_bytes(self.public)
        except ValueError as error:
            raise KeyUnreadable(f"these {len(self.public)} bytes are no Ed25519 public key") from error
        if any(time is not None and time.tzinfo is None for time in (self.valid_from, self.valid_to)):
            raise KeyUnreadable("the times of a key need their time zone")
        object.__setattr__(self, "key_id", key_id_of(self.public))
        object.__setattr__(self, "_verifier", verifier)

    def verify(self, signature: bytes | None, message: bytes, *, at: datetime) -> None:
        """Raise the SignatureRefused that says why `signature` does not prove `message`, signed at `at`."""
        if not signature:
            raise SignatureMissing("there is no signature")
        if self.revoked:
            raise KeyRevoked(f"key {self.key_id} was revoked")
        # Contents are stored at whole seconds, so one stored just after its key came seems to be before it.
        begins = self.valid_from.replace(microsecond=0)
        if at < begins or (self.valid_to is not None and at >= self.valid_to):
            until = self.valid_to.isoformat() if self.valid_to else "now"
            raise KeyOutsideValidity(
                f"key {self.key_id} was valid from {self.valid_from.isoformat()} to {until}"
            )
        if len(signature) != SIGNATURE_BYTES:
            raise SignatureWrong(f"a signature has {SIGNATURE_BYTES} bytes, this has {len(signature)}")
        try:
            self._verifier.verify(signature, message)
        except InvalidSignature:
            raise SignatureWrong(f"key {self.key_id} did not sign this") from None


@dataclass(frozen=True, slots=True)
class KeyRing:
    """The public keys that are trusted, by id."""

    keys: Mapping[str, PublicKey] = field(default_factory=lambda: MappingProxyType({}))

    @classmethod
    def of(cls, keys: Iterable[PublicKey]) -> KeyRing:
        """Make a ring. Raises KeyUnreadable when two keys share an id."""
        by_id: dict[str, PublicKey] = {}
        for key in keys:
            if by_id.setdefault(key.key_id, key) != key:
                raise KeyUnreadable(f"two keys have the id {key.key_id}")
        return cls(MappingProxyType(by_id))

    def verify(self, key_id: str | None, signature: bytes | None, message: bytes, *, at: datetime) -> None:
        """Raise the SignatureRefused that says why this is no signature of a trusted key over `message`."""
        if not key_id or not signature:
            raise SignatureMissing("there is no signature")
        key = self.keys.get(key_id)
        if key is None:
            raise KeyUnknown(f"no key {key_id} is known")
        key.verify(signature, message, at=at)
