"""Long texts of what the model gives its tools become stubs too, however the dialect writes them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pipelines.l3.compress import Request, compress
from pipelines.l3.fakes import MemoryRefs
from pipelines.l3.memory import Memory
from pipelines.l3.outcome import Outcome
from pipelines.l3.stub import INPUT
from pipelines.l3.weights import Counter
from pipelines.messages.problems import problems

COUNTER = Counter()
PATCH = "*** Begin Patch\n" + "".join(f"+line {line} of a/file_{line}.py\n" for line in range(80))
RESULT = "".join(f"a/file_{line}.py: changed\n" for line in range(40))


def chat(call: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"role": "user", "content": "Mend it"},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", **call}]},
        {"role": "tool", "tool_call_id": "c1", "content": RESULT},
        {"role": "assistant", "content": "Done."},
    ]


def items(call: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Mend it"}]},
        {"call_id": "c1", **call},
        {"type": f"{call['type']}_output", "call_id": "c1", "output": RESULT},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Done."}]},
    ]


def blocks(call: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"role": "user", "content": "Mend it"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", **call}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": RESULT}]},
        {"role": "assistant", "content": "Done."},
    ]


ARGUMENTS = json.dumps({"path": "a.py", "patch": PATCH})
LISTS = {
    "chat function": (chat({"type": "function", "function": {"name": "edit", "arguments": ARGUMENTS}}), 1),
    "chat custom": (chat({"type": "custom", "custom": {"name": "apply_patch", "input": PATCH}}), 1),
    "responses function": (items({"type": "function_call", "name": "edit", "arguments": ARGUMENTS}), 1),
    "responses custom": (items({"type": "custom_tool_call", "name": "apply_patch", "input": PATCH}), 1),
    "anthropic": (blocks({"name": "edit", "input": {"path": "a.py", "patch": PATCH}}), 1),
}


def run(messages: list[dict[str, Any]], memory: Memory, refs: MemoryRefs) -> Outcome:
    request = Request(messages=messages, window=8_000)
    return compress(request, memory=memory, refs=refs, canvases=list, counter=COUNTER)


@pytest.mark.parametrize("name", LISTS)
def test_a_patch_becomes_a_stub_that_leads_back(name: str) -> None:
    messages, at = LISTS[name]
    refs, memory = MemoryRefs(), Memory()
    outcome = run(messages, memory, refs)
    [one] = [one for one in outcome.replaced if one.kind == "call"]
    assert refs.kept[one.ref_id] == PATCH
    assert INPUT in json.dumps(outcome.messages[at])
    assert PATCH not in json.dumps(outcome.messages[at])
    assert problems(outcome.messages) == []
    assert json.dumps(run(messages, memory, refs).messages) == json.dumps(outcome.messages)


def test_a_custom_tools_text_stays_a_text() -> None:
    messages, at = LISTS["responses custom"]
    assert run(messages, Memory(), MemoryRefs()).messages[at]["input"].startswith(INPUT)
    messages, at = LISTS["chat custom"]
    call = run(messages, Memory(), MemoryRefs()).messages[at]["tool_calls"][0]
    assert call["custom"]["input"].startswith(INPUT)


@pytest.mark.parametrize("text", ["12345", '{"a": 1}', "null"])
def test_a_custom_tools_text_that_looks_like_json_is_not_read_as_such(text: str) -> None:
    messages = items({"type": "custom_tool_call", "name": "apply_patch", "input": text})
    assert run(messages, Memory(), MemoryRefs()).messages[1] == messages[1]


def test_an_action_that_can_only_be_what_it_is_stays_and_is_not_said_to_be_replaced() -> None:
    action = {"type": "exec", "command": ["bash", "-lc", PATCH], "env": {}}
    messages = items({"type": "local_shell_call", "id": "c1", "status": "completed", "action": action})
    refs = MemoryRefs()
    outcome = run(messages, Memory(), refs)
    assert outcome.messages[1] == messages[1]
    assert outcome.replaced == []
    assert PATCH not in refs.kept.values()
