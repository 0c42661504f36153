"""Someone edits the database by hand: the check finds it, and no read gives out what it touched."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import zstandard
from django.db import models

from canvases.models import Agent, ChainHead, OffloadedBlob, Reference, SignedEvent
from canvases.models.session import text_key
from canvases.services.offloads import offload_delete
from pipelines import blobs
from tests.conftest import Api, pair
from tests.integration.refs.acts import get, holds, put, refusal, undone

KEPT, LENT, OTHER, GONE, THEIRS = b"kept for good", b"kept for a time", b"another", b"gone", b"of the other"
Edit = Callable[[Any], Any]
HARMLESS = object()
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


@pytest.fixture
def stored(agent: Agent, other: Agent) -> dict[bytes, OffloadedBlob]:
    """Contents of each kind: kept for good, for a time, gone, and another agent's; one was read."""
    put(agent, KEPT)
    put(agent, LENT, namespace="lent", ttl_seconds=600)
    put(agent, OTHER)
    put(agent, GONE, ttl_seconds=1)
    offload_delete(agent=agent, actor="test", ref_id=blobs.ref_id(GONE))
    put(other, THEIRS)
    get(agent, blobs.ref_id(KEPT))
    assert holds(agent, other)
    rows = OffloadedBlob.objects.all()
    return {raw: rows.get(ref_id=blobs.ref_id(raw)) for raw in (KEPT, LENT, OTHER, GONE, THEIRS)}


def edits_of(model: type[models.Model], rules: dict[str, list[Edit] | object]) -> list[Any]:
    """Return each column with each edit; a column without a rule is an error of this file."""
    assert set(rules) == {field.name for field in model._meta.concrete_fields}
    return [
        pytest.param(name, edit, id=f"{name}-{number}")
        for name, edits in rules.items()
        if isinstance(edits, list)
        for number, edit in enumerate(edits)
    ]


def flipped(raw: bytes) -> bytes:
    return bytes([raw[0] ^ 1]) + raw[1:]


def to_other(_: Any) -> Any:
    return Agent.objects.get(name="ai:bob")


OF_BLOBS: dict[str, list[Edit] | object] = {
    "id": HARMLESS,  # only joins rows of this database; moving what points at it is tried below
    "agent": [to_other],
    "ref_id": [lambda _: blobs.ref_id(b"forged"), lambda old: old.lower(), lambda _: ""],
    "content_sha256": [lambda _: "0" * 64, lambda old: old.upper(), lambda _: "no hash", lambda _: ""],
    "content_zstd": [
        lambda _: blobs.pack(b"forged"),
        lambda _: b"",
        lambda old: old[:-1],
        lambda old: flipped(old),
        lambda old: old + blobs.pack(b"more"),
        lambda _: blobs.pack(b"\0" * 17 * 2**20),
    ],
    "codec": [lambda _: "identity", lambda _: ""],
    "size_bytes": [lambda old: old + 1, lambda _: 0, lambda _: -1, lambda _: 2**62],
    "tokens": [lambda old: old + 1, lambda _: -1],
    "gone_at": [lambda _: LONG_AGO],
    "gone_why": [lambda _: "deleted", lambda _: "expired"],
}


@pytest.mark.parametrize(("column", "edit"), edits_of(OffloadedBlob, OF_BLOBS))
@pytest.mark.parametrize("raw", [KEPT, LENT])
def test_an_edited_content_is_found_and_not_given_out(
    agent: Agent, other: Agent, stored: dict[bytes, OffloadedBlob], column: str, edit: Edit, raw: bytes
) -> None:
    row = stored[raw]
    OffloadedBlob.objects.filter(pk=row.pk).update(**{column: edit(getattr(row, column))})
    assert not holds(agent)
    if column in ("tokens", "gone_why"):  # tells nothing of the bytes or of who keeps them
        assert get(agent, row.ref_id) == raw
    else:
        assert refusal(agent, row.ref_id)
        assert refusal(other, row.ref_id)


@pytest.mark.parametrize(("column", "edit"), edits_of(OffloadedBlob, OF_BLOBS))
def test_an_edited_row_of_what_is_gone_is_found(
    agent: Agent, stored: dict[bytes, OffloadedBlob], column: str, edit: Edit
) -> None:
    row = stored[GONE]
    new = edit(getattr(row, column)) if column != "content_zstd" else blobs.pack(GONE)
    if new == getattr(row, column):
        new = "expired"
    OffloadedBlob.objects.filter(pk=row.pk).update(**{column: new})
    assert not holds(agent)
    assert refusal(agent, row.ref_id)


@pytest.mark.parametrize(
    "columns",
    [
        {"gone_at": None},
        {"gone_why": ""},
        {"gone_at": None, "gone_why": ""},
        {"gone_at": None, "gone_why": "", "content_zstd": blobs.pack(GONE)},
    ],
)
def test_what_is_gone_does_not_come_back_unseen(
    agent: Agent, stored: dict[bytes, OffloadedBlob], columns: dict[str, Any]
) -> None:
    OffloadedBlob.objects.filter(pk=stored[GONE].pk).update(**columns)
    assert not holds(agent)
    assert refusal(agent, stored[GONE].ref_id)


