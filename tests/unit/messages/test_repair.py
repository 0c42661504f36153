"""Lists mended so that a strict provider takes them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pipelines.messages.lists import problems, repaired
from pipelines.messages.repair import NO_RESULT, START
from pipelines.messages.view import Raw
from tests.unit.messages.test_lists import calls, item, output, results, tool, use
from tests.unit.messages.test_problems import (
    REASONING,
    REFUSED,
    SAID,
    TAKEN,
    THINKING,
    USER,
    blocks,
    pi_calls,
    pi_result,
    text,
)

FOLDER = os.environ.get("OFFLOAD_TEST_DATA", "")


def no_result(call_id: str) -> Raw:
    block = {"type": "tool_result", "tool_use_id": call_id, "content": NO_RESULT, "is_error": True}
    return blocks("user", block)


@pytest.mark.parametrize("name", TAKEN)
def test_a_list_that_is_taken_is_the_same_object(name: str) -> None:
    mended, notes = repaired(TAKEN[name])
    assert mended is TAKEN[name]
    assert notes == []


@pytest.mark.parametrize("name", REFUSED)
def test_a_list_that_is_refused_is_taken_afterwards(name: str) -> None:
    mended, notes = repaired(REFUSED[name][0])
    assert problems(mended) == []
    assert notes


MENDED = {
    "a call is answered": ([USER, use("a"), USER], [USER, use("a"), no_result("a"), USER]),
    "an orphan goes": ([USER, calls("a"), tool("x"), tool("a")], [USER, calls("a"), tool("a")]),
    "a second result goes": ([USER, calls("a"), tool("a"), tool("a")], [USER, calls("a"), tool("a")]),
    "a result comes to its call": (
        [USER, calls("a"), USER, tool("a"), SAID],
        [USER, calls("a"), tool("a"), USER, SAID],
    ),
    "results go to their own messages": (
        [USER, calls("a"), calls("b"), tool("b"), tool("a")],
        [USER, calls("a"), tool("a"), calls("b"), tool("b")],
    ),
    "a result comes before what the user says": (
        [USER, use("a"), blocks("user", text("so"), *results("a")["content"])],
        [USER, use("a"), results("a"), blocks("user", text("so"))],
    ),
    "a call comes after the text": (
        [USER, blocks("assistant", *use("a")["content"], text("so")), results("a")],
        [USER, blocks("assistant", text("so")), use("a"), results("a")],
    ),
    "thinking that nothing follows goes": (
        [USER, blocks("assistant", text("x"), THINKING), USER],
        [USER, blocks("assistant", text("x")), USER],
    ),
    "reasoning that nothing follows goes": (
        [USER, REASONING, USER, item("a"), output("a")],
        [USER, USER, item("a"), output("a")],
    ),
    "ids are told apart": (
        [USER, use("a"), results("a"), use("a"), results("a")],
        [USER, use("a"), results("a"), use("a_2"), results("a_2")],
    ),
    "ids are given": (
        [USER, calls("", ""), tool(""), tool("")],
        [USER, calls("call_2", "call_3"), tool("call_2"), tool("call_3")],
    ),
    "ids keep to the characters allowed": (
        [USER, use("f:1"), results("f:1")],
        [USER, use("f_1_2"), results("f_1_2")],
    ),
    "the user begins": ([use("a"), results("a")], [blocks("user", text(START)), use("a"), results("a")]),
    "empty texts go": (
        [USER, use("a"), results("a"), blocks("assistant", text(""), text("x"))],
        [USER, use("a"), results("a"), blocks("assistant", text("x"))],
    ),
    "a result of an aborted turn goes": (
        [USER, pi_calls("a", stopReason="aborted"), pi_result("a")],
        [USER, pi_calls("a", stopReason="aborted")],
    ),
    "strangers stay where they were": (
        [USER, {"role": "exit"}, calls("a"), {"type": "custom"}, USER],
        [
            USER,
            {"role": "exit"},
            calls("a"),
            {"role": "tool", "tool_call_id": "a", "content": NO_RESULT},
            {"type": "custom"},
            USER,
        ],
    ),
}


@pytest.mark.parametrize("name", MENDED)
def test_mended(name: str) -> None:
    raws, expected = MENDED[name]
    assert repaired(raws)[0] == expected


def test_what_is_not_concerned_stays_the_same_object() -> None:
    raws = [USER, calls("a"), tool("a"), calls("b"), USER]
    mended, notes = repaired(raws)
    assert [any(one is raw for raw in raws) for one in mended] == [True, True, True, True, False, True]
    assert notes == ["Message 3: a call without a result was answered."]


def test_a_call_that_is_running_is_left_alone() -> None:
    raws = [USER, calls("a"), USER, calls("b", "c"), tool("c")]
    mended, _ = repaired(raws, running=True)
    assert len(mended) == len(raws) + 1
    assert mended[-2:] == raws[-2:]


def test_an_envelope_stays_around_what_is_mended() -> None:
    raws = [
        {"type": "message", "id": str(at), "message": raw}
        for at, raw in enumerate([USER, pi_calls("a"), USER])
    ]
    mended, _ = repaired(raws)
    assert [raw["message"]["role"] for raw in mended] == ["user", "assistant", "toolResult", "user"]


def recorded() -> Iterator[tuple[str, list[Raw]]]:
    """Yield the message lists of recorded sessions, each with a name."""
    for path in sorted(Path(FOLDER).glob("*/*")) if FOLDER else []:
        lines = path.read_text(encoding="utf-8", errors="surrogatepass").splitlines()
        kind = path.parent.name
        if kind == "openai_chat":
            for number, session in enumerate(json.loads("\n".join(lines))):
                yield f"{kind} {number}", session["traj"]
        elif kind == "codex":
            objects = [json.loads(line) for line in lines]
            yield kind, [one["payload"] for one in objects if one["type"] == "response_item"]
        elif kind in ("pi_openclaw", "claude_code"):
            yield f"{kind} {path.stem[-20:]}", list(_messages(lines, kind))


def _messages(lines: list[str], kind: str) -> Iterator[Raw]:
    for line in lines:
        try:
            one: Any = json.loads(line)
        except ValueError:
            continue
        if kind == "pi_openclaw" and one.get("type") == "message":
            yield one
        elif (
            kind == "claude_code" and one.get("type") in ("user", "assistant") and not one.get("isSidechain")
        ):
            yield {key: one["message"][key] for key in ("role", "content")}


@pytest.mark.skipif(not FOLDER, reason="OFFLOAD_TEST_DATA names no folder of recorded sessions")
def test_recorded_sessions_are_taken_afterwards_and_hardly_changed() -> None:
    for name, raws in recorded():
        mended, notes = repaired(raws)
        assert problems(mended) == [], name
        assert len(notes) <= 8, name
        if not name.startswith("claude_code"):
            assert mended is raws, name
