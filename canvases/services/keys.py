"""The key that signs, registered when it is first used."""

from __future__ import annotations

from canvases import server_key as own
from canvases.models import SigningKeyRecord
from canvases.selectors.keys import public_key
from pipelines.signing.endorsement import endorse
from pipelines.signing.keys import SigningKey


def signing_key() -> SigningKey:
    """Return the key that signs now, its public half registered. Raises ImproperlyConfigured with the cure."""
    key = own.server_key()
    row = SigningKeyRecord.objects.filter(key_id=key.key_id).first()
    if row is None:
        return _register(key)
    if row.valid_to is not None and _follow(key):
        return own.server_key()
    return key


def _register(key: SigningKey) -> SigningKey:
    row = SigningKeyRecord(key_id=key.key_id, public=key.public)
    row.endorsement = endorse(public_key(row), key)
    SigningKeyRecord.objects.bulk_create([row], ignore_conflicts=True)
    return key


def _follow(key: SigningKey) -> bool:
    """Finish a change of keys that was cut short after the new key was registered; say if there was one."""
    following = None if own.is_given() else own.next_key()
    if following is None or not SigningKeyRecord.objects.filter(key_id=following.key_id).exists():
        return False
    own.next_key_take()
    return True
