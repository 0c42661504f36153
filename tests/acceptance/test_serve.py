from __future__ import annotations

import re
import shlex
import signal
import socket
import subprocess
from pathlib import Path

import httpx
import psutil
import pytest

from tests.stack import Stack, wait_for


def test_the_first_start_shows_the_demo_and_each_printed_line_works(stack: Stack) -> None:
    link = re.findall(r"Open +(\S+)", stack.output())[0]
    with httpx.Client(follow_redirects=True) as browser:
        page = browser.get(link)
        assert page.status_code == 200
        assert "/canvases/" in str(page.url)
        assert "mermaid" in page.text
    with httpx.Client(follow_redirects=True) as stranger:
        assert stranger.get(link).status_code == 410
    curl = re.findall(r"Post +(curl .*)", stack.output())[0]
    answer = subprocess.run([*shlex.split(curl), "-s"], capture_output=True, text=True, check=True).stdout
    assert '"accepted": 1' in answer
    wait_for(lambda: stack.entries("hello"), "the posted pair's entry", stack.output, within=10)


def test_a_key_made_while_the_server_runs_works_at_once(stack: Stack) -> None:
    key = stack.manage("create_api_key", "--agent", "second")
    assert re.fullmatch(r"ofk_[\w-]+", key)
    answer = httpx.get(stack.url("/api/v1/sessions"), headers={"authorization": f"Bearer {key}"})
    assert answer.json() == {"items": [], "next": None}


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_stopping_leaves_no_process_and_the_next_start_goes_on(stack: Stack, how: signal.Signals) -> None:
    stack.post("sessions/s1/tool-pairs", {"tool_pairs": [{"tool_name": "T", "result": "kept"}]})
    parts = stack.parts()
    assert len(parts) >= 4
    assert stack.stop(how) == 0
    assert [part for part in parts if part.is_running() and part.status() != psutil.STATUS_ZOMBIE] == []
    key = stack.key
    stack.start()
    assert stack.key == key
    wait_for(lambda: stack.settled("s1"), "the pair's entry", stack.output)
    assert {item["session_id"] for item in stack.get("sessions").json()["items"]} == {"s1", "demo"}


def test_stopping_amid_work_is_told_in_a_few_lines(stack: Stack) -> None:
    before = len(stack.output())
    for session in ("s1", "s2"):
        pairs = [{"tool_name": "T", "result": f"line {number}\n" * 200} for number in range(60)]
        stack.post(f"sessions/{session}/tool-pairs", {"tool_pairs": pairs})
    stack.stop(signal.SIGINT)
    said = stack.output()[before:]
    assert "Traceback" not in said
    assert "Error" not in said
    assert len(said.strip().splitlines()) < 10
    stack.start()
    for session in ("s1", "s2"):
        wait_for(lambda: stack.settled(session), "the entries of all pairs", stack.output, within=30)  # noqa: B023


def test_a_taken_port_is_a_clear_message(tmp_path: Path) -> None:
    stack = Stack(tmp_path / "home")
    with socket.socket() as other:
        other.bind(("127.0.0.1", stack.port))
        other.listen()
        said = stack.refused()
    assert f"Port {stack.port} cannot be used" in said
    assert "OFFLOAD_PORT=" in said


def test_two_servers_never_share_a_data_folder(stack: Stack) -> None:
    assert "already runs" in Stack(stack.home).refused()


def test_health_names_each_layer(stack: Stack) -> None:
    wait_for(lambda: stack.get("health").json()["status"] == "ok", "every layer", stack.output, within=30)
    layers = stack.get("health").json()["layers"]
    assert set(layers) == {"database", "broker", "worker", "l1", "l15", "l2"}
