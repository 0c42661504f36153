"""The keys that signatures are checked with."""

from __future__ import annotations

from canvases.models import SigningKeyRecord
from pipelines.signing import keys


def key_ring() -> keys.KeyRing:
    """Return the registered public keys with the time each was valid."""
    return keys.KeyRing.of(
        keys.PublicKey(
            public=bytes(row.public), valid_from=row.valid_from, valid_to=row.valid_to, revoked=row.revoked
        )
        for row in SigningKeyRecord.objects.all()
    )
