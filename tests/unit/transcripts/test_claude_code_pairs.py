from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from claude_lines import agent_progress, call, entry, events, oddities_in, pairs_in, prompt, result, written

from pipelines import transcripts

IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}


def test_a_call_and_its_result_are_one_pair() -> None:
    (pair,) = pairs_in(
        written(
            call("t1", "Bash", {"command": "ls", "n": [1, None]}),
            result(
                "t1",
                "a.py\nb.py",
                False,
                timestamp="2026-03-01T10:00:05.250Z",
                toolUseResult={"stdout": "a.py", "durationMs": 17},
            ),
        )
    )
    assert pair.tool_name == "Bash"
    assert pair.tool_call_id == "t1"
    assert pair.params == {"command": "ls", "n": [1, None]}
    assert (pair.content, pair.media_type) == (b"a.py\nb.py", "text/plain; charset=utf-8")
    assert pair.is_error is False
    assert pair.timestamp == datetime(2026, 3, 1, 10, 0, 5, 250_000, tzinfo=UTC)
    assert pair.timestamp_text == "2026-03-01T10:00:05.250Z"
    assert pair.duration_ms == 17


@pytest.mark.parametrize(
    ("noted", "duration"),
    [
        ({"totalDurationMs": 90_000}, 90_000),
        ({"durationSeconds": 1.5}, 1500),
        ({"durationMs": -1}, None),
        ({"durationMs": True}, None),
        ({"durationMs": "3"}, None),
        ("Error: no", None),
        ([{"durationMs": 3}], None),
    ],
)
def test_a_duration_is_taken_only_where_it_is_stated(noted: Any, duration: int | None) -> None:
    (pair,) = pairs_in(written(call("t1"), result("t1", toolUseResult=noted)))
    assert pair.duration_ms == duration


@pytest.mark.parametrize("text", ["", "snow ☃ 世界 😀", "a\r\nb\x1b[31m\0", "\ud800 alone", "x" * 300_000])
def test_a_text_result_is_kept_to_the_byte(text: str) -> None:
    (pair,) = pairs_in(written(call("t1"), result("t1", text)))
    assert pair.content == text.encode("utf-8", "surrogatepass")


@pytest.mark.parametrize(
    "raw",
    [
        '[{"type": "text",  "text": "two  spaces"}]',
        '[{"text":"\\u00e9\\/x","type":"text"},{"type":"text","text":"second"}]',
        "[ ]",
        '{"b":1.50,"a":1e2}',
        "null",
        "[" + json.dumps(IMAGE) + "]",
    ],
)
def test_a_result_of_blocks_is_kept_as_it_stands_in_the_file(raw: str) -> None:
    first = json.dumps(result("t1", "kept")).replace(', "content": "kept"', "")
    line = json.dumps(result("t2", "PLACE")).replace('"PLACE"', raw)
    assert "content" in first
    pairs = pairs_in(written(call("t1"), call("t2"), first, line))
    assert (pairs[0].content, pairs[0].media_type) == (b"", "text/plain; charset=utf-8")
    assert (pairs[1].content, pairs[1].media_type) == (raw.encode(), "application/json")


def test_blocks_of_one_message_over_several_lines_and_around_results_are_all_found() -> None:
    content = written(
        entry("assistant", [{"type": "text", "text": "Let me look."}], message_id="m1"),
        call("t1", message_id="m1"),
        result("t1", "one"),
        call("t2", "Grep", message_id="m1"),
        call("t3", "Bash", message_id="m1"),
        result("t3", "three"),
        result("t2", "two"),
    )
    assert [(pair.tool_call_id, pair.content) for pair in pairs_in(content)] == [
        ("t1", b"one"),
        ("t3", b"three"),
        ("t2", b"two"),
    ]
    assert oddities_in(content) == []


def test_parallel_results_in_one_line_are_pairs_in_their_order() -> None:
    calls = [{"type": "tool_use", "id": f"t{n}", "name": "Read", "input": {"n": n}} for n in range(10)]
    results = [
        {"type": "tool_result", "tool_use_id": f"t{n}", "content": [{"type": "text", "text": str(n)}]}
        for n in reversed(range(10))
    ]
    pairs = pairs_in(written(entry("assistant", calls), entry("user", results)))
    assert [pair.params["n"] for pair in pairs] == list(reversed(range(10)))
    assert json.loads(pairs[0].content) == [{"type": "text", "text": "9"}]


def test_what_lacks_its_other_half_is_reported_where_it_stands() -> None:
    content = written(call("gone", "Task"), call("t1"), result("t1"), result("rewound", "lost text"))
    assert len(pairs_in(content)) == 1
    assert oddities_in(content) == [
        (1, "the call Task gone has no result; left out"),
        (4, "a result of 9 bytes for rewound, which no call has; left out"),
    ]


