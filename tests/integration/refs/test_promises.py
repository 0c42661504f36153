"""What the store of references promises whoever relies on it, one promise a test."""

from __future__ import annotations

import tracemalloc
from typing import Any

import pytest
import zstandard
from django.db import connection
from django.test.utils import CaptureQueriesContext

from canvases.models import Agent, OffloadedBlob, Reference, SignedEvent
from canvases.services.ref_reads import RefRefused, Refusal, ref_read
from pipelines import blobs
from tests.conftest import Api
from tests.integration.refs.acts import TWINS, TWINS_REF, get, holds, put, refusal, sha256_of


def test_two_contents_with_one_label_are_both_kept_and_told_apart(agent: Agent) -> None:
    for content in TWINS:
        assert put(agent, content).blob.ref_id == TWINS_REF
    assert refusal(agent, TWINS_REF) == Refusal.SEVERAL
    with pytest.raises(RefRefused, match=sha256_of(TWINS[1])):
        get(agent, TWINS_REF)
    assert [get(agent, TWINS_REF, sha256_of(content)) for content in TWINS] == list(TWINS)
    assert holds(agent)


def test_two_contents_with_one_label_are_told_apart_over_http(alice: Api, charlie: Api) -> None:
    for content in TWINS:
        assert alice.post("offload", {"content": content.decode()}).json()["ref_id"] == TWINS_REF
    charlie.post("offload", {"content": TWINS[0].decode()})
    assert alice.get(f"refs/{TWINS_REF}/raw").status_code == 409
    for content in TWINS:
        raw = alice.get(f"refs/{TWINS_REF}/raw", sha256=sha256_of(content))
        assert raw.content == content
    items = alice.get("deref", ref_id=TWINS_REF).json()["items"]
    assert {item["content"] for item in items} == {content.decode() for content in TWINS}
    assert charlie.get(f"refs/{TWINS_REF}/raw").content == TWINS[0]


@pytest.mark.parametrize("claim", [{"agent_id": "alice"}, {"metadata": {"agent_id": "alice"}}])
def test_a_name_that_a_caller_claims_counts_for_nothing(
    alice: Api, charlie: Api, claim: dict[str, Any]
) -> None:
    """Who someone is comes from the key."""
    told = charlie.post("offload", {"content": "of charlie", **claim}).json()
    assert OffloadedBlob.objects.get().agent == charlie.agent
    assert alice.get(f"refs/{told['ref_id']}/raw").status_code == 404
    theirs = alice.post("offload", {"content": "of alice"}).json()
    assert charlie.get("deref", ref_id=theirs["ref_id"], agent_id="alice").status_code == 404


def test_a_content_whose_event_cannot_be_written_is_not_stored(agent: Agent) -> None:
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE signed_events RENAME TO moved_away")
    with pytest.raises(Exception, match="signed_events"):
        put(agent, "without a trail")
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE moved_away RENAME TO signed_events")
    assert not OffloadedBlob.objects.exists()
    assert not Reference.objects.exists()


def test_a_read_whose_event_cannot_be_written_is_not_answered(agent: Agent) -> None:
    ref = put(agent, "read in secret").blob.ref_id
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE signed_events RENAME TO moved_away")
    with pytest.raises(Exception, match="signed_events"):
        get(agent, ref)
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE moved_away RENAME TO signed_events")
    assert get(agent, ref) == b"read in secret"


def test_reader_and_refusal_are_noted_in_the_log_of_who_asked(agent: Agent, other: Agent) -> None:
    ref = put(agent, "of alice").blob.ref_id
    with pytest.raises(RefRefused):
        ref_read(agent=other, actor="key of bob", how="cli", ref_id=ref)
    ref_read(agent=agent, actor="person owner", how="page", ref_id=ref)
    told = SignedEvent.objects.order_by("pk").values_list("agent__name", "event_type", "actor", "outcome")
    assert list(told)[1:] == [
        ("ai:bob", "refused", "key of bob", "not_found"),
        ("ai:alice", "dereferenced", "person owner", "ok"),
    ]


