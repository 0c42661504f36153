"""A data folder or a database that cannot be used: one line that says what to do, from every command."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from django.db import OperationalError, ProgrammingError

from offload_site.failures import cure

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = [
    "create_api_key --agent a",
    "login_link",
    "verify_chain",
    "load_demo",
    "export_audit --agent a /dev/null",
]
# Root may write anywhere, unless it starts a program without that capability.
AS_ANYBODY = ["setpriv", "--bounding-set=-dac_override"] if os.geteuid() == 0 else []


def failing(command: str, home: Path, *, before: Sequence[str] = (), **environment: str) -> str:
    """Run a command that must fail with one line; return the line."""
    done = subprocess.run(
        [*before, sys.executable, "manage.py", *command.split()],
        env={"PATH": os.environ["PATH"], "OFFLOAD_HOME": str(home), **environment},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("error: "), done.stderr[-2000:]
    assert done.stderr.count("\n") == 1
    return done.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_before_the_first_start_says_to_make_the_tables(tmp_path: Path, command: str) -> None:
    assert "manage.py migrate" in failing(command, tmp_path)


@pytest.mark.parametrize("command", [COMMANDS[0], "serve", "migrate"])
@pytest.mark.parametrize("content", [None, b"no database" * 1000], ids=["a folder", "junk"])
def test_a_database_file_that_is_none_is_named(tmp_path: Path, command: str, content: bytes | None) -> None:
    path = tmp_path / "offload.sqlite3"
    path.mkdir() if content is None else path.write_bytes(content)
    line = failing(command, tmp_path, OFFLOAD_PORT="18932")
    assert f"{path} cannot be used" in line
    assert "OFFLOAD_HOME" in line


@pytest.mark.parametrize("command", [COMMANDS[0], "serve", "migrate"])
@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("postgres://someone:hunter2@127.0.0.1:1/offload", "Connection refused"),
        ("postgres://someone:hunter2@nowhere.invalid/offload", "nowhere.invalid"),
    ],
)
def test_a_database_server_that_does_not_answer_is_named_without_its_password(
    tmp_path: Path, command: str, url: str, words: str
) -> None:
    line = failing(command, tmp_path, DATABASE_URL=url, OFFLOAD_PORT="18932")
    assert words in line
    assert "correct DATABASE_URL" in line
    assert "hunter2" not in line


@pytest.mark.parametrize("name", ["secret_key", "serve.lock"])
def test_a_file_of_the_data_folder_that_is_none_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    line = failing("serve", tmp_path, OFFLOAD_PORT="18932")
    assert str(tmp_path / name) in line
    assert "OFFLOAD_HOME" in line


@pytest.mark.skipif(bool(AS_ANYBODY) and not shutil.which("setpriv"), reason="root writes anywhere")
@pytest.mark.parametrize("key", ["", "given"])
@pytest.mark.parametrize("command", [COMMANDS[0], "serve"])
def test_a_data_folder_that_cannot_be_written_is_named(tmp_path: Path, command: str, key: str) -> None:
    tmp_path.chmod(0o555)
    line = failing(command, tmp_path, before=AS_ANYBODY, OFFLOAD_SECRET_KEY=key, OFFLOAD_PORT="18932")
    assert str(tmp_path) in line
    assert "OFFLOAD_HOME" in line


def test_an_error_of_ours_keeps_its_traceback(tmp_path: Path) -> None:
    assert cure(ValueError("x")) is None
    assert cure(FileNotFoundError(2, "No such file", str(tmp_path / "transcript"))) is None
    assert cure(ProgrammingError("syntax error at or near SELECT")) is None
    assert cure(ProgrammingError('relation "canvases_agent" does not exist\nLINE 1'))
    assert cure(OperationalError("database is locked"))
