"""Lists are compressed while their results come in, and while workers summarise and draw them."""

from __future__ import annotations

import hashlib
import json
import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx

from pipelines.messages.problems import problems
from tests.stack import Stack, wait_for

CALLS = 16
REF = re.compile(r"result_ref: (ofl_[A-Z2-7]{13})")


def result(number: int) -> str:
    return "".join(f"src/part_{number}/mod_{line}.py:{line}: def f_{number}_{line}()\n" for line in range(30))


def talk(calls: int) -> list[dict[str, Any]]:
    said: list[dict[str, Any]] = [{"role": "user", "content": "Find the parser and mend it"}]
    for number in range(calls):
        use = {"type": "tool_use", "id": f"c{number}", "name": "Grep", "input": {"pattern": f"f_{number}"}}
        answer = {"type": "tool_result", "tool_use_id": f"c{number}", "content": result(number)}
        said += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [answer]}]
    return said


def post(stack: Stack, number: int) -> None:
    pair = {
        "tool_name": "Grep",
        "tool_call_id": f"c{number}",
        "params": {"pattern": f"f_{number}"},
        "result": result(number),
    }
    stack.post("sessions/s1/tool-pairs", {"tool_pairs": [pair]})


def compress(stack: Stack, calls: int) -> list[dict[str, Any]]:
    body = {"messages": talk(calls), "context_window": 5_000}
    headers = {"authorization": f"Bearer {stack.key}"}
    answer = httpx.post(stack.url("/api/v1/sessions/s1/compress"), json=body, headers=headers, timeout=60)
    assert answer.status_code == 200, answer.text
    told = answer.json()
    assert told["report"]["fits"]
    messages: list[dict[str, Any]] = told["messages"]
    return messages


def test_a_list_is_compressed_amid_posts_summaries_and_other_calls(stack: Stack) -> None:
    with ThreadPoolExecutor(4) as at_once:
        posts = at_once.submit(lambda: [post(stack, number) for number in range(CALLS)])
        asked = [at_once.submit(compress, stack, 4 + number % CALLS) for number in range(2 * CALLS)]
        lists = [one.result() for one in asked]
        posts.result()
    wait_for(lambda: stack.settled("s1"), "the entries of all pairs", stack.output, within=60)
    hashes = {hashlib.sha256(result(number).encode()).hexdigest() for number in range(CALLS + 4)}
    named = set()
    for messages in lists:
        assert problems(messages) == []
        assert messages[0] == talk(0)[0]
        named |= set(REF.findall(json.dumps(messages)))
    assert len(named) >= CALLS
    headers = {"authorization": f"Bearer {stack.key}"}
    with httpx.Client(headers=headers, base_url=stack.url("/api/v1/")) as client:
        for ref_id in named:
            read = client.get(f"refs/{ref_id}/raw")
            assert read.status_code == 200
            is_result = hashlib.sha256(read.content).hexdigest() in hashes
            assert is_result or json.loads(read.content)[0]["role"] == "assistant"
        assert client.post("audit/verify", json={}).json()["holds"]
    last = compress(stack, CALLS)
    assert json.dumps(compress(stack, CALLS)) == json.dumps(last)
