from __future__ import annotations

import io
import json
import os
from typing import Any

import pytest
from claude_lines import call, events, oddities_in, pairs_in, prompt, prompts_in, result, written

from pipelines import transcripts
from pipelines.transcripts import source

GOOD = [call("t1"), result("t1", "one")]


class Pipe(io.RawIOBase):
    """A stream that cannot seek and gives a few bytes at a time."""

    def __init__(self, content: bytes) -> None:
        self._rest = content

    def read(self, size: int = -1) -> bytes:
        given, self._rest = self._rest[: min(7, size)], self._rest[min(7, size) :]
        return given


def test_a_session_tells_its_id_folder_and_title() -> None:
    title = {"type": "summary", "summary": "Fixing the rounding", "leafUuid": "x"}
    found = events(written(title, prompt("go")))
    assert found[0] == transcripts.SessionSeen(
        session_id="11111111-2222-3333-4444-555555555555", cwd="/home/ada/shop", title="Fixing the rounding"
    )


def test_a_session_is_told_again_only_when_more_is_known() -> None:
    early = {"type": "queue-operation", "operation": "enqueue", "sessionId": "s1", "content": "x"}
    later = {"type": "custom-title", "customTitle": "Named", "sessionId": "s1"}
    found = events(
        written(
            early,
            prompt("go", sessionId="s1"),
            prompt("on", sessionId="s1", cwd="/elsewhere"),
            later,
            prompt("x", sessionId="s2"),
        )
    )
    assert [
        (event.session_id, event.cwd, event.title)
        for event in found
        if isinstance(event, transcripts.SessionSeen)
    ] == [
        ("s1", None, None),
        ("s1", "/home/ada/shop", None),
        ("s1", "/home/ada/shop", "Named"),
        ("s2", "/home/ada/shop", "Named"),
    ]


def test_the_session_id_can_be_asked_for_alone() -> None:
    assert transcripts.session_id(io.BytesIO(written(*GOOD))) == "11111111-2222-3333-4444-555555555555"
    assert transcripts.session_id(io.BytesIO(written(prompt("go", sessionId=None)))) is None


def test_a_stream_that_cannot_seek_gives_the_same_events() -> None:
    content = written(prompt("go"), *GOOD)
    assert list(transcripts.read(Pipe(content))) == events(content)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n\n",
        b"hello\n",
        b"{}\n",
        b"[1, 2]\n",
        b'{"timestamp": "2026-01-01T00:00:00Z", "type": "session_meta", "payload": {"id": "x"}}\n',
        b'{"type": "session", "id": "x", "cwd": "/"}\n{"type": "message", "id": "a", "message": {}}\n',
        b'[{"role": "user", "content": "hi"}]',
        b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 300,
        b"[" * 100_000,
    ],
)
def test_what_is_no_known_transcript_is_refused_with_the_known_kinds(content: bytes) -> None:
    with pytest.raises(transcripts.UnknownFormat, match="Claude Code JSONL"):
        events(content)


@pytest.mark.parametrize("start", ["result line", "long line", "byte order mark", "snapshot", "broken line"])
def test_a_file_is_recognised_however_it_begins(start: str) -> None:
    first: dict[str, bytes] = {
        "result line": written(result("rewound")),
        "long line": written(prompt("x" * 200_000)),
        "byte order mark": b"\xef\xbb\xbf" + written(prompt("go")),
        "snapshot": written({"type": "file-history-snapshot", "messageId": "m", "snapshot": {}}),
        "broken line": b'torn of a line"}}\n',
    }
    assert len(pairs_in(first[start] + written(*GOOD))) == 1


def test_a_last_line_that_is_cut_costs_nothing_before_it() -> None:
    content = written(prompt("go"), *GOOD, call("t2"), result("t2", "x" * 1000))[:-500]
    assert len(pairs_in(content)) == 1
    (cut, missing) = sorted(oddities_in(content), reverse=True)
    assert cut[0] == 5
    assert "cut while it was written" in cut[1]
    assert missing == (4, "the call Read t2 has no result; left out")


def test_a_last_line_without_line_feed_counts() -> None:
    assert len(pairs_in(written(*GOOD).rstrip(b"\n"))) == 1


def test_two_objects_on_one_line_are_both_read() -> None:
    snapshot = json.dumps({"type": "file-history-snapshot", "messageId": "m", "snapshot": {}})
    one, two = (json.dumps(line) for line in GOOD)
    content = written(one + snapshot + " " + two)
    assert len(pairs_in(content)) == 1
    assert oddities_in(content) == []


