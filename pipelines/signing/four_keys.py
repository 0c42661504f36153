"""The signed bundle of ai-memory: a CBOR map of four keys in alphabetical order, read and written."""

from __future__ import annotations

import base64
import binascii
import hashlib
from dataclasses import dataclass
from io import BytesIO
from typing import Final

import cbor2

from pipelines.signing.keys import SIGNATURE_BYTES, SignatureWrong

_KEYS: Final = ("content_sha256", "namespace", "ref_id", "stored_at")
_MOST_BYTES: Final = 2**20


class BundleUnreadable(ValueError):
    """These bytes are not a bundle of four keys in its one form."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FourKeys:
    """What such a bundle binds: the content's hash, its label, a namespace, and when it was stored."""

    content_sha256: str
    namespace: str
    ref_id: str
    stored_at: int
    """Unix time in seconds, 64 bits with sign."""


def write(bundle: FourKeys) -> bytes:
    """Return the bundle's bytes: its keys in alphabetical order, which is not that of RFC 8949, 4.2.1."""
    return cbor2.dumps({key: getattr(bundle, key) for key in _KEYS})


def read(raw: bytes) -> FourKeys:
    """Return what the bytes say. Raises BundleUnreadable unless they are what `write` makes of it."""
    if len(raw) > _MOST_BYTES:
        raise BundleUnreadable(f"a bundle has at most {_MOST_BYTES} bytes")
    try:
        fields = cbor2.CBORDecoder(BytesIO(raw)).decode()
    except (cbor2.CBORDecodeError, ValueError, TypeError, RecursionError) as error:
        raise BundleUnreadable(f"this is not CBOR: {error}") from error
    if type(fields) is not dict or tuple(fields) != _KEYS:
        raise BundleUnreadable(f"a bundle is a map of {', '.join(_KEYS)}, in this order")
    texts = all(type(fields[key]) is str for key in _KEYS[:3])
    if not texts or type(fields["stored_at"]) is not int or abs(fields["stored_at"]) >= 2**63:
        raise BundleUnreadable("a bundle holds three texts and a whole number")
    bundle = FourKeys(**fields)
    if write(bundle) != raw:
        raise BundleUnreadable("these bytes say the same in another form than the one that is signed")
    return bundle


def payload_hash(bundle: FourKeys) -> bytes:
    """Return the SHA-256 (32 bytes) of the bundle's bytes, which stands in the audit rows."""
    return hashlib.sha256(write(bundle)).digest()


def signature_text(signature: bytes) -> str:
    """Write a signature (64 bytes) as in a blob's row: base64url without padding, 86 characters."""
    return base64.urlsafe_b64encode(signature).decode().rstrip("=")


def signature_of_text(text: str) -> bytes | None:
    """Read the signature of a blob's row; an empty text means unsigned. Raises SignatureWrong otherwise."""
    if not text:
        return None
    try:
        signature = base64.b64decode(text + "==", altchars=b"-_", validate=True)
    except (binascii.Error, ValueError) as error:
        raise SignatureWrong(f"the signature is not base64url: {error}") from error
    if len(signature) != SIGNATURE_BYTES or signature_text(signature) != text:
        raise SignatureWrong(f"the signature is not {SIGNATURE_BYTES} bytes in base64url without padding")
    return signature
