from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pipelines import rank_files


def test_the_unpacked_files_have_the_names_and_hashes_the_tokenizer_looks_for(tmp_path: Path) -> None:
    paths = rank_files.unpack_ranks(tmp_path / "new" / "folder")
    assert [path.name for path in paths] == [file.name for file in rank_files.RANK_FILES.values()]
    for path, file in zip(paths, rank_files.RANK_FILES.values(), strict=True):
        assert hashlib.sha256(path.read_bytes()).hexdigest() == file.sha256
    assert sorted(os.listdir(tmp_path / "new" / "folder")) == sorted(path.name for path in paths)


def test_a_right_file_is_left_alone_and_a_damaged_one_is_replaced(tmp_path: Path) -> None:
    right, damaged = rank_files.unpack_ranks(tmp_path)
    os.utime(right, (1, 1))
    damaged.write_bytes(b"dGVzdA== 0\n")
    rank_files.unpack_ranks(tmp_path)
    assert right.stat().st_mtime == 1
    assert damaged.stat().st_size > 1_000_000


@pytest.mark.parametrize("state", ["no variable", "no file", "damaged file"])
def test_a_file_that_cannot_be_used_is_one_error_that_says_the_cure(
    state: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / rank_files.RANK_FILES["o200k_base"].name
    if state == "no variable":
        monkeypatch.delenv(rank_files.CACHE_VARIABLE)
    else:
        monkeypatch.setenv(rank_files.CACHE_VARIABLE, str(tmp_path))
    if state == "damaged file":
        path.write_bytes(b"dGVzdA== 0\n")
    with pytest.raises(rank_files.RankFileError, match="make setup"):
        rank_files.require("o200k_base")
    assert path.exists() == (state == "damaged file")


def test_an_unknown_encoding_names_the_known_ones() -> None:
    with pytest.raises(rank_files.RankFileError, match="o200k_base, cl100k_base"):
        rank_files.require("p50k_base")


def test_counting_without_the_file_fails_at_once_and_fetches_nothing(tmp_path: Path) -> None:
    script = (
        "import socket\n"
        "def refuse(*args, **kwargs): raise SystemExit('went to the network')\n"
        "socket.socket.connect = refuse\n"
        "socket.getaddrinfo = refuse\n"
        "from pipelines import rank_files, tokens\n"
        "try: tokens.count('hello')\n"
        "except rank_files.RankFileError as error: print(error)\n"
    )
    environment = {**os.environ, rank_files.CACHE_VARIABLE: str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert "run `make setup`" in done.stdout
    assert os.listdir(tmp_path) == []
