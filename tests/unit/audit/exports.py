"""Exports to test with, and the stand-alone script run over them."""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pipelines.audit import events, export, standalone_verify
from pipelines.audit.events import Checkpoint, Event, Head
from pipelines.signing.keys import PublicKey, SigningKey
from tests.unit.audit.making import KEY, PUBLIC, START

REPORT_FIELDS = {
    "holds",
    "agent",
    "rows_checked",
    "unsigned",
    "first_sequence",
    "last_sequence",
    "breaks",
    "signature_failures",
}


def lines_of(
    rows: Iterable[Event],
    points: Iterable[Checkpoint] = (),
    *,
    keys: Iterable[PublicKey] = (PUBLIC,),
    since: Head | None = None,
    key: SigningKey | None = KEY,
    agent: str = "alice",
) -> list[bytes]:
    return list(
        export.write(agent=agent, events=rows, checkpoints=points, keys=keys, since=since, now=START, key=key)
    )


def with_head(rows: list[Event]) -> list[bytes]:
    return lines_of(rows, [events.checkpoint(events.head_of(rows[-1]), now=START, key=KEY)])


def run(lines: Iterable[bytes], *options: str) -> tuple[int, dict[str, Any]]:
    """Run the script in this process, and return its exit status and report."""
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
        file.write(b"".join(lines))
        file.flush()
        out, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            code = standalone_verify.main([file.name, "--json", *options])
    report = json.loads(out.getvalue() or "{}")
    assert not report or set(report) == REPORT_FIELDS
    assert bool(errors.getvalue()) == (code == standalone_verify.UNREADABLE)
    return code, report


def script_in(folder: Path) -> Path:
    path = folder / "verify.py"
    path.write_bytes(export.VERIFIER.read_bytes())
    return path
