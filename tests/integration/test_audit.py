from __future__ import annotations

import hashlib
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.models import F
from django.test import Client
from django.utils import timezone

from canvases.models import Agent, ChainHead, OffloadedBlob, SignedEvent, SigningKeyRecord, ToolPair
from canvases.services.checkpoints import checkpoints_write
from canvases.services.key_changes import key_rotate
from canvases.services.verification import agent_verify
from pipelines import blobs
from tests.conftest import Api, pair
from tests.integration.test_races import store, together


@pytest.fixture(autouse=True)
def home(settings: Any, tmp_path: Path) -> Path:
    settings.OFFLOAD_HOME = tmp_path
    return tmp_path


@pytest.fixture
def used(alice: Api) -> Api:
    """An agent with three results, one of them read, and one miss."""
    alice.pairs(pair("one"), pair("two", tool_call_id="c2"), pair("three", tool_call_id="c3"))
    alice.get("deref", tool_call_id="c2", session_id="s1")
    alice.get("deref", ref_id="ofl_AAAAAAAAAAAAA")
    return alice


def kinds(alice: Api) -> list[tuple[str, str]]:
    return list(
        SignedEvent.objects.filter(agent=alice.agent)
        .order_by("sequence")
        .values_list("event_type", "outcome")
    )


def test_every_store_read_and_miss_is_an_event_of_who_did_it(used: Api) -> None:
    assert kinds(used) == [("offloaded", "ok")] * 3 + [("dereferenced", "ok"), ("refused", "not_found")]
    actors = set(SignedEvent.objects.values_list("actor", flat=True))
    assert actors == {f"key {used.key[:12]}"}
    assert agent_verify(used.agent).to_json()["holds"] is True


def test_a_person_who_opens_a_result_is_named(alice: Api, owner_client: Client) -> None:
    alice.pairs(pair("one"))
    alice.process()
    owner_client.get(f"/sessions/{alice.session().pk}/entries/1/")
    assert SignedEvent.objects.order_by("sequence").last().actor == "person owner"  # type: ignore[union-attr]


def test_a_repeated_post_stores_nothing_and_is_no_event(alice: Api) -> None:
    alice.pairs(pair("one"))
    alice.pairs(pair("one"))
    assert kinds(alice) == [("offloaded", "ok")]


def test_a_damaged_content_is_refused_and_noted_and_found(used: Api) -> None:
    OffloadedBlob.objects.filter(pairs__seq=1).update(content_zstd=blobs.pack(b"forged"))
    item = used.get("deref", tool_call_id="c1", session_id="s1").json()["items"][0]
    assert item["content"] is None
    assert kinds(used)[-1] == ("refused", "damaged")
    found = agent_verify(used.agent)
    assert [one.kind for one in found.blobs.failures] == ["altered"]
    assert found.exit_code == 4


def test_contents_swapped_with_their_hash_are_found_by_the_chain(used: Api) -> None:
    forged = b"forged"
    digest = hashlib.sha256(forged).hexdigest()
    forgery = {"content_sha256": digest, "ref_id": blobs.ref_id(forged), "size_bytes": len(forged)}
    OffloadedBlob.objects.filter(pairs__seq=1).update(content_zstd=blobs.pack(forged), **forgery)
    found = {one.kind.value for one in agent_verify(used.agent).blobs.failures}
    assert found == {"unrecorded", "missing", "signature"}
    item = used.get("deref", tool_call_id="c1", session_id="s1").json()["items"][0]
    assert item["content"] is None
    assert kinds(used)[-1] == ("refused", "signature_refused")


def test_a_deleted_content_is_found(used: Api) -> None:
    ToolPair.objects.filter(seq=1).delete()
    OffloadedBlob.objects.filter(pairs=None).delete()
    assert [one.kind for one in agent_verify(used.agent).blobs.failures] == ["missing"]


