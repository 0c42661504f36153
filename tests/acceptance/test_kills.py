from __future__ import annotations

import hashlib
import threading
import time
from typing import Any

import httpx
import pytest

from tests.stack import Stack, wait_for


def results(start: int, count: int) -> list[dict[str, Any]]:
    """Return pairs with results large enough that summarising them takes a while."""
    return [
        {
            "tool_name": "Bash",
            "tool_call_id": f"c{number}",
            "params": {"command": f"pytest tests/test_{number}.py"},
            "result": f"run {number}\n"
            + f"tests/test_{number}.py::test PASSED [ 1%]\n" * 400
            + "400 passed in 1.2s",
        }
        for number in range(start, start + count)
    ]


class Poster:
    """Posts batches until the server is gone, and remembers what was acknowledged."""

    def __init__(self, stack: Stack) -> None:
        self.stack = stack
        self.refs: dict[int, str] = {}
        self.thread = threading.Thread(target=self._run)
        self.thread.start()

    def _run(self) -> None:
        for start in range(0, 4000, 10):
            try:
                answer = self.stack.post("sessions/s1/tool-pairs", {"tool_pairs": results(start, 10)})
            except httpx.TransportError:
                return
            self.refs |= {ref["seq"]: ref["content_sha256"] for ref in answer.json().get("refs", ())}

    def acknowledged(self, count: int) -> None:
        wait_for(lambda: len(self.refs) >= count, f"{count} acknowledged pairs", self.stack.output)


def check_nothing_is_lost_or_doubled(stack: Stack, refs: dict[int, str]) -> None:
    wait_for(lambda: stack.settled("s1"), "all work to be done", stack.output, within=120)
    entries = stack.entries("s1")
    seqs = [entry["seq"] for entry in entries]
    assert seqs == list(range(1, len(seqs) + 1))
    assert set(refs) <= set(seqs)
    canvases = stack.get("sessions/s1/canvases").json()["items"]
    nodes = {node["node_id"] for canvas in canvases for node in canvas["nodes"]}
    assert {entry["node_id"] for entry in entries} <= nodes
    assert sum(node["entries"] for canvas in canvases for node in canvas["nodes"]) == len(entries)
    for seq in list(refs)[:: max(1, len(refs) // 20)]:
        ref = next(entry["ref_id"] for entry in entries if entry["seq"] == seq)
        raw = stack.get(f"refs/{ref}/raw").content
        assert hashlib.sha256(raw).hexdigest() == refs[seq]


@pytest.mark.parametrize("part", ["offload_site worker", "valkey-server", "uvicorn"])
def test_a_part_killed_while_pairs_come_in_costs_nothing(stack: Stack, part: str) -> None:
    poster = Poster(stack)
    poster.acknowledged(60)
    stack.kill(part)
    poster.thread.join()
    stack.start()
    check_nothing_is_lost_or_doubled(stack, poster.refs)


@pytest.mark.parametrize("delay", [0.0, 0.15, 0.4, 0.9])
def test_a_worker_killed_at_any_point_of_its_work_costs_nothing(stack: Stack, delay: float) -> None:
    answer = stack.post("sessions/s1/tool-pairs", {"tool_pairs": results(0, 200)})
    refs = {ref["seq"]: ref["content_sha256"] for ref in answer.json()["refs"]}
    time.sleep(delay)
    stack.kill("offload_site worker")
    stack.start()
    check_nothing_is_lost_or_doubled(stack, refs)


def test_the_web_process_killed_right_after_its_answer_costs_nothing(stack: Stack) -> None:
    answer = stack.post("sessions/s1/tool-pairs", {"tool_pairs": results(0, 5)})
    stack.kill("uvicorn")
    assert answer.status_code == 202
    stack.start()
    check_nothing_is_lost_or_doubled(
        stack, {ref["seq"]: ref["content_sha256"] for ref in answer.json()["refs"]}
    )


def test_without_a_broker_posting_and_reading_go_on(stack: Stack) -> None:
    (broker,) = stack.parts("valkey-server")
    broker.suspend()
    try:
        answer = stack.post("sessions/s1/tool-pairs", {"tool_pairs": results(0, 2)})
        assert answer.status_code == 202
        ref = answer.json()["refs"][0]
        raw = stack.get(f"refs/{ref['ref_id']}/raw")
        assert hashlib.sha256(raw.content).hexdigest() == ref["content_sha256"]
        health = stack.get("health").json()
        assert health["status"] == "degraded"
        assert health["layers"]["broker"]["cure"]
    finally:
        broker.resume()
    check_nothing_is_lost_or_doubled(stack, {ref["seq"]: ref["content_sha256"]})


def test_a_broker_that_hangs_makes_only_a_request_now_and_then_wait(stack: Stack) -> None:
    (broker,) = stack.parts("valkey-server")
    broker.suspend()
    try:
        began = time.monotonic()
        refs = {}
        for start in range(30):
            answer = stack.post("sessions/s1/tool-pairs", {"tool_pairs": results(start, 1)}).json()
            refs |= {ref["seq"]: ref["content_sha256"] for ref in answer["refs"]}
        assert time.monotonic() - began < 20
    finally:
        broker.resume()
    check_nothing_is_lost_or_doubled(stack, refs)
