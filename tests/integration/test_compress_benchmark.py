from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from canvases.services.compression_timings import InProcess, Size, messages_made, timings
from pipelines.l3.weights import Counter
from pipelines.messages.dialects import views
from pipelines.messages.problems import problems

ROOT = Path(__file__).resolve().parents[2]


def benchmark(home: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", "benchmark_compress", *words],
        cwd=ROOT,
        env={**os.environ, "OFFLOAD_HOME": str(home), **more},
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize(("messages", "tokens"), [(101, 20_000), (401, 230_000), (1_001, 200_000)])
def test_a_made_list_is_valid_and_of_the_size_asked_for(messages: int, tokens: int) -> None:
    said = messages_made(Size(messages=messages, tokens=tokens))
    assert problems(said) == []
    assert len(said) == messages
    assert Counter().total(views(said)) == pytest.approx(tokens, rel=0.15)


def test_no_result_comes_twice_in_the_lists_that_are_timed() -> None:
    size = Size(messages=201, tokens=20_000)
    results = [str(one) for seed in (0, 1) for one in messages_made(size, seed=seed)[2::2]]
    assert len(set(results)) == len(results) == 200


def test_each_turn_compresses_a_list_one_call_longer() -> None:
    seen: list[int] = []

    class Noted(InProcess):
        def compressed(self, messages: list[dict[str, object]]) -> float:
            seen.append(len(messages))
            return super().compressed(messages)

    found = timings(Size(messages=41, tokens=8_000), Noted, sessions=2, turns=3)
    assert seen == [35, 35, 37, 39, 41]
    assert 0 < found.cold.p50 <= found.cold.p99
    assert 0 < found.warm.p50 <= found.warm.p99


def test_it_prints_figures_in_process_and_through_a_server_of_its_own(tmp_path: Path) -> None:
    done = benchmark(tmp_path, "--sizes", "41x8000", "--sessions", "2", "--turns", "2", OFFLOAD_URL="")
    assert done.returncode == 0, done.stderr
    assert len(re.findall(r"^41 messages, 8 000 tokens( +[\d.]+){6}$", done.stdout, re.MULTILINE)) == 2
    assert re.search(r"^Chinese characters +\d+ +\d\d\d \d\d\d$", done.stdout, re.MULTILINE)
    memory = re.findall(r"at most: (\d+) MB", done.stdout)
    assert len(memory) == 2
    if sys.platform == "linux":
        assert all(50 < int(megabytes) < 2_000 for megabytes in memory)
    assert not list(tmp_path.glob("*.sqlite3"))


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--sizes", "many"), "no size of a list; give messages x tokens"),
        (("--sizes", "2x100"), "no size of a list"),
        (("--sessions", "1"), "--sessions and --turns must be 2 or more"),
    ],
)
def test_what_cannot_be_measured_says_what_to_give(tmp_path: Path, words: tuple[str, ...], says: str) -> None:
    done = benchmark(tmp_path, *words)
    assert done.returncode == 1
    assert says in done.stderr


def test_a_server_that_is_not_there_is_told(tmp_path: Path) -> None:
    words = ("--sizes", "41x8000", "--sessions", "2", "--turns", "2")
    done = benchmark(tmp_path, *words, OFFLOAD_URL="http://127.0.0.1:9")
    assert done.returncode == 1
    assert "http://127.0.0.1:9 did not answer as it should" in done.stderr