@pytest.mark.parametrize(
    ("change", "value"),
    [
        ("event_id", "11111111-1111-4111-8111-111111111111"),
        ("event_type", "deleted"),
        ("actor", "person mallory"),
        ("outcome", "denied"),
        ("payload", {"ref_id": "ofl_XFGSPOMTJU7AQ"}),
        ("timestamp", "2020-01-01T00:00:00.000000Z"),
        ("prev_hash", bytes(32)),
        ("key_id", "0" * 16),
        ("key_id", None),
        ("signature", bytes(64)),
        ("signature", None),
        ("sequence", 99),
    ],
)
def test_a_change_of_any_column_of_an_event_is_found(used: Api, change: str, value: Any) -> None:
    SignedEvent.objects.filter(sequence=3).update(**{change: value})
    found = agent_verify(used.agent)
    assert found.to_json()["holds"] is False
    assert found.exit_code in (1, 3)


@pytest.mark.skipif(connection.vendor != "sqlite", reason="other databases refuse a value of another kind")
@pytest.mark.parametrize("value", ["", "text", -1, 2**62, b"", b"\xff"])
@pytest.mark.parametrize(
    ("table", "column"),
    [
        ("signed_events", "signature"),
        ("signed_events", "prev_hash"),
        ("signed_events", "actor"),
        ("signed_events", "event_type"),
        ("signed_events", "timestamp"),
        ("canvases_chainhead", "event_hash"),
        ("canvases_chainhead", "sequence"),
        ("offloaded_blobs", "size_bytes"),
        ("offloaded_blobs", "tokens"),
        ("blob_references", "expires_at"),
        ("blob_references", "stored_at"),
        ("blob_references", "signature_b64"),
        ("blob_references", "media_type"),
        ("canvases_signingkeyrecord", "public"),
        ("canvases_signingkeyrecord", "key_id"),
        ("canvases_signingkeyrecord", "endorsement"),
        ("offloaded_blobs", "content_sha256"),
        ("offloaded_blobs", "codec"),
        ("offloaded_blobs", "gone_why"),
        ("offloaded_blobs", "content_zstd"),
    ],
)
def test_a_value_of_another_kind_is_found_and_hides_nothing_else(
    used: Api, table: str, column: str, value: Any
) -> None:
    SignedEvent.objects.filter(sequence=1).update(outcome="denied")
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE {table} SET {column} = %s WHERE rowid = (SELECT max(rowid) FROM {table})", [value]
        )
    assert used.get("audit/events").status_code == 200
    report = agent_verify(used.agent).report
    assert 1 in {one.sequence for one in [*report.breaks, *report.signature_failures]}


@pytest.mark.parametrize("change", [{"public": b"\0" * 31}, {"public": b""}, {"key_id": "0" * 16}])
def test_what_a_damaged_row_of_a_key_signed_counts_no_more_and_the_rest_is_checked(
    used: Api, change: dict[str, Any]
) -> None:
    first = SigningKeyRecord.objects.get()
    key_rotate(actor="here")
    used.pairs(pair("four", tool_call_id="c4"))
    SigningKeyRecord.objects.filter(pk=first.pk).update(**change)
    found = agent_verify(used.agent)
    assert {one.kind for one in found.report.signature_failures} == {"key_unknown"}
    assert not found.report.breaks
    assert used.get("deref", tool_call_id="c4", session_id="s1").status_code == 200
    assert used.get("audit/events").status_code == 200


def test_a_key_registered_twice_changes_nothing(used: Api) -> None:
    row = SigningKeyRecord.objects.get()
    row.valid_to = timezone.now()
    row.pk = "0" * 16
    row.save(force_insert=True)
    assert agent_verify(used.agent).to_json()["holds"]
    assert used.get("deref", tool_call_id="c2", session_id="s1").status_code == 200


def test_an_event_given_to_another_agent_is_found(used: Api, charlie: Api) -> None:
    SignedEvent.objects.filter(sequence=5).update(agent=charlie.agent, sequence=1)
    assert agent_verify(charlie.agent).to_json()["holds"] is False


def test_a_row_taken_out_of_the_middle_is_found(used: Api) -> None:
    SignedEvent.objects.filter(sequence=2).delete()
    (gap,) = [one for one in agent_verify(used.agent).report.breaks if one.kind == "sequence_gap"]
    assert gap.sequence == 3


