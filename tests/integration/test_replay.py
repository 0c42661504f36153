"""The replay command."""

from __future__ import annotations

import io
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

DATA = Path(os.environ.get("OFFLOAD_TEST_DATA", "/nowhere"))
RECORDED = sorted(DATA.glob("claude_code/*_8e_*.jsonl"))


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    said: list[dict[str, Any]] = [{"role": "user", "content": "Mend the parser"}]
    for number in range(12):
        call = {"name": "Grep", "arguments": json.dumps({"pattern": f"parse_{number}"})}
        said += [
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": f"c{number}", "type": "function", "function": call}],
            },
            {
                "role": "tool",
                "tool_call_id": f"c{number}",
                "content": f"src/part_{number}.py: def parse_{number}\n" * 90,
            },
        ]
    path = tmp_path / "session.json"
    path.write_text(json.dumps([*said, {"role": "assistant", "content": "Changed src/part_3.py."}]))
    return path


def replay(*words: str) -> str:
    out = io.StringIO()
    call_command("replay", *words, stdout=out)
    return out.getvalue()


def test_a_session_is_shown_through_all_ways_side_by_side(recorded: Path) -> None:
    head, *rows = replay(str(recorded), "--window=8000").splitlines()
    assert head == "session.json: 13 turns, window 8000"
    assert [row.split()[0] for row in rows if row] == ["policy", "raw", "clearing", "masking", "ours"]
    ours = dict(zip(rows[0].split()[:8], rows[4].split()[:8], strict=True))
    assert float(ours["billed"]) < 0.9
    assert (ours["invalid"], ours["over"]) == ("0", "0")


def test_json_has_the_tokens_and_marks_of_each_turn(recorded: Path) -> None:
    told = json.loads(replay(str(recorded), "--json", "--price=2"))
    [session] = told["sessions"]
    raw, ours = session["policies"]["raw"], session["policies"]["ours"]
    assert len(ours["curve"]) == session["turns"] == 13
    assert raw["curve"] == sorted(raw["curve"])
    assert set(ours["marks"].values()) <= {"mild", "aggressive", "emergency"}
    assert raw["money"] == pytest.approx(2 * raw["billed_tokens"] / 1e6, abs=1e-4)
    assert told["totals"]["ours"]["billed_ratio"] == ours["billed_ratio"]


def test_other_prices_of_the_cache_change_what_is_billed(recorded: Path) -> None:
    told = json.loads(replay(str(recorded), "--json", "--read=1", "--write=1"))
    for one in told["sessions"][0]["policies"].values():
        assert one["billed_tokens"] == one["input_tokens"]


def test_the_totals_can_be_a_markdown_table(recorded: Path) -> None:
    lines = replay(str(recorded), str(recorded), "--markdown").splitlines()
    assert lines[0].startswith("| policy | input | billed |")
    assert [line.split(" | ")[0] for line in lines[2:]] == ["| raw", "| clearing", "| masking", "| ours"]


def test_the_page_draws_each_way_and_stands_by_itself(recorded: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    hostile = recorded.rename(tmp_path / "<script>alert(1)<.json")
    assert "page.html" in replay(str(hostile), "--window=8000", f"--html={page}")
    text = page.read_text()
    assert re.findall(r'<polyline class="(\w+)" points="([^"]+)"', text)[3][0] == "ours"
    assert {len(points.split()) for points in re.findall(r'points="([^"]+)"', text)} == {13}
    assert re.search(r"turn \d+: mild", text)
    assert "<script" not in text
    assert "&lt;script&gt;alert(1)" in text
    assert not re.search(r"(src|href)=", text)
    with pytest.raises(CommandError, match="cannot be written"):
        replay(str(hostile), f"--html={tmp_path}/none/page.html")


def test_a_file_that_cannot_be_played_is_named(tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.write_text("{}\n")
    for name in (str(tmp_path / "none"), str(empty)):
        with pytest.raises(CommandError, match=r"none|empty"):
            replay(name)
    with pytest.raises(CommandError, match="number of tokens"):
        replay(str(empty), "--window=0")


@pytest.mark.skipif(not RECORDED, reason="needs recorded sessions (OFFLOAD_TEST_DATA)")
def test_a_recorded_session_costs_less_and_stays_valid() -> None:
    told = json.loads(replay(str(RECORDED[0]), "--json"))
    ours = told["sessions"][0]["policies"]["ours"]
    assert ours["billed_ratio"] < 0.95
    assert ours["recall"] > 0.95
    assert ours["invalid"] == ours["over"] == 0
