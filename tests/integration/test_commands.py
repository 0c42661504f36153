from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from canvases.models import ApiKey, Boundary, Canvas, Session, ToolPair
from canvases.services.owner import first_key, login_url
from tests.conftest import Api

pytestmark = pytest.mark.django_db


def line(**fields: Any) -> str:
    return json.dumps({"sessionId": "recorded", "timestamp": "2026-01-31T12:00:00Z", **fields})


def transcript() -> str:
    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "README.md\nsetup.py"}
    return "\n".join(
        [
            line(type="user", uuid="1", message={"role": "user", "content": "List the files, please"}),
            line(type="assistant", uuid="2", message={"id": "m1", "role": "assistant", "content": [call]}),
            line(type="user", uuid="3", message={"role": "user", "content": [result]}),
        ]
    )


def run(*words: str) -> str:
    return both(*words)[0]


def both(*words: str) -> tuple[str, str]:
    """Run a command; return what it wrote, which must be writable anywhere, and its notes."""
    out, notes = io.StringIO(), io.StringIO()
    call_command(*words, stdout=out, stderr=notes)
    (out.getvalue() + notes.getvalue()).encode("utf-8")
    return out.getvalue(), notes.getvalue()


def test_a_key_is_printed_alone() -> None:
    key = run("create_api_key", "--agent", "alice").strip()
    found = ApiKey.find(key)
    assert found is not None
    assert found.agent.name == "alice"
    assert re.fullmatch(r"ofk_[\w-]{43}", key)


def test_the_first_key_stays_the_same_and_only_its_owner_can_read_it(settings: Any, tmp_path: Path) -> None:
    settings.OFFLOAD_HOME = tmp_path
    key = first_key()
    assert first_key() == key
    assert (tmp_path / "local.key").stat().st_mode & 0o777 == 0o600
    ApiKey.objects.all().delete()
    assert first_key() != key


def test_a_transcript_is_imported_once_however_often_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_text(transcript())
    assert run("import_session", str(path)).startswith("1 pairs stored, 0 were there already, 1 prompts")
    assert run("import_session", str(path)).startswith("0 pairs stored, 1 were there already, 0 prompts")
    assert Session.objects.get().session_id == "recorded"
    assert (ToolPair.objects.count(), Boundary.objects.filter(prompt__isnull=False).count()) == (1, 1)


def test_a_transcript_that_grew_adds_only_what_is_new(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_text(transcript()[:-40])
    assert run("import_session", str(path)).startswith("0 pairs stored")
    path.write_text(transcript())
    assert run("import_session", str(path)).startswith("1 pairs stored")


def test_a_transcript_comes_through_a_pipe(tmp_path: Path) -> None:
    code = (
        "import sys; from canvases.management.commands import import_session as it; "
        "print(it._opened('-').read().decode(), end='')"
    )
    done = subprocess.run(
        [sys.executable, "-c", f"import django; django.setup(); {code}"],
        input=transcript(),
        env={"DJANGO_SETTINGS_MODULE": "offload_site.settings", "OFFLOAD_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == transcript()


@pytest.mark.parametrize(
    ("content", "words"), [("", "empty"), ("hello\n", "no transcript"), (None, "cannot be read")]
)
def test_a_file_that_is_no_transcript_is_refused_with_a_reason(
    tmp_path: Path, content: str | None, words: str
) -> None:
    path = tmp_path / "x"
    if content is not None:
        path.write_text(content)
    with pytest.raises(CommandError, match=words):
        run("import_session", str(path))
    assert Session.objects.count() == 0


def test_the_demo_is_recorded_once_and_only_into_an_empty_store() -> None:
    assert "recorded" in run("load_demo", "--if-empty")
    pairs = ToolPair.objects.count()
    assert pairs >= 25
    assert Canvas.objects.filter(session__session_id="demo", status="done").exists()
    assert run("load_demo", "--if-empty") == ""
    assert ToolPair.objects.count() == pairs


def test_a_login_link_leads_to_its_target_once(client: Any) -> None:
    url = login_url(target="/health/")
    path = url[url.index("/login/") :]
    assert client.get(path)["Location"] == "/health/"
    client.logout()
    assert client.get(path).status_code == 410
    assert client.get("/sessions/").status_code == 302


@pytest.mark.parametrize("session_id", ["a\x00b", "\ud800", "../../x", "\x1b[31mred", "x" * 4000])
def test_a_transcript_may_name_its_session_anyhow(tmp_path: Path, session_id: str) -> None:
    path = tmp_path / "session.jsonl"
    path.write_text(transcript().replace('"recorded"', json.dumps(session_id)))
    out, _ = both("import_session", str(path))
    assert out.startswith("1 pairs stored")
    assert "\x1b" not in out
    assert "\x00" not in out
    assert Session.objects.get().session_id == session_id


def test_a_session_name_too_long_to_keep_is_refused_with_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_text(transcript().replace("recorded", "x" * 4001))
    with pytest.raises(CommandError, match="the limit is 4000"):
        run("import_session", str(path))
    assert run("import_session", str(path), "--session-id", "short").startswith("1 pairs stored")


def test_a_file_of_two_sessions_says_that_they_became_one(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    second = (
        transcript().replace("recorded", "another").replace('"uuid": "', '"uuid": "b').replace("t1", "t2")
    )
    path.write_text(f"{transcript()}\n{second}")
    out, notes = both("import_session", str(path))
    assert out.startswith("2 pairs stored")
    assert "2 sessions" in notes


def test_an_interrupted_import_says_how_to_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*args: Any, **options: Any) -> None:
        raise KeyboardInterrupt

    path = tmp_path / "session.jsonl"
    path.write_text(transcript())
    with monkeypatch.context() as broken:
        broken.setattr("canvases.services.imports.session_process", interrupted)
        with pytest.raises(CommandError, match="importing again goes on"):
            run("import_session", str(path))
    run("import_session", str(path))
    assert ToolPair.objects.get().summarised


@pytest.mark.parametrize("name", ["", "x" * 201, "a\x00b", "\ud800", "two\nlines"])
def test_an_agent_name_nobody_can_type_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / "session.jsonl"
    path.write_text(transcript())
    with pytest.raises(CommandError, match="printable"):
        run("create_api_key", f"--agent={name}")
    if name:
        with pytest.raises(CommandError, match="printable"):
            run("import_session", str(path), f"--agent={name}")


def test_agents_are_listed_and_given_limits_of_their_own(alice: Api, charlie: Api) -> None:
    out = io.StringIO()
    call_command("agents", "alice", "--offload-limit-mb=2", stdout=out)
    assert out.getvalue().splitlines() == [
        "alice  1 keys  offloads up to 2 MiB",
        "charlie  1 keys  offloads up to 1 MiB (the server's)",
    ]
    assert alice.post("offload", {"content": "x" * (2**20 + 1)}).status_code == 201
    assert charlie.post("offload", {"content": "x" * (2**20 + 1)}).status_code == 413
    call_command("agents", "alice", "--offload-limit-mb=0", stdout=out)
    assert alice.post("offload", {"content": "y" * (2**20 + 1)}).status_code == 413


@pytest.mark.parametrize(
    "arguments",
    [
        ("alice",),
        ("--offload-limit-mb=2",),
        ("alice", "--offload-limit-mb=65"),
        ("--total-limit-mb=2",),
        ("alice", "--total-limit-mb=-1"),
        ("bob", "--offload-limit-mb=1"),
    ],
)
def test_limits_that_cannot_be_are_refused(alice: Api, arguments: tuple[str, ...]) -> None:
    with pytest.raises(CommandError):
        call_command("agents", *arguments)
