from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.records import Facts, Summary
from tests.unit.l1.calls import row

MEGA = 1_000_000
HOSTILE = {
    "one letter": "a" * MEGA,
    "spaces": " " * MEGA,
    "equals": "=" * MEGA,
    "line feeds": "\n" * MEGA,
    "carriage returns": "10%\r" * (MEGA // 4),
    "one-line json": json.dumps([{"id": n, "name": f"n{n}"} for n in range(30_000)]),
    "open braces": '{"a":' * (MEGA // 5),
    "chinese": "错误" * (MEGA // 2),
    "colours": "\x1b[31mx\x1b[0m" * (MEGA // 10),
    "broken colours": "\x1b[" * (MEGA // 2),
    "nul": "\0" * MEGA,
    "lone surrogates": "\ud800" * MEGA,
    "families": "👩‍👩‍👧" * (MEGA // 5),
    "error lines": "error: x\n" * (MEGA // 9),
    "reminders": "<system-reminder>" * (MEGA // 17),
    "slashes": "/a" * (MEGA // 2),
    "tags": "<div>" * (MEGA // 5),
}
TOOLS: list[tuple[str, Any]] = [
    ("Bash", {"command": "pytest -q"}),
    ("Read", {"file_path": "a.py"}),
    ("Grep", {"pattern": "x"}),
    ("Edit", {"file_path": "a.py", "old_string": "x", "new_string": "y"}),
    ("unknown", {"a": 1}),
]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner, max_size=4),
    max_leaves=12,
)
NAMES = (
    st.sampled_from(
        ["Bash", "Read", "Edit", "Write", "Grep", "TodoWrite", "Task", "apply_patch", "mcp__a__b"]
    )
    | st.text()
)
KEYS = st.sampled_from(
    [
        "command",
        "file_path",
        "path",
        "old_string",
        "new_string",
        "pattern",
        "todos",
        "edits",
        "offset",
        "limit",
    ]
)


def assert_within_limits(result: Summary) -> None:
    for text, limit in ((result.tool_call, 150), (result.summary, 200), (result.facts.first_error, 160)):
        assert len(text) <= limit
        assert "\n" not in text
        text.encode()
    assert result.tool_call
    assert result.summary
    assert len(result.keys) <= 12
    assert all(0 < len(key) <= 80 for key in result.keys)
    assert len(result.facts.objects) <= 8
    assert 0 <= result.score <= 10
    assert Facts.from_json(json.loads(json.dumps(result.facts.to_json()))) == result.facts


@given(
    NAMES,
    st.dictionaries(KEYS, VALUES) | VALUES,
    VALUES,
    st.text(max_size=20),
    st.sampled_from([None, True, False]),
)
def test_any_call_has_a_row_within_its_limits(
    name: str, params: Any, result: Any, error: str, flag: bool | None
) -> None:
    assert_within_limits(row(name, params, result, error=error, is_error=flag))


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_megabyte_takes_a_moment(kind: str) -> None:
    for name, params in TOOLS:
        start = time.perf_counter()
        result = row(name, params, HOSTILE[kind])
        assert time.perf_counter() - start < 1.0
        assert_within_limits(result)


def test_hostile_parameters_are_bounded_too() -> None:
    for text in HOSTILE.values():
        for name, key in (("Bash", "command"), ("Edit", "new_string"), ("Write", "content"), ("x", "q")):
            assert_within_limits(row(name, {"file_path": text[:5_000], key: text}, "done"))


@pytest.mark.skipif(
    not os.environ.get("OFFLOAD_TEST_DATA"), reason="OFFLOAD_TEST_DATA names no folder of transcripts"
)
def test_rows_of_real_sessions_keep_their_limits() -> None:
    calls: dict[str, dict[str, Any]] = {}
    rows = 0
    for path in sorted((Path(os.environ["OFFLOAD_TEST_DATA"]) / "claude_code").glob("*.jsonl")):
        for line in path.read_text().split("\n"):
            for block in _blocks(line):
                if block.get("type") == "tool_use":
                    calls[block["id"]] = block
                elif block.get("type") == "tool_result" and (call := calls.get(block["tool_use_id"])):
                    result = row(
                        call["name"], call["input"], block.get("content"), is_error=block.get("is_error")
                    )
                    assert_within_limits(result)
                    rows += 1
    assert rows > 100


def _blocks(line: str) -> list[dict[str, Any]]:
    try:
        message = json.loads(line).get("message")
    except ValueError:
        return []
    content = message.get("content") if isinstance(message, dict) else None
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
