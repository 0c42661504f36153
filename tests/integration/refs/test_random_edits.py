"""Any edits of the three tables, several at once: they are found, and no read gives out other bytes."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import DatabaseError, models, transaction
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from canvases.models import Agent, OffloadedBlob, Reference, SignedEvent
from canvases.selectors.contents import blob_read
from canvases.services.offloads import offload_delete
from pipelines import blobs
from tests.integration.refs.acts import get, holds, put, undone

TABLES: tuple[type[models.Model], ...] = (OffloadedBlob, Reference, SignedEvent)
NO_HARM = {"id"}  # a number that only joins rows; what is joined is edited through the columns that point
CONTENTS = (b"one", b"two " * 50, bytes(range(256)), b"")


@dataclass(frozen=True)
class Edit:
    """One column of one row changed, set to what another row has, or the row taken away."""

    table: int
    row: int
    column: int
    how: str
    number: int


EDITS = st.builds(
    Edit,
    table=st.integers(0, len(TABLES) - 1),
    row=st.integers(0, 30),
    column=st.integers(0, 30),
    how=st.sampled_from(["change", "change", "change", "copy", "null", "delete"]),
    number=st.integers(-(2**40), 2**40),
)


@pytest.fixture
def kept(agent: Agent, other: Agent) -> dict[tuple[str, str], bytes]:
    """Return what the agents keep, by owner and hash."""
    for number, content in enumerate(CONTENTS):
        put(agent, content, ttl_seconds=900 * number or None)
        put(agent, content, namespace="again")
        put(other, content, namespace=f"n{number % 2}")
    put(agent, "gone")
    offload_delete(agent=agent, actor="test", ref_id=blobs.ref_id(b"gone"))
    get(agent, blobs.ref_id(b"one"))
    assert holds(agent, other)
    owners = (agent.name, other.name)
    return {(name, hashlib.sha256(raw).hexdigest()): raw for raw in CONTENTS for name in owners}


def changed(value: Any, number: int) -> Any:
    """Return another value of the same kind."""
    if value is None or isinstance(value, int):
        return (value or 0) + number
    if isinstance(value, str):
        at = number % (len(value) + 1)
        return value[:at] + chr(97 + number % 26) + value[at + 1 :]
    if isinstance(value, bytes | memoryview):
        raw = bytes(value)
        at = number % (len(raw) + 1)
        return raw[:at] + bytes([number % 256]) + raw[at + 1 :]
    if isinstance(value, datetime):
        return value + timedelta(seconds=number % 10**6)
    return {**value, "more": number}


def carry_out(edit: Edit) -> None:
    """Do the edit; raises DatabaseError when the database refuses it."""
    model = TABLES[edit.table]
    rows = list(model._default_manager.order_by("pk"))
    if not rows:
        return
    row, source = rows[edit.row % len(rows)], rows[edit.number % len(rows)]
    if edit.how == "delete":
        model._default_manager.filter(pk=row.pk).delete()
        return
    fields = [field for field in model._meta.concrete_fields if field.name not in NO_HARM]
    name = fields[edit.column % len(fields)].attname
    value = getattr(row, name)
    if edit.how == "copy" or name.endswith("_id"):
        value = getattr(source, name)
    else:
        value = changed(value, edit.number) if edit.how == "change" else None
    model._default_manager.filter(pk=row.pk).update(**{name: value})


def meaning() -> list[Any]:
    """Return all that the rows say; of a frame, what it holds."""
    rows: list[Any] = []
    for model in TABLES:
        for row in model._default_manager.order_by("pk").values():
            if model is OffloadedBlob:
                row["content_zstd"] = unpacked(bytes(row["content_zstd"]), row["content_sha256"])
            rows.append({name: value for name, value in row.items() if name not in NO_HARM})
    return rows


def unpacked(frame: bytes, sha256: str) -> bytes:
    try:
        return blobs.unpack(frame, sha256=sha256, max_bytes=2**20)
    except blobs.BlobError:
        return b"unreadable " + frame


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(edits=st.lists(EDITS, min_size=1, max_size=4))
def test_edits_are_found_and_give_out_no_other_bytes(
    agent: Agent, other: Agent, kept: dict[tuple[str, str], bytes], edits: list[Edit]
) -> None:
    with undone():
        before = meaning()
        done = 0
        for edit in edits:
            try:
                with transaction.atomic():
                    carry_out(edit)
                done += 1
            except (DatabaseError, OverflowError, TypeError):
                continue  # no value of this column
        assume(done and meaning() != before)
        assert not holds(agent, other), edits
        for row in OffloadedBlob.objects.select_related("agent"):
            read = blob_read(row)
            if read.content is not None:
                assert kept[row.agent.name, row.content_sha256] == read.content
