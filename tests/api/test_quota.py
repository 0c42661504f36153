"""How much an agent may keep in all."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from canvases.models import OffloadedBlob
from tests.conftest import Api, pair

KIB = 1024


@pytest.fixture
def full(alice: Api) -> Api:
    """An agent that keeps 8 of the 10 KiB it may."""
    alice.agent.total_limit_bytes = 10 * KIB
    alice.agent.save()
    alice.post("offload", {"content": "x" * 8 * KIB})
    return alice


def test_what_would_go_over_the_limit_is_refused_with_the_way_out(full: Api) -> None:
    for answer in (
        full.post("offload", {"content": "y" * 3 * KIB}),
        full.post("sessions/s1/tool-pairs", {"tool_pairs": [pair("y" * 3 * KIB)]}),
        full.client.put("/api/v1/contents", "y" * 3 * KIB, content_type="text/plain"),
    ):
        assert answer.status_code == 507
        detail = answer.json()["detail"]
        assert "keeps 0.0 MiB of the 0.00976562 MiB" in detail
        assert "manage.py agents alice --total-limit-mb N" in detail
    assert OffloadedBlob.objects.count() == 1


def test_what_fits_and_what_is_kept_already_is_taken(full: Api) -> None:
    assert full.post("offload", {"content": "x" * 8 * KIB, "namespace": "again"}).status_code == 201
    assert full.post("offload", {"content": "y" * KIB}).status_code == 201


def test_deleting_makes_room(full: Api) -> None:
    kept = OffloadedBlob.objects.get()
    assert full.client.delete(f"/api/v1/refs/{kept.ref_id}").status_code == 204
    assert full.post("offload", {"content": "y" * 3 * KIB}).status_code == 201


def test_one_agents_limit_is_not_anothers(full: Api, charlie: Api) -> None:
    assert charlie.post("offload", {"content": "y" * 30 * KIB}).status_code == 201


def test_a_list_is_compressed_though_its_agent_is_at_the_limit(full: Api) -> None:
    call = {"type": "tool_use", "id": "c1", "name": "Read", "input": {"path": "a.py"}}
    messages = [
        {"role": "user", "content": "Mend it"},
        {"role": "assistant", "content": [call]},
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "line of a file\n" * 900}],
        },
        {"role": "assistant", "content": "Done."},
    ]
    told = full.post(
        "sessions/s1/compress", {"messages": messages, "context_window": 4_000, "level": "emergency"}
    )
    assert told.status_code == 200
    assert told.json()["report"]["fits"]


def test_the_servers_own_limit_holds_for_agents_without_one(alice: Api, settings: Any) -> None:
    settings.OFFLOAD_MAX_TOTAL_BYTES = KIB
    assert alice.post("offload", {"content": "y" * 2 * KIB}).status_code == 507
    out = io.StringIO()
    call_command("agents", "alice", "--total-limit-mb=1", stdout=out)
    assert out.getvalue() == "alice  1 keys  offloads up to 1 MiB (the server's)  keeps up to 1 MiB\n"
    assert alice.post("offload", {"content": "y" * 2 * KIB}).status_code == 201


def test_an_import_that_would_go_over_the_limit_says_so(full: Api, tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_text(
        '{"type":"assistant","sessionId":"s","uuid":"u1","message":{"role":"assistant","content":'
        '[{"type":"tool_use","id":"c1","name":"Bash","input":{}}]}}\n'
        '{"type":"user","sessionId":"s","uuid":"u2","message":{"role":"user","content":'
        f'[{{"type":"tool_result","tool_use_id":"c1","content":"{"z" * 3 * KIB}"}}]}}}}\n'
    )
    with pytest.raises(CommandError, match="total-limit-mb"):
        call_command("import_session", str(path), "--agent=alice")
