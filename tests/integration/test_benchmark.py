from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from canvases.models import Agent, OffloadedBlob
from canvases.services.timings import content_timings

ROOT = Path(__file__).resolve().parents[2]


def transcript(results: list[str]) -> str:
    lines = []
    for number, result in enumerate(results):
        call = {"type": "tool_use", "id": f"t{number}", "name": "Read", "input": {"file_path": "a.py"}}
        answer = {"type": "tool_result", "tool_use_id": f"t{number}", "content": result}
        for role, block in (("assistant", call), ("user", answer)):
            message = {"id": f"m{number}", "role": role, "content": [block]}
            lines.append({"type": role, "sessionId": "s", "uuid": f"{role}{number}", "message": message})
    return "\n".join(json.dumps({**line, "timestamp": "2026-01-31T12:00:00Z"}) for line in lines)


def benchmark(folder: Path, home: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "manage.py", "benchmark_storage", str(folder), "--rounds", "2"]
    environment = {**os.environ, "OFFLOAD_HOME": str(home)}
    environment.pop("DATABASE_URL", None)
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)


def test_the_benchmark_prints_sizes_and_times_and_leaves_nothing_behind(tmp_path: Path) -> None:
    folder, home = tmp_path / "transcripts" / "below", tmp_path / "home"
    folder.mkdir(parents=True)
    home.mkdir()
    results = [f"class Module{n}:\n" + "    value = 1\n" * (n + 5) for n in range(40)]
    (folder / "a.jsonl").write_text(transcript([*results, results[0]]))
    (folder / "other.jsonl").write_text("no transcript\n")
    done = benchmark(folder.parent, home)
    assert done.returncode == 0, done.stderr
    assert "1 transcripts, 41 results, 40 of them distinct" in done.stdout
    ratios = [float(found) for found in re.findall(r"(\d+\.\d\d)$", done.stdout, re.MULTILINE)]
    assert ratios[0] == 1
    assert ratios == sorted(ratios)
    assert re.search(r"^1 MB( +\d+\.\d){4}$", done.stdout, re.MULTILINE)
    assert not [path for path in home.rglob("*") if "benchmark" in str(path.relative_to(home))]


def test_a_folder_without_results_is_told(tmp_path: Path) -> None:
    done = benchmark(tmp_path, tmp_path)
    assert done.returncode == 1
    assert "There is no result in a transcript below" in done.stderr


@pytest.mark.django_db
@pytest.mark.parametrize(("text", "size"), [("", 100), ("short ", 5_000), ("世界" * 5_000, 2_000)])
def test_each_round_stores_and_reads_another_content(text: str, size: int) -> None:
    agent = Agent.objects.create(name="benchmark")
    found = content_timings(agent=agent, text=text, size=size, rounds=3)
    assert 0 < found.store.p50 <= found.store.p99
    assert 0 < found.read.p50 <= found.read.p99
    assert OffloadedBlob.objects.filter(agent=agent, size_bytes__gte=size).count() == 3