def test_the_same_content_compressed_otherwise_is_no_harm(
    agent: Agent, stored: dict[bytes, OffloadedBlob]
) -> None:
    """What is promised are the bytes that went in; no frame is signed."""
    for frame in (
        zstandard.ZstdCompressor(level=19).compress(KEPT),
        blobs.pack(KEPT[:4]) + blobs.pack(KEPT[4:]),
    ):
        OffloadedBlob.objects.filter(pk=stored[KEPT].pk).update(content_zstd=frame)
        assert get(agent, stored[KEPT].ref_id) == KEPT
        assert holds(agent)


def another_blob(_: Any) -> Any:
    return OffloadedBlob.objects.get(ref_id=blobs.ref_id(OTHER))


def another_letter(text: str) -> str:
    return text[:-1] + ("B" if text[-1] == "A" else "A")


def same_bits(text: str) -> str:
    """Another text for the same signature: the last letter's unused bits are set."""
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    return text[:-1] + letters[letters.index(text[-1]) + 1]


OF_REFERENCES: dict[str, list[Edit] | object] = {
    "id": HARMLESS,  # nothing points at it
    "blob": [another_blob],
    "namespace": [lambda _: "other", lambda old: old + " ", lambda _: ""],
    "namespace_key": [lambda _: text_key("other"), lambda _: ""],
    "media_type": [lambda _: "image/png", lambda _: ""],
    "stored_at": [lambda old: old - 1, lambda _: -1, lambda _: 2**62],
    "ttl_seconds": [lambda old: None if old else 60, lambda _: 10**9, lambda _: -1],
    "expires_at": [lambda old: None if old else 2**33, lambda _: 2**33, lambda _: 2**62, lambda _: -(2**62)],
    "key_id": [lambda _: None, lambda _: "", lambda _: "0" * 16],
    "signature_b64": [lambda _: "", another_letter, same_bits, lambda _: "?" * 86, lambda old: old[:-1]],
}


@pytest.mark.parametrize(("column", "edit"), edits_of(Reference, OF_REFERENCES))
@pytest.mark.parametrize("raw", [KEPT, LENT])
def test_an_edited_reference_is_found_and_keeps_nothing(
    agent: Agent, stored: dict[bytes, OffloadedBlob], column: str, edit: Edit, raw: bytes
) -> None:
    row = Reference.objects.get(blob=stored[raw])
    if column == "blob" and raw == KEPT:
        Reference.objects.filter(
            blob=another_blob(None)
        ).delete()  # a namespace has one reference to a content
    Reference.objects.filter(pk=row.pk).update(**{column: edit(getattr(row, column))})
    assert not holds(agent)
    assert refusal(agent, stored[raw].ref_id)


def test_a_life_prolonged_in_all_its_columns_is_found(
    agent: Agent, stored: dict[bytes, OffloadedBlob]
) -> None:
    for ttl, ends in ((None, None), (6000, models.F("expires_at") + 5400)):
        Reference.objects.filter(blob=stored[LENT]).update(ttl_seconds=ttl, expires_at=ends)
        assert not holds(agent)
        assert refusal(agent, stored[LENT].ref_id)


def test_a_namespace_renamed_in_both_its_columns_is_found(
    agent: Agent, stored: dict[bytes, OffloadedBlob]
) -> None:
    renamed = {"namespace": "n", "namespace_key": text_key("n")}
    Reference.objects.filter(blob=stored[KEPT]).update(**renamed)
    assert not holds(agent)
    assert refusal(agent, stored[KEPT].ref_id)


def test_a_reference_put_back_to_what_was_signed_before_is_found(
    agent: Agent, stored: dict[bytes, OffloadedBlob]
) -> None:
    """The older signature is a good one; only the events tell that another life counts since."""
    before = Reference.objects.filter(blob=stored[KEPT]).values().get()
    put(agent, KEPT, ttl_seconds=5)
    assert holds(agent)
    Reference.objects.filter(blob=stored[KEPT]).update(**before)
    assert not holds(agent)


def test_a_deleted_reference_that_is_put_back_is_found(
    agent: Agent, stored: dict[bytes, OffloadedBlob]
) -> None:
    reference = Reference.objects.get(blob=stored[KEPT])
    row = OffloadedBlob.objects.filter(pk=stored[KEPT].pk).values().get()
    offload_delete(agent=agent, actor="test", ref_id=stored[KEPT].ref_id)
    Reference.objects.bulk_create([reference])
    OffloadedBlob.objects.filter(pk=stored[KEPT].pk).update(**row)
    assert not holds(agent)


