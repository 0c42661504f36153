"""What is written down in the audit chain, and how an act ended."""

from __future__ import annotations

from enum import StrEnum


class EventType(StrEnum):
    """What happened."""

    OFFLOADED = "offloaded"  # contents were stored, or stored again under a namespace
    DEREFERENCED = "dereferenced"  # stored contents were read back
    SEARCHED = "searched"  # parts of stored contents were shown to whoever searched
    REFUSED = "refused"  # a read or a write was denied, or a content failed its check
    COMPRESSED = "compressed"  # a message list was compressed
    IMPORTED = "imported"  # a transcript, or another server's data, was brought in
    EXPORTED = "exported"  # an agent's data was handed out as a whole
    LIFE_CHANGED = "life_changed"  # how long a content is kept was changed
    EXPIRED = "expired"  # a reference reached the end of its life and was taken away
    DELETED = "deleted"  # a person or a program had a reference deleted
    KEY_ADDED = "key_added"  # a key may sign from now on
    KEY_RETIRED = "key_retired"  # a key signs no more; what it signed stays good
    KEY_REVOKED = "key_revoked"  # a key is no longer trusted for anything it signed
    ACCESS_GRANTED = "access_granted"  # an API key or a login link was made
    ACCESS_REVOKED = "access_revoked"  # an API key was taken back
    CHECKPOINT = "checkpoint"  # the head of the chain was signed, to be kept elsewhere


class Outcome(StrEnum):
    """How it ended."""

    OK = "ok"  # done
    NOT_FOUND = "not_found"  # nothing of that name is the asker's
    DENIED = "denied"  # the asker may not
    EXPIRED = "expired"  # the content's life was over
    DAMAGED = "damaged"  # what is stored is not what was stored
    SIGNATURE_REFUSED = "signature_refused"  # the content's signature does not hold
    TOO_LARGE = "too_large"  # over a limit
    FAILED = "failed"  # anything else
