from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from tests.stack import ROOT, own_database


@pytest.mark.parametrize("processes", [4])
def test_processes_that_write_and_read_at_once_lose_nothing_and_fork_no_chain(
    tmp_path: Path, processes: int
) -> None:
    environment = {**os.environ, **own_database(tmp_path), "OFFLOAD_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "manage.py", "benchmark_chain", f"--processes={processes}", "--each=50"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = re.search(r"(\d+) offloads/s, (\d+) derefs/s; the chain of (\d+) events holds", done.stdout)
    assert told, done.stdout
    assert int(told[3]) == 2 * 50 * processes
    assert not [path for path in tmp_path.rglob("*") if "benchmark" in path.name]
    if url := environment.get("DATABASE_URL"):
        with psycopg.connect(url) as connection:
            query = "SELECT datname FROM pg_database WHERE datname LIKE current_database() || '_%'"
            assert connection.execute(query).fetchall() == []


def test_a_benchmark_of_nothing_is_refused(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "benchmark_chain", "--each=0"],
        cwd=ROOT,
        env={**os.environ, "OFFLOAD_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "must be 1 or more" in done.stderr
