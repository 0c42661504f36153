"""Signed statements of where each chain ended, kept outside the database: they show a tail that was cut."""

from __future__ import annotations

import json
import os
from pathlib import Path

from django.conf import settings
from django.utils import timezone

from canvases.models import Agent, ChainHead
from canvases.services.keys import signing_key
from pipelines.audit import events as chain

KEPT = 1_000  # newest checkpoints that a verification looks at


def checkpoint_path(agent: Agent) -> Path:
    """Return the file of an agent's checkpoints, one JSON object a line; named by number, never by a name."""
    return Path(settings.OFFLOAD_HOME) / "checkpoints" / f"agent-{agent.pk}.jsonl"


def checkpoints_write() -> int:
    """State where each chain that grew ends now; return how many statements were added."""
    written = 0
    for row in ChainHead.objects.select_related("agent").filter(sequence__gt=0):
        newest = checkpoints(row.agent)[-1:]
        if newest and newest[0].sequence >= row.sequence:
            continue
        head = chain.Head(agent=row.agent.name, sequence=row.sequence, event_hash=bytes(row.event_hash))
        _append(checkpoint_path(row.agent), chain.checkpoint(head, now=timezone.now(), key=signing_key()))
        written += 1
    return written


def checkpoints(agent: Agent) -> list[chain.Checkpoint]:
    """Return the agent's newest checkpoints, oldest first."""
    path = checkpoint_path(agent)
    if not path.exists():
        return []
    lines = path.read_text(encoding="ascii").splitlines()[-KEPT:]
    return [_checkpoint(json.loads(line)) for line in lines if line.endswith("}")]


def _append(path: Path, point: chain.Checkpoint) -> None:
    path.parent.mkdir(mode=0o700, exist_ok=True)
    fields = {
        "agent": point.agent,
        "sequence": point.sequence,
        "head_hash": point.head_hash.hex(),
        "timestamp": point.timestamp,
        "key_id": point.key_id,
        "signature": point.signature.hex() if point.signature else None,
    }
    with path.open("a", encoding="ascii") as file:
        file.write(json.dumps(fields) + "\n")
        file.flush()
        os.fsync(file.fileno())


def _checkpoint(fields: dict[str, str | int | None]) -> chain.Checkpoint:
    return chain.Checkpoint(
        agent=str(fields["agent"]),
        sequence=int(fields["sequence"] or 0),
        head_hash=bytes.fromhex(str(fields["head_hash"])),
        timestamp=str(fields["timestamp"]),
        key_id=str(fields["key_id"]) if fields["key_id"] else None,
        signature=bytes.fromhex(str(fields["signature"])) if fields["signature"] else None,
    )
