"""Storing and reading back from the shell."""

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

from canvases.models import Agent, OffloadedBlob, SignedEvent
from pipelines import blobs
from tests.integration.refs.acts import holds
from tests.stack import ROOT

pytestmark = pytest.mark.django_db
TEXT = "a tool's long output\nhéllo 世界\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "output.txt"
    path.write_text(TEXT)
    return path


def run(*words: str) -> str:
    out = io.StringIO()
    call_command(*words, stdout=out)
    return out.getvalue()


def stored(file: Path, *words: str) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(run("offload", str(file), "--json", *words))
    return told


def test_run_offload_reads_file_and_round_trips(file: Path, capfdbinary: Any) -> None:
    told = stored(file)
    assert sorted(told) == [
        "agent_id",
        "content_sha256",
        "expires_at",
        "namespace",
        "ref_id",
        "stored_at",
    ]
    call_command("deref", told["ref_id"])
    assert capfdbinary.readouterr().out == TEXT.encode()


def test_run_offload_human_render_emits_summary_line(file: Path) -> None:
    digest = hashlib.sha256(TEXT.encode()).hexdigest()
    line = f"offloaded {len(TEXT.encode())} bytes -> {blobs.ref_id(TEXT.encode())} (sha256 {digest})\n"
    assert run("offload", str(file)) == line


def test_run_deref_writes_to_out_path_and_json_envelope_suppresses_content(
    file: Path, tmp_path: Path
) -> None:
    """`bytes` is the real size, not 0: a caller compares it with the file."""
    out = tmp_path / "back.txt"
    told = json.loads(run("deref", stored(file)["ref_id"], "--out", str(out), "--json"))
    assert out.read_bytes() == TEXT.encode()
    assert told["content"] is None
    assert told["bytes"] == out.stat().st_size


def test_run_deref_json_without_out_returns_content_inline(file: Path) -> None:
    told = json.loads(run("deref", stored(file)["ref_id"], "--json"))
    assert told["content"] == TEXT
    assert told["bytes"] == len(TEXT.encode())


def test_read_input_returns_error_for_missing_file(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"read .*missing: No such file"):
        run("offload", str(tmp_path / "missing"))


def test_run_offload_propagates_read_error_for_missing_file(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="offload failed: read "):
        run("offload", str(tmp_path / "missing"), "--json")
    assert not OffloadedBlob.objects.exists()


def test_resolve_agent_id_uses_override_when_present(file: Path) -> None:
    assert stored(file, "--agent", "ai:someone")["agent_id"] == "ai:someone"


def test_resolve_agent_id_falls_back_to_default_chain_when_none(file: Path) -> None:
    """The name stays the same over restarts: there is no process id in it."""
    assert stored(file)["agent_id"] == stored(file)["agent_id"] == "local"


def test_a_large_tool_output_comes_back_and_a_forged_one_does_not(tmp_path: Path, capfdbinary: Any) -> None:
    content = (b"The quick brown fox jumps over the lazy dog.\n" * 2_400)[:102_400]
    path = tmp_path / "large.txt"
    path.write_bytes(content)
    told = stored(path, "--namespace", "cookbook/offload", "--agent", "ai:cookbook")
    digest = hashlib.sha256(content).hexdigest()
    assert (told["content_sha256"], told["ref_id"]) == (digest, blobs.ref_id(content))
    assert len(bytes(OffloadedBlob.objects.get().content_zstd)) < 200
    call_command("deref", told["ref_id"], "--agent", "ai:cookbook")
    assert capfdbinary.readouterr().out == content
    OffloadedBlob.objects.update(content_zstd=blobs.pack(b"forged"))
    with pytest.raises(CommandError, match="integrity check failed") as refused:
        call_command("deref", told["ref_id"], "--agent", "ai:cookbook")
    assert refused.value.returncode == 4
    assert capfdbinary.readouterr().out == b""


def test_any_bytes_go_in_and_come_out_and_their_type_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "image"
    path.write_bytes(bytes(range(256)))
    told = json.loads(run("deref", stored(path)["ref_id"], "--json"))
    assert told["content"] is None
    assert told["content_base64"].startswith("AAECAwQF")


def test_who_reads_from_the_shell_is_in_the_log_and_not_the_owner(file: Path) -> None:
    ref = stored(file)["ref_id"]
    run("deref", ref, "--json")
    with pytest.raises(CommandError) as missed:
        run("deref", "ofl_AAAAAAAAAAAAA")
    assert missed.value.returncode == 3
    rows = list(SignedEvent.objects.order_by("sequence").values_list("event_type", "outcome", "actor"))
    assert [row[:2] for row in rows] == [
        ("offloaded", "ok"),
        ("dereferenced", "ok"),
        ("refused", "not_found"),
    ]
    assert all(actor.startswith("cli") for *_, actor in rows)
    assert holds(Agent.objects.get())


def test_what_comes_on_standard_input_is_stored_by_a_real_process(tmp_path: Path) -> None:
    environment = {"OFFLOAD_HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}

    def manage(*words: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        command = [sys.executable, "manage.py", *words]
        return subprocess.run(
            command, cwd=ROOT, env=environment, input=given, capture_output=True, check=False
        )

    assert manage("migrate", "--verbosity=0").returncode == 0
    content = b"no newline at the end, and a NUL \0"
    told = json.loads(manage("offload", "-", "--json", given=content).stdout)
    assert manage("deref", told["ref_id"]).stdout == content
    assert manage("deref").returncode == 2
    assert manage("deref", "ofl_DOESNOTEXIST").returncode == 3