def test_a_result_that_was_written_before_its_call_still_finds_it() -> None:
    content = written(prompt("go"), result("t1", "early"), call("t1", "Bash"))
    assert [(pair.tool_name, pair.content) for pair in pairs_in(content)] == [("Bash", b"early")]
    assert oddities_in(content) == []


def test_a_repeated_line_gives_nothing_twice() -> None:
    lines = [prompt("go"), call("t1"), result("t1", "one")]
    content = written(*lines, *lines)
    found = events(content)
    assert sum(isinstance(event, transcripts.PairSeen) for event in found) == 1
    assert sum(isinstance(event, transcripts.PromptSeen) for event in found) == 1
    assert oddities_in(content) == [(6, "3 lines, calls or results are there again; left out")]


def test_a_call_copied_under_a_new_line_id_is_the_same_call() -> None:
    first, answer = call("t1", message_id="m1"), result("t1", "one")
    content = written(first, answer, {**first, "uuid": "copy-1"}, {**answer, "uuid": "copy-2"})
    assert len(pairs_in(content)) == 1
    assert oddities_in(content) == [(4, "2 lines, calls or results are there again; left out")]


def test_an_id_used_again_for_another_call_is_another_pair() -> None:
    content = written(
        call("t1", "Read", {"n": 1}),
        result("t1", "one"),
        call("t1", "Bash", {"n": 2}),
        result("t1", "two"),
    )
    assert [(pair.tool_name, pair.content) for pair in pairs_in(content)] == [
        ("Read", b"one"),
        ("Bash", b"two"),
    ]


def test_an_id_used_again_after_a_missing_result_belongs_to_the_newer_call() -> None:
    content = written(call("t1", "Read", {"n": 1}), call("t1", "Bash", {"n": 2}), result("t1", "two"))
    assert [(pair.tool_name, pair.content) for pair in pairs_in(content)] == [("Bash", b"two")]
    assert oddities_in(content) == [(1, "the call Read t1 has no result; left out")]


def test_two_calls_of_one_message_with_one_id_get_their_results_in_order() -> None:
    calls = [{"type": "tool_use", "id": "", "name": name, "input": {}} for name in ("Read", "Bash")]
    content = written(entry("assistant", calls), result("", "one"), result("", "two"))
    assert [(pair.tool_name, pair.content) for pair in pairs_in(content)] == [
        ("Read", b"one"),
        ("Bash", b"two"),
    ]


def test_a_second_and_different_result_is_reported() -> None:
    content = written(call("t1"), result("t1", "one"), result("t1", "other"))
    assert [pair.content for pair in pairs_in(content)] == [b"one"]
    assert oddities_in(content) == [(3, "a second result for the call t1; left out")]


def test_the_calls_of_a_sub_agent_that_stand_in_the_file_are_its_calls() -> None:
    content = written(
        prompt("find it"),
        call("t1", "Task"),
        prompt("Search the code for it", isSidechain=True),
        call("s1", "Grep", isSidechain=True),
        result("s1", "hit", isSidechain=True),
        result("t1", "found"),
    )
    assert [pair.tool_name for pair in pairs_in(content)] == ["Grep", "Task"]
    assert [event.text for event in events(content) if isinstance(event, transcripts.PromptSeen)] == [
        "find it"
    ]


def test_a_sub_agents_own_file_has_its_instructions_as_the_prompt() -> None:
    content = written(
        prompt("Search the code", isSidechain=True),
        call("s1", isSidechain=True),
        result("s1", isSidechain=True),
    )
    assert len(pairs_in(content)) == 1
    assert [event.text for event in events(content) if isinstance(event, transcripts.PromptSeen)] == [
        "Search the code"
    ]


def test_a_sub_agents_calls_in_progress_lines_are_counted_and_reported() -> None:
    content = written(
        call("t1", "Task"), agent_progress("s1"), agent_progress("s1"), agent_progress("s2"), result("t1")
    )
    assert [pair.tool_call_id for pair in pairs_in(content)] == ["t1"]
    assert oddities_in(content) == [
        (5, "2 calls of 1 sub-agents stand in progress lines only; import their own files")
    ]


@pytest.mark.parametrize(
    ("block", "name"),
    [
        ({"type": "tool_use", "name": "Read"}, "Read"),
        ({"type": "tool_use", "id": None, "name": None, "input": None}, "unknown"),
        ({"type": "tool_use", "id": 7, "name": "N" * 5_000}, "N" * 2_000),
    ],
)
def test_a_call_with_a_missing_or_hostile_field_is_still_a_pair(block: dict[str, Any], name: str) -> None:
    (pair,) = pairs_in(written(prompt("go"), entry("assistant", [block]), result("", "out")))
    assert (pair.tool_name, pair.tool_call_id) == (name, "")