def test_what_is_not_the_askers_is_not_even_looked_at(agent: Agent, other: Agent) -> None:
    """A content of another agent and one of nobody cost the same statements, and no bytes are loaded."""
    ref = put(agent, "of alice").blob.ref_id
    refusal(other, "ofl_AAAAAAAAAAAAA")
    statements = []
    for asked in (ref, "ofl_AAAAAAAAAAAAA"):
        with CaptureQueriesContext(connection) as captured:
            assert refusal(other, asked) == Refusal.NOT_FOUND
        texts = [one["sql"] for one in captured]
        assert not [sql for sql in texts if "content_zstd" in sql.split("FROM")[0]]
        assert [sql for sql in texts if "offloaded_blobs" in sql and '"agent_id" =' in sql]
        statements.append(len(texts))
    assert statements[0] == statements[1]


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        (blobs.pack(b"\0" * 17 * 2**20), Refusal.TOO_LARGE),
        (zstandard.ZstdCompressor(write_content_size=False).compress(b"\0" * 17 * 2**20), Refusal.TOO_LARGE),
        (blobs.pack(b"x" * 1000)[:-8], Refusal.DAMAGED),
        (b"no frame", Refusal.DAMAGED),
        (b"", Refusal.DAMAGED),
        (blobs.pack(b"\xff\xfe"), Refusal.DAMAGED),
    ],
)
def test_a_frame_that_is_no_content_is_refused_by_its_kind_in_little_memory(
    agent: Agent, frame: bytes, expected: Refusal
) -> None:
    ref = put(agent, "content").blob.ref_id
    OffloadedBlob.objects.update(content_zstd=frame)
    tracemalloc.start()
    assert refusal(agent, ref) == expected
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 20 * 2**20
    assert SignedEvent.objects.order_by("-sequence").values_list("event_type", flat=True)[0] == "refused"


def test_times_are_signed_as_the_text_that_is_stored(agent: Agent) -> None:
    """Both databases keep the very text, to the microsecond, so a chain can be moved from one to the other."""
    put(agent, "timed")
    with connection.cursor() as cursor:
        cursor.execute("SELECT timestamp FROM signed_events")
        (text,) = cursor.fetchone()
    assert isinstance(text, str)
    assert len(text) == len("2026-05-28T20:26:40.123456Z")


def test_damaged_bytes_are_made_good_by_storing_the_content_again(agent: Agent) -> None:
    """What is acknowledged is readable, whatever the row held before; nothing is signed that is not so."""
    reference = put(agent, "stored again")
    edits: list[dict[str, Any]] = [
        {"content_zstd": b"broken"},
        {"size_bytes": 5},
        {"ref_id": "ofl_AAAAAAAAAAAAA"},
        {"gone_why": "expired"},
        {"codec": "unknown"},
    ]
    for edit in edits:
        OffloadedBlob.objects.update(**edit)
        assert not holds(agent)
        put(agent, "stored again")
        assert get(agent, reference.blob.ref_id) == b"stored again", edit
        assert holds(agent), edit
    for columns in ({"signature_b64": ""}, {"media_type": "image/png"}, {"key_id": None}):
        Reference.objects.update(**columns)
        assert refusal(agent, reference.blob.ref_id) == Refusal.UNTRUSTED
        put(agent, "stored again")
        assert get(agent, reference.blob.ref_id) == b"stored again"
        assert holds(agent), columns


def test_a_large_content_is_read_in_parts_and_searched_in_place(alice: Api) -> None:
    text = "\n".join(f"line {number}" for number in range(5_000))
    ref = alice.post("offload", {"content": text}).json()["ref_id"]
    part = alice.get("deref", ref_id=ref, lines="4000-4001").json()["items"][0]
    assert part["content"] == "line 3999\nline 4000\n"
    found = alice.get("deref", ref_id=ref, grep="line 4321").json()["items"][0]
    assert found["matches"] == 1
    some = alice.client.get(f"/api/v1/refs/{ref}/raw", headers={"range": "bytes=0-5"})
    assert (some.status_code, some.content) == (206, b"line 0")
