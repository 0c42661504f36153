from __future__ import annotations

import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from offload_site import env


@pytest.mark.parametrize(("written", "expected"), [("true", True), ("0", False), ("YES", True), ("", None)])
def test_a_truth_value_is_read(monkeypatch: pytest.MonkeyPatch, written: str, expected: bool | None) -> None:
    monkeypatch.setenv("OFFLOAD_X", written)
    assert env.boolean("OFFLOAD_X", default=True) is (True if expected is None else expected)


@pytest.mark.parametrize("written", ["maybe", "2", "tru"])
def test_anything_else_stops_the_start_and_says_what_to_set(
    monkeypatch: pytest.MonkeyPatch, written: str
) -> None:
    monkeypatch.setenv("OFFLOAD_X", written)
    with pytest.raises(ImproperlyConfigured, match="Set it to true or false"):
        env.boolean("OFFLOAD_X", default=True)


@pytest.mark.parametrize("written", ["0", "65536", "eighty", "-1", "1.5", "²"])
def test_a_number_outside_its_range_stops_the_start(monkeypatch: pytest.MonkeyPatch, written: str) -> None:
    monkeypatch.setenv("OFFLOAD_PORT", written)
    with pytest.raises(ImproperlyConfigured, match="from 1 to 65535"):
        env.integer("OFFLOAD_PORT", 8000, least=1, most=65535)


@pytest.mark.parametrize(
    ("read", "value", "words"),
    [
        (lambda: env.url("OFFLOAD_X", ("redis", "rediss")), "foo", "redis:// or rediss://"),
        (lambda: env.urls("OFFLOAD_X", ("https",)), "https://a.example,b.example", "https://"),
        (lambda: env.ratio("OFFLOAD_X", 0.5) == 0.5 and "INFO", "1.5", "above 0 and up to 1, such as 0.5"),
        (lambda: env.ratio("OFFLOAD_X", 0.5) == 0.5 and "INFO", "half", "above 0 and up to 1"),
        (lambda: env.choice("OFFLOAD_X", "INFO", frozenset({"INFO", "DEBUG"})), "loud", "DEBUG, INFO"),
    ],
)
def test_an_address_or_a_word_that_cannot_be_stops_the_start(
    monkeypatch: pytest.MonkeyPatch, read: Callable[[], object], value: str, words: str
) -> None:
    assert read() in ("", [], "INFO")
    monkeypatch.setenv("OFFLOAD_X", value)
    with pytest.raises(ImproperlyConfigured, match=words):
        read()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("OFFLOAD_PORT", "abc"),
        ("REDIS_URL", "foo"),
        ("OFFLOAD_MILD_OFFLOAD_RATIO", "0.9"),
        ("DATABASE_URL", "mysql://x"),
        ("OFFLOAD_LOG_LEVEL", "loud"),
        ("OFFLOAD_TRUSTED_ORIGINS", "offload.example.org"),
        ("OFFLOAD_SECRET_KEY_FILE", "/nonexistent"),
    ],
)
def test_a_bad_setting_is_one_line_that_names_it(tmp_path: Path, name: str, value: str) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "serve"],
        env={"OFFLOAD_HOME": str(tmp_path), name: value},
        cwd=Path(__file__).resolve().parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert name.removesuffix("_FILE") in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_secret_may_come_from_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("from the file\n")
    monkeypatch.setenv("OFFLOAD_X_FILE", str(tmp_path / "secret"))
    assert env.text("OFFLOAD_X") == "from the file"


def test_a_secret_file_that_cannot_be_read_stops_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OFFLOAD_X_FILE", "/nonexistent")
    with pytest.raises(ImproperlyConfigured, match="OFFLOAD_X_FILE"):
        env.text("OFFLOAD_X")


def test_the_data_folder_and_its_secret_are_for_their_owner_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("OFFLOAD_HOME", str(tmp_path / "new" / "home"))
    monkeypatch.delenv("OFFLOAD_SECRET_KEY", raising=False)
    folder = env.home()
    key = env.secret_key(folder)
    assert env.secret_key(folder) == key
    assert len(key) >= 48
    assert stat.S_IMODE((folder / "secret_key").stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_long_data_folder_gets_a_socket_elsewhere(tmp_path: Path) -> None:
    assert env.broker_socket(tmp_path) == tmp_path / "broker.sock"
    far = env.broker_socket(tmp_path / ("x" * 120))
    assert len(str(far)) < 100
    assert far != env.broker_socket(tmp_path / ("y" * 120))