def test_after_a_torn_object_the_next_one_on_the_line_is_read() -> None:
    one, two = (json.dumps(line) for line in GOOD)
    content = written(
        one, '{"type":"progress","data":{"out":"abc' + two.replace('{"parentUuid": ', '{"parentUuid":')
    )
    assert len(pairs_in(content)) == 1
    assert [line for line, _ in oddities_in(content)] == [2]


@pytest.mark.parametrize(
    "junk", ["", "not json", "[1]", "3", '{"a": NaN}', "\0\0\0", "{" * 50_000, '{"type": 3}']
)
def test_a_bad_line_costs_the_others_nothing(junk: str) -> None:
    content = written(prompt("go"), GOOD[0], junk, GOOD[1])
    assert len(pairs_in(content)) == 1
    assert prompts_in(content) == ["go"]


def test_nul_bytes_before_a_line_do_not_cost_it() -> None:
    one, two = (json.dumps(line) for line in GOOD)
    content = written(one, "\0" * 4096 + two)
    assert len(pairs_in(content)) == 1
    assert oddities_in(content) == []


def test_bytes_that_are_not_utf8_are_replaced_and_reported() -> None:
    content = written(*GOOD).replace(b'"one"', b'"on\xff\xfee"')
    (pair,) = pairs_in(content)
    assert pair.content == "on\ufffd\ufffde".encode()
    assert oddities_in(content) == [(2, "bytes that are not UTF-8 were replaced")]


def test_a_line_beyond_the_limit_is_left_out_and_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "MAX_LINE_BYTES", 100_000)
    content = written(GOOD[0], prompt("x" * 300_000), GOOD[1])
    assert len(pairs_in(content)) == 1
    assert oddities_in(content) == [(2, "the line is longer than 64 MiB; left out")]


def test_deep_nesting_is_reported_and_never_raises() -> None:
    for depth in (10, 300, 900, 960, 980, 990, 1_000, 5_000):
        deep = json.dumps(result("t1", "PLACE")).replace('"PLACE"', "[" * depth + "]" * depth)
        content = written(prompt("go"), GOOD[0], deep, call("t2"), result("t2"))
        assert [pair.tool_call_id for pair in pairs_in(content)][-1] == "t2"
        assert len(pairs_in(content)) == 2 or oddities_in(content)


def test_many_results_of_blocks_in_one_line_are_read_in_linear_time() -> None:
    count = 20_000
    blocks: list[dict[str, Any]] = [
        {"type": "tool_use", "id": str(n), "name": "R", "input": n} for n in range(count)
    ]
    answers = [{"type": "tool_result", "tool_use_id": str(n), "content": [n]} for n in range(count)]
    content = written(
        {**GOOD[0], "message": {"content": blocks}}, {**GOOD[1], "message": {"content": answers}}
    )
    assert len(pairs_in(content)) == count


def naive_count(path: str) -> tuple[int, int]:
    """Count calls that have a result, and calls, in the plainest way: distinct ids joined over the whole file."""
    calls, results = set(), set()
    with open(path, encoding="utf-8") as stream:
        lines = stream.read().split("\n")
    while lines:
        text = lines.pop().strip()
        if not text:
            continue
        value, end = json.JSONDecoder().raw_decode(text)
        lines.append(text[end:])
        content = value["message"]["content"] if value["type"] in ("user", "assistant") else ""
        for block in content:
            if isinstance(block, dict) and block["type"] == "tool_use":
                calls.add(block["id"])
            elif isinstance(block, dict) and block["type"] == "tool_result":
                results.add(block["tool_use_id"])
    return len(calls & results), len(calls)


def test_every_call_with_a_result_in_real_files_is_one_pair() -> None:
    folder = os.environ.get("OFFLOAD_TEST_DATA")
    if not folder:
        pytest.skip("OFFLOAD_TEST_DATA names no folder of transcripts")
    paths = sorted(os.scandir(os.path.join(folder, "claude_code")), key=lambda found: found.name)
    assert paths
    for path in paths:
        with open(path, "rb") as stream:
            found = list(transcripts.read(stream))
        pairs = [event.pair for event in found if isinstance(event, transcripts.PairSeen)]
        assert (len(pairs), len({pair.tool_call_id for pair in pairs})) == (naive_count(path.path)[0],) * 2
        assert all(pair.timestamp and pair.params is not None for pair in pairs)
        assert sum("has no result" in e.text for e in found if isinstance(e, transcripts.Oddity)) == (
            naive_count(path.path)[1] - len(pairs)
        )
        assert any(isinstance(event, transcripts.PromptSeen) for event in found)
