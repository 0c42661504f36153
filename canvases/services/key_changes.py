"""Changes of the keys that sign: one follows another, or is trusted, or is trusted no more."""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from canvases import server_key as own
from canvases.models import ChainHead, SigningKeyRecord
from canvases.selectors.keys import key_ring, public_key
from canvases.services.audit import Draft, events_append
from canvases.services.keys import signing_key
from pipelines.audit.kinds import EventType
from pipelines.signing.endorsement import endorse
from pipelines.signing.keys import KeyUnreadable, SigningKey

GRACE = timedelta(minutes=1)
"""How long a key that was followed by another may still sign, for processes in the middle of an act."""


class KeyChangeRefused(ValueError):
    """The keys cannot be changed so; the text says why."""


def key_rotate(*, actor: str) -> SigningKey:
    """Let a new key sign from now on; what the old one signed stays good. Raises KeyChangeRefused.

    The new key waits in a file until it is registered together with the end of the old one, so that a stop at
    any moment leaves a key that signs and is trusted.
    """
    if own.is_given():
        raise KeyChangeRefused(
            "OFFLOAD_SIGNING_KEY gives the key. Set it to another and restart, then trust the old one's id."
        )
    old, new = signing_key(), own.next_key_make()
    with transaction.atomic():
        _tell(EventType.KEY_ADDED, new.key_id, actor)
        _tell(EventType.KEY_RETIRED, old.key_id, actor)
        row = SigningKeyRecord(key_id=new.key_id, public=new.public)
        trusted = key_ring().keys
        for known in SigningKeyRecord.objects.select_for_update().filter(key_id__in=trusted):
            if known.key_id == old.key_id:
                known.valid_to = timezone.now() + GRACE
            known.endorsement = endorse(public_key(known), new)
            known.save()
        row.endorsement = endorse(public_key(row), new)
        row.save(force_insert=True)
    own.next_key_take()
    return new


def key_trust(key_id: str, *, actor: str) -> None:
    """Trust what a registered key signed up to now, though this server's key did not know it. The key signs no more.

    Raises KeyChangeRefused for an id that is not registered.
    """
    with transaction.atomic():
        row = _registered(key_id)
        row.valid_to = row.valid_to or timezone.now()
        _endorsed(row)
        _tell(EventType.KEY_RETIRED, key_id, actor)


def key_revoke(key_id: str, *, actor: str) -> None:
    """Trust nothing that a key signed, ever. Raises KeyChangeRefused for the key in use and unknown ids."""
    if key_id == signing_key().key_id:
        raise KeyChangeRefused(f"{key_id} is the key in use; rotate first, then revoke it.")
    with transaction.atomic():
        row = _registered(key_id)
        row.revoked = True
        _endorsed(row)
        _tell(EventType.KEY_REVOKED, key_id, actor)


def _registered(key_id: str) -> SigningKeyRecord:
    row = SigningKeyRecord.objects.select_for_update().filter(key_id=key_id).first()
    if row is None:
        raise KeyChangeRefused(f"No key {key_id} is registered; `signing_keys list` shows those that are.")
    return row


def _endorsed(row: SigningKeyRecord) -> None:
    try:
        row.endorsement = endorse(public_key(row), signing_key())
    except KeyUnreadable as error:
        raise KeyChangeRefused(f"The row of the key {row.key_id} is damaged: {error}.") from None
    row.save()


def _tell(event_type: EventType, key_id: str, actor: str) -> None:
    """Write the change into every chain."""
    for head in ChainHead.objects.select_related("agent").order_by("pk"):
        events_append(head.agent, [Draft(event_type=event_type, actor=actor, payload={"key_id": key_id})])
