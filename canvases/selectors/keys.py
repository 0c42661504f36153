"""The keys that signatures are checked with."""

from __future__ import annotations

from datetime import UTC
from functools import lru_cache

from canvases.models import SigningKeyRecord
from canvases.server_key import server_keys
from pipelines.signing.endorsement import Endorsed, trusted
from pipelines.signing.keys import KeyRing, PublicKey


def key_ring() -> KeyRing:
    """Return the registered public keys that this server's key endorsed, with the time each was valid."""
    rows = [
        Endorsed(key=public_key(row), endorsement=bytes(row.endorsement) if row.endorsement else None)
        for row in SigningKeyRecord.objects.order_by("key_id")
    ]
    return _trusted(tuple(rows), tuple(key.public for key in server_keys()))


@lru_cache(maxsize=8)
def _trusted(rows: tuple[Endorsed, ...], servers: tuple[bytes, ...]) -> KeyRing:
    """Check the endorsements of a table of keys once, and again when anything in it is another."""
    return trusted(rows, servers)


def public_key(row: SigningKeyRecord) -> PublicKey:
    """Return a registered key as signatures are checked with it."""
    return PublicKey(
        public=bytes(row.public),
        valid_from=row.valid_from.astimezone(UTC),
        valid_to=row.valid_to.astimezone(UTC) if row.valid_to else None,
        revoked=row.revoked,
    )
