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
LARGEST_FILE = 2**20  # bytes; a larger one is cut to those that are looked at
_LONGEST_LINE = 2_048  # bytes


def checkpoint_path(agent: Agent) -> Path:
    """Return the file of an agent's checkpoints, one JSON object a line; named by number, never by a name."""
    return Path(settings.OFFLOAD_HOME) / "checkpoints" / f"agent-{agent.pk}.jsonl"


def checkpoints_write() -> int:
    """State where each chain that grew ends now; return how many statements were added."""
    written = 0
    for row in ChainHead.objects.select_related("agent").filter(sequence__gt=0):
        newest = checkpoints(row.agent, most=1)
        if newest and newest[0].sequence >= row.sequence:
            continue
        head = chain.Head(agent=row.agent.name, sequence=row.sequence, event_hash=bytes(row.event_hash))
        _append(checkpoint_path(row.agent), chain.checkpoint(head, now=timezone.now(), key=signing_key()))
        written += 1
    return written


def checkpoints(agent: Agent, *, most: int = KEPT) -> list[chain.Checkpoint]:
    """Return the agent's newest checkpoints, oldest first; half a line that a full disk left is none."""
    path = checkpoint_path(agent)
    lines = _newest_lines(path, most) if path.exists() else []
    return [point for line in lines if (point := _checkpoint(line))]


def _newest_lines(path: Path, most: int) -> list[str]:
    """Return the newest whole lines of the file, of which no more is read than they can be long."""
    with path.open("rb") as file:
        start = max(0, path.stat().st_size - most * _LONGEST_LINE)
        file.seek(start)
        lines = file.read().decode("ascii", "replace").splitlines()[1 if start else 0 :]
    return [line for line in lines if line.startswith("{") and line.endswith("}")][-most:]


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
    _write(path, "a", [json.dumps(fields)])
    if path.stat().st_size > LARGEST_FILE:
        shorter = path.with_suffix(".new")
        _write(shorter, "w", _newest_lines(path, KEPT))
        os.replace(shorter, path)


def _write(path: Path, mode: str, lines: list[str]) -> None:
    with path.open(mode, encoding="ascii") as file:
        file.writelines(f"{line}\n" for line in lines)
        file.flush()
        os.fsync(file.fileno())


def _checkpoint(line: str) -> chain.Checkpoint | None:
    try:
        fields = json.loads(line)
        return chain.Checkpoint(
            agent=str(fields["agent"]),
            sequence=int(fields["sequence"]),
            head_hash=bytes.fromhex(fields["head_hash"]),
            timestamp=str(fields["timestamp"]),
            key_id=fields["key_id"],
            signature=bytes.fromhex(fields["signature"]) if fields["signature"] else None,
        )
    except (KeyError, TypeError, ValueError, RecursionError):
        return None
