"""An agent's audit chain as a file of JSON Lines that can be verified without this program.

Each line is a JSON object in ASCII with exactly the fields named here, `kind` among them:

- `header`, first: `format` (`offload-audit-export-1`), `agent`, `exported_at`, `since` (`events`, how many come before
  the first that is exported, and the last one's `event_hash`; 0 and zeros for a whole chain), and `keys`: a list of
  objects with `public` (64 hex digits), `valid_from`, `valid_to` (or null) and `revoked`.
- `checkpoint`, any number: `agent, sequence, head_hash, timestamp, key_id, signature`.
- `event`, by ascending sequence: the fields of the event, and `bytes`, those that were signed.
- `end`, last: `events` and `checkpoints` (counts), `sha256` of all bytes before this line, `key_id`, `signature`.

Hashes are lower-case hex, signatures and `bytes` base64. What is signed is deterministic CBOR (RFC 8949, 4.2.1) of a
map: the fields of the line but `kind`, `signature` and `bytes`, hashes as byte strings, with `domain`
(`offload.audit-` and the kind) and `version` 1. An event's `payload` is replaced by `payload_hash`, the SHA-256 of
the map of `domain` (`offload.audit-payload`), `version` and `payload`; an end takes `agent` and `exported_at` from the
header. `prev_hash` is the SHA-256 of the map of `domain` (`offload.audit-row`), `version`, `event` (the signed bytes of
the event before) and `signature`. A text with a lone surrogate becomes a byte string of its generalised UTF-8.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from pipelines.audit import events as chain
from pipelines.audit import standalone_verify
from pipelines.audit.events import Checkpoint, Event, EventInvalid, Head
from pipelines.signing import cbor
from pipelines.signing.keys import PublicKey, SigningKey

FORMAT: Final = standalone_verify.FORMAT
END_DOMAIN: Final = "offload.audit-end"
VERIFIER: Final = Path(standalone_verify.__file__)
"""The script that verifies an export, to be handed out with it."""


def _base64(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


_AS_TEXT: Final[dict[str, Callable[[bytes], Any]]] = {
    "prev_hash": lambda raw: raw.hex(),
    "head_hash": lambda raw: raw.hex(),
    "signature": _base64,
}


def write(
    *,
    agent: str,
    events: Iterable[Event],
    checkpoints: Iterable[Checkpoint],
    keys: Iterable[PublicKey],
    since: Head | None,
    now: datetime,
    key: SigningKey | None,
) -> Iterator[bytes]:
    """Yield the lines of an export, sealed by `key` if there is one. Events stream through.

    Rows are exported as they are, also those with values no event can have, so that damage can be shown.
    """
    exported_at = chain.time_text(now)
    hashed = hashlib.sha256()
    counts = {"events": 0, "checkpoints": 0}
    for line in _lines_before_end(agent, exported_at, events, checkpoints, keys, since):
        raw = _line(line)
        hashed.update(raw)
        if f"{line['kind']}s" in counts:
            counts[f"{line['kind']}s"] += 1
        yield raw
    key_id = key.key_id if key else None
    sealed = {
        "agent": agent,
        "exported_at": exported_at,
        "sha256": hashed.digest(),
        "key_id": key_id,
        **counts,
    }
    signed = cbor.encode({"domain": END_DOMAIN, "version": chain.VERSION, **sealed})
    yield _line(
        {
            "kind": "end",
            **counts,
            "sha256": hashed.hexdigest(),
            "key_id": key_id,
            "signature": _base64(key.sign(signed)) if key else None,
        }
    )


def _lines_before_end(
    agent: str,
    exported_at: str,
    events: Iterable[Event],
    checkpoints: Iterable[Checkpoint],
    keys: Iterable[PublicKey],
    since: Head | None,
) -> Iterator[dict[str, Any]]:
    yield {
        "kind": "header",
        "format": FORMAT,
        "agent": agent,
        "exported_at": exported_at,
        "since": {
            "events": since.sequence if since else 0,
            "event_hash": (since.event_hash if since else chain.GENESIS).hex(),
        },
        "keys": [_key(key) for key in keys],
    }
    for point in checkpoints:
        yield {"kind": "checkpoint", **_readable(point)}
    for event in events:
        yield {"kind": "event", **_readable(event), "bytes": _signed_bytes(event)}


def _key(key: PublicKey) -> dict[str, Any]:
    return {
        "public": key.public.hex(),
        "valid_from": chain.time_text(key.valid_from),
        "valid_to": chain.time_text(key.valid_to) if key.valid_to else None,
        "revoked": key.revoked,
    }


def _readable(row: Event | Checkpoint) -> dict[str, Any]:
    shown: dict[str, Any] = {}
    for field in fields(row):
        value = getattr(row, field.name)
        as_text = _AS_TEXT.get(field.name)
        if value is not None and isinstance(value, bytes) != (as_text is not None):
            # A list stands nowhere in a good row, so an odd value cannot come to look like a good one.
            value = [type(value).__name__, str(value)]
        elif as_text and value is not None:
            value = as_text(value)
        shown[field.name] = value
    return shown


def _signed_bytes(event: Event) -> str | None:
    try:
        return _base64(chain.event_bytes(event))
    except EventInvalid:
        return None


def _line(line: dict[str, Any]) -> bytes:
    return json.dumps(line, separators=(",", ":"), default=str).encode("ascii") + b"\n"