@pytest.mark.parametrize("raw", [KEPT, LENT, GONE])
def test_a_row_that_is_taken_away_is_found(
    agent: Agent, stored: dict[bytes, OffloadedBlob], raw: bytes
) -> None:
    for rows in (Reference.objects.filter(blob=stored[raw]), OffloadedBlob.objects.filter(pk=stored[raw].pk)):
        with undone():
            if rows.delete()[0]:
                assert not holds(agent)
            assert refusal(agent, stored[raw].ref_id)


def test_contents_that_change_places_are_found(
    agent: Agent, other: Agent, stored: dict[bytes, OffloadedBlob]
) -> None:
    for one, two in ((KEPT, OTHER), (KEPT, THEIRS)):
        for columns in (["content_zstd"], ["content_zstd", "size_bytes", "tokens"], ["agent_id"]):
            with undone():
                for target, source in ((stored[one], stored[two]), (stored[two], stored[one])):
                    values = {column: getattr(source, column) for column in columns}
                    OffloadedBlob.objects.filter(pk=target.pk).update(**values)
                if stored[one].agent_id != stored[two].agent_id or columns != ["agent_id"]:
                    assert not holds(agent)
                    assert refusal(agent, stored[one].ref_id)
                    assert refusal(other, stored[one].ref_id)


OF_EVENTS: dict[str, list[Edit] | object] = {
    "id": HARMLESS,  # an event's place is its sequence, which is signed
    "agent": [to_other],
    "sequence": [lambda old: old + 100, lambda _: 0, lambda _: -1],
    "event_id": [lambda _: "11111111-1111-4111-8111-111111111111", lambda old: old.upper(), lambda _: ""],
    "event_type": [lambda old: "deleted" if old != "deleted" else "offloaded", lambda _: ""],
    "actor": [lambda _: "person mallory", lambda _: ""],
    "outcome": [lambda _: "denied", lambda _: ""],
    "payload": [lambda _: {}, lambda old: {**old, "more": 1}, lambda old: {**old, "ref_id": 1.5}],
    "timestamp": [
        lambda old: old.replace("Z", "z"),
        lambda _: "2020-01-01T00:00:00.000000Z",
        lambda _: "",
    ],
    "prev_hash": [lambda _: b"\1" * 32, lambda _: b""],
    "key_id": [lambda _: None, lambda _: "0" * 16],
    "signature": [lambda _: None, flipped, lambda _: b""],
}


@pytest.mark.parametrize(("column", "edit"), edits_of(SignedEvent, OF_EVENTS))
def test_an_edited_event_is_found_wherever_it_stands(
    agent: Agent, other: Agent, stored: dict[bytes, OffloadedBlob], column: str, edit: Edit
) -> None:
    rows = list(SignedEvent.objects.filter(agent=agent))
    assert len(rows) == 6
    for row in rows:
        with undone():
            moved = {"sequence": 50} if column == "agent" else {}
            value = edit(getattr(row, column))
            SignedEvent.objects.filter(pk=row.pk).update(**{column: value}, **moved)
            assert not holds(agent, other)


def test_an_event_that_is_taken_away_is_found_wherever_it_stood(
    agent: Agent, stored: dict[bytes, OffloadedBlob]
) -> None:
    for row in SignedEvent.objects.filter(agent=agent):
        with undone():
            row.delete()
            assert not holds(agent)


@pytest.mark.parametrize("column", ["sequence", "event_hash"])
def test_an_edited_end_of_the_chain_is_found(
    agent: Agent, stored: dict[bytes, OffloadedBlob], column: str
) -> None:
    for value in {"sequence": [0, 3, 5, 7], "event_hash": [bytes(32), b"\1" * 32]}[column]:
        with undone():
            ChainHead.objects.filter(agent=agent).update(**{column: value})
            assert not holds(agent)
    ChainHead.objects.filter(agent=agent).delete()
    assert not holds(agent)


def test_what_a_session_keeps_is_guarded_in_the_same_way(alice: Api, charlie: Api) -> None:
    ref = alice.pairs(pair("a result")).json()["refs"][0]["ref_id"]
    edits: list[Callable[[], Any]] = [
        lambda: OffloadedBlob.objects.update(content_zstd=blobs.pack(b"forged")),
        lambda: OffloadedBlob.objects.update(agent=charlie.agent),
        lambda: OffloadedBlob.objects.update(gone_at=LONG_AGO + timedelta(1), gone_why="expired"),
        lambda: Reference.objects.update(signature_b64=""),
        lambda: Reference.objects.update(signature_b64="", key_id=None),
        lambda: Reference.objects.all().delete(),
    ]
    for edit in edits:
        with undone():
            edit()
            assert not holds(alice.agent)
            for reader in (alice, charlie):
                assert reader.get(f"refs/{ref}/raw").status_code in (404, 410, 500)
                answer = reader.get("deref", ref_id=ref)
                assert answer.status_code in (404, 410) or answer.json()["items"][0]["content"] is None
    assert alice.get(f"refs/{ref}/raw").content == b"a result"
    assert holds(alice.agent)