def test_a_cut_tail_is_found_by_the_checkpoint_outside_the_database(used: Api) -> None:
    checkpoints_write()
    fourth = bytes(SignedEvent.objects.get(sequence=4).prev_hash)
    SignedEvent.objects.filter(sequence__gt=3).delete()
    assert [one.kind for one in agent_verify(used.agent).report.breaks] == ["tail_cut"] * 2
    ChainHead.objects.update(sequence=3, event_hash=fourth)
    assert [one.kind for one in agent_verify(used.agent).report.breaks] == ["tail_cut"]


def test_a_chain_written_anew_with_another_key_is_found(used: Api, home: Path) -> None:
    checkpoints_write()
    SigningKeyRecord.objects.all().delete()
    assert agent_verify(used.agent).to_json()["signature_failures"]


def test_checkpoints_are_written_only_for_chains_that_grew(used: Api) -> None:
    assert checkpoints_write() == 1
    assert checkpoints_write() == 0
    used.get("deref", tool_call_id="c1", session_id="s1")
    assert checkpoints_write() == 1
    assert agent_verify(used.agent).to_json()["holds"] is True


def test_the_api_lists_events_and_checks_them_for_their_own_agent_only(used: Api, charlie: Api) -> None:
    events = used.get("audit/events", limit=2).json()
    assert [one["sequence"] for one in events["items"]] == [1, 2]
    rest = used.get("audit/events", since=2).json()
    assert [one["sequence"] for one in rest["items"]] == [3, 4, 5]
    assert charlie.get("audit/events").json() == {"items": [], "next": None}
    answer = used.post("audit/verify", {})
    assert (answer.json()["rows_checked"], answer.json()["blobs_checked"]) == (5, 3)
    assert used.post("audit/verify?since=3", {}).json()["rows_checked"] == 2
    assert used.post("audit/verify?since=30", {}).status_code == 422


def test_the_command_says_what_is_wrong_and_exits_by_its_kind(used: Api) -> None:
    out = io.StringIO()
    call_command("verify_chain", stdout=out)
    assert out.getvalue() == "alice OK: 5 events and 3 contents checked\n"
    SignedEvent.objects.filter(sequence=4).update(actor="person mallory")
    out = io.StringIO()
    with pytest.raises(SystemExit) as left:
        call_command("verify_chain", "--agent", "alice", stdout=out)
    assert left.value.code == 1
    assert "FAIL" in out.getvalue()
    assert "event 4" in out.getvalue()
    out = io.StringIO()
    with pytest.raises(SystemExit):
        call_command("verify_chain", "--format", "json", stdout=out)
    assert json.loads(out.getvalue())[0]["holds"] is False
    with pytest.raises(CommandError, match="no agent"):
        call_command("verify_chain", "--agent", "nobody")


def test_an_exported_log_is_checked_by_one_script_anywhere(used: Api, tmp_path: Path) -> None:
    checkpoints_write()
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    call_command("export_audit", str(folder / "alice.jsonl"), agent="alice", stdout=io.StringIO())
    check = [sys.executable, "-I", "-S", "standalone_verify.py", "alice.jsonl"]
    good = subprocess.run(check, cwd=folder, capture_output=True, text=True, check=False)
    assert good.returncode == 0, good.stdout + good.stderr
    path = folder / "alice.jsonl"
    path.write_text(path.read_text().replace("dereferenced", "offloaded"))
    bad = subprocess.run(check, cwd=folder, capture_output=True, text=True, check=False)
    assert bad.returncode == 1
    assert "sequence 4" in bad.stdout


@pytest.mark.django_db(transaction=True)
def test_a_chain_never_forks_however_many_write_at_once() -> None:
    agent = Agent.objects.create(name="busy")
    acts = [
        lambda i=i: [store(agent, f"s{i}", [f"{i}.{n}" for n in range(10)]) for _ in range(3)]
        for i in range(4)
    ]
    together(*acts)
    found = agent_verify(agent)
    assert found.report.rows_checked == SignedEvent.objects.count() == 40
    assert found.to_json()["holds"] is True
    assert ChainHead.objects.filter(sequence=F("sequence")).get().sequence == 40
