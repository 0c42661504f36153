"""The keys that signatures are checked with."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import UTC
from functools import lru_cache

from canvases.models import SigningKeyRecord
from canvases.server_key import server_keys
from pipelines.signing.endorsement import Endorsed, trusted
from pipelines.signing.keys import KeyRing, KeyUnreadable, PublicKey

log = logging.getLogger(__name__)


def key_ring() -> KeyRing:
    """Return the registered public keys that this server's key endorsed, with the time each was valid."""
    return _trusted(tuple(_rows()), tuple(key.public for key in server_keys()))


def _rows() -> Iterator[Endorsed]:
    """Yield the registered keys. A row that is damaged is none, so what its key signed counts no more."""
    for row in SigningKeyRecord.objects.order_by("key_id"):
        try:
            yield Endorsed(key=public_key(row), endorsement=bytes(row.endorsement or b"") or None)
        except KeyUnreadable as error:
            log.error("the row of the signing key %s is damaged: %s", row.key_id, error)


@lru_cache(maxsize=8)
def _trusted(rows: tuple[Endorsed, ...], servers: tuple[bytes, ...]) -> KeyRing:
    """Check the endorsements of a table of keys once, and again when anything in it is another."""
    return trusted(rows, servers)


def public_key(row: SigningKeyRecord) -> PublicKey:
    """Return a registered key as signatures are checked with it. Raises KeyUnreadable for a damaged row."""
    if row.valid_from is None:  # what a time that makes no sense reads as
        raise KeyUnreadable("it does not say from when the key is valid")
    key = PublicKey(
        public=bytes(row.public),
        valid_from=row.valid_from.astimezone(UTC),
        valid_to=row.valid_to.astimezone(UTC) if row.valid_to else None,
        revoked=row.revoked,
    )
    if row.key_id != key.key_id:
        raise KeyUnreadable(f"its key is {key.key_id}")
    return key
