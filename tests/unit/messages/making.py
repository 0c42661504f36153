"""Random message lists in every dialect, as agents write them and as they break them.

Call number n has the input {"n": n} and its result ends with "result n", so that a test can tell which answers which.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from pipelines.messages.view import Raw

DIALECTS = ("anthropic", "openai_chat", "responses", "pi", "pi_wrapped")
IMAGE = "iVBORw0KGgo" + "A" * 80
WORDS = st.sampled_from(["Look at the log.", "修复测试", "ok", "a\nb", "🙂 done", '{"json": 1}', "x" * 300])
EXTRA = st.sampled_from([{}, {}, {"x_trace": {"id": 7}}, {"metadata": None}])
NAMES = st.sampled_from(["bash", "read_file", "search"])


@dataclass(frozen=True, kw_only=True)
class Call:
    """A call as the model makes it."""

    number: int
    name: str
    id: str

    @property
    def input(self) -> dict[str, Any]:
        return {"n": self.number, "path": "src/é.py"}


@dataclass(frozen=True, kw_only=True)
class Step:
    """What the model says and calls at once, and the results in the order they come."""

    text: str
    thinking: bool
    calls: list[Call] = field(default_factory=list)
    answered: list[Call] = field(default_factory=list)


Draw = Callable[[st.SearchStrategy[Any]], Any]


@st.composite
def lists(draw: Draw, dialect: str, faulty: bool = False) -> list[Raw]:
    """A list in a dialect (one of DIALECTS) that a strict provider takes; with `faulty`, one it may refuse."""
    write = _WRITERS[dialect]
    raws: list[Raw] = [write.system(draw)] if draw(st.booleans()) and dialect == "openai_chat" else []
    number = 0
    for _ in range(draw(st.integers(1, 4))):
        raws += write.user(draw, draw(WORDS))
        for _ in range(draw(st.integers(0, 3))):
            step = _step(draw, dialect, number)
            number += len(step.calls)
            raws += write.step(draw, step)
        raws += write.step(draw, Step(text=draw(WORDS), thinking=False))
    if dialect == "pi_wrapped":
        raws = [{"type": "message", "id": f"m{at}", "message": raw} for at, raw in enumerate(raws)]
    return _broken(draw, raws) if faulty else raws


@st.composite
def any_lists(draw: Draw, faulty: bool = False) -> list[Raw]:
    """A list in any one dialect."""
    return draw(lists(draw(st.sampled_from(DIALECTS)), faulty))


@st.composite
def mixed_lists(draw: Draw) -> list[Raw]:
    """A list put together from messages of several dialects, and of none."""
    found = [raw for dialect in DIALECTS for raw in draw(lists(dialect, faulty=True))]
    found += [{"role": "exit"}, {}, {"type": "custom"}, {"role": ["user"], "content": 1}]
    order = draw(st.permutations(range(len(found))))
    return [found[at] for at in order[: draw(st.integers(0, len(found)))]]


_KEYS = st.sampled_from(
    [
        *(
            "role",
            "type",
            "content",
            "message",
            "tool_calls",
            "function_call",
            "function",
            "custom",
            "arguments",
        ),
        *("input", "output", "id", "call_id", "tool_call_id", "toolCallId", "tool_use_id", "name", "text"),
        *("summary", "action", "stopReason", "isError", "thinking", "signature"),
    ]
)
_VALUES = st.sampled_from(
    [
        *("user", "assistant", "system", "tool", "function", "toolResult", "text", "tool_use", "tool_result"),
        *(
            "toolCall",
            "thinking",
            "message",
            "function_call",
            "function_call_output",
            "reasoning",
            "input_text",
        ),
        *(
            "local_shell_call",
            "shell_call_output",
            "web_search_call",
            "aborted",
            "a",
            "",
            "{",
            "{}",
            "\ud800",
        ),
        *(None, True, 0, 1.5),
    ]
)
odd_messages: st.SearchStrategy[list[Raw]] = st.lists(
    st.dictionaries(
        _KEYS,
        st.recursive(
            _VALUES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=4)
        ),
        max_size=5,
    ),
    max_size=6,
)
"""Objects with the fields of messages and anything in them."""


def _step(draw: Draw, dialect: str, number: int) -> Step:
    count = draw(st.integers(0, 3))
    again = dialect in ("openai_chat", "pi", "pi_wrapped") and draw(st.booleans())
    calls = [
        Call(number=at, name=draw(NAMES), id=f"call_{at - number}" if again else f"call-{at}")
        for at in range(number, number + count)
    ]
    text = draw(WORDS) if not calls or draw(st.booleans()) else ""
    return Step(
        text=text, thinking=draw(st.booleans()), calls=calls, answered=list(draw(st.permutations(calls)))
    )


def result_text(draw: Draw, call: Call) -> str:
    """The text of a result, with the number of its call at the end."""
    return f"{draw(WORDS)}\nresult {call.number}"


class _Anthropic:
    @staticmethod
    def user(draw: Draw, text: str) -> list[Raw]:
        content: Any = text if draw(st.booleans()) else [{"type": "text", "text": text}]
        return [{"role": "user", "content": content}]

    @staticmethod
    def step(draw: Draw, step: Step) -> list[Raw]:
        blocks: list[Raw] = []
        if step.thinking:
            blocks.append({"type": "thinking", "thinking": "Hm.", "signature": "c2ln"})
        if step.text:
            blocks.append({"type": "text", "text": step.text, **draw(EXTRA)})
        blocks += [
            {"type": "tool_use", "id": call.id, "name": call.name, "input": call.input} for call in step.calls
        ]
        if draw(st.booleans()):
            raws: list[Raw] = [{"role": "assistant", "content": [block]} for block in blocks]
        else:
            raws = [{"role": "assistant", "content": blocks, **draw(EXTRA)}]
        if not step.answered:
            return raws
        results = [_Anthropic._result(draw, call) for call in step.answered]
        if draw(st.booleans()):
            return raws + [{"role": "user", "content": [result]} for result in results]
        tail = [{"type": "text", "text": draw(WORDS)}] if draw(st.booleans()) else []
        return [*raws, {"role": "user", "content": [*results, *tail]}]

    @staticmethod
    def _result(draw: Draw, call: Call) -> Raw:
        text = result_text(draw, call)
        image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": IMAGE}}
        shapes: list[Any] = [text, [{"type": "text", "text": text}], [image, {"type": "text", "text": text}]]
        fields = draw(st.sampled_from([{}, {"is_error": True}, {"cache_control": {"type": "ephemeral"}}]))
        content = draw(st.sampled_from(shapes))
        return {"type": "tool_result", "tool_use_id": call.id, "content": content, **fields}


class _Chat:
    @staticmethod
    def system(draw: Draw) -> Raw:
        return {"role": draw(st.sampled_from(["system", "developer"])), "content": "Be brief."}

    @staticmethod
    def user(draw: Draw, text: str) -> list[Raw]:
        parts = [
            {"type": "text", "text": text},
            {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{IMAGE}"}},
        ]
        content: Any = draw(st.sampled_from([text, parts[:1], parts]))
        return [{"role": "user", "content": content, **draw(EXTRA)}]

    @staticmethod
    def step(draw: Draw, step: Step) -> list[Raw]:
        said: Any = step.text or draw(st.sampled_from([None, ""]))
        if step.text and draw(st.booleans()):
            said = [{"type": "text", "text": step.text}]
        raw: Raw = {"role": "assistant", "content": said, **draw(EXTRA)}
        if len(step.calls) == 1 and draw(st.booleans()):
            call = step.calls[0]
            raw["function_call"] = {"name": call.name, "arguments": json.dumps(call.input)}
            return [raw, {"role": "function", "name": call.name, "content": result_text(draw, call)}]
        if step.calls:
            raw["tool_calls"] = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": json.dumps(call.input)},
                }
                for call in step.calls
            ]
        return [raw, *(_Chat._result(draw, call) for call in step.answered)]

    @staticmethod
    def _result(draw: Draw, call: Call) -> Raw:
        text = result_text(draw, call)
        content: Any = text if draw(st.booleans()) else [{"type": "text", "text": text}]
        return {"role": "tool", "tool_call_id": call.id, "content": content, **draw(EXTRA)}


class _Responses:
    @staticmethod
    def user(draw: Draw, text: str) -> list[Raw]:
        said = [{"type": "input_text", "text": text}]
        full = {"type": "message", "role": "user", "content": said}
        return [draw(st.sampled_from([full, {"role": "user", "content": text}]))]

    @staticmethod
    def step(draw: Draw, step: Step) -> list[Raw]:
        raws: list[Raw] = []
        if step.thinking:
            raws.append({"type": "reasoning", "summary": [], "encrypted_content": "gAAA", **draw(EXTRA)})
        if step.text:
            said = [{"type": "output_text", "text": step.text, "annotations": []}]
            raws.append({"type": "message", "role": "assistant", "content": said})
        customs = {call.id for call in step.calls if draw(st.booleans())}
        raws += [_Responses._call(call, call.id in customs) for call in step.calls]
        return raws + [_Responses._output(draw, call, call.id in customs) for call in step.answered]

    @staticmethod
    def _call(call: Call, custom: bool) -> Raw:
        kind, key = ("custom_tool_call", "input") if custom else ("function_call", "arguments")
        return {"type": kind, "call_id": call.id, "name": call.name, key: json.dumps(call.input)}

    @staticmethod
    def _output(draw: Draw, call: Call, custom: bool) -> Raw:
        text = result_text(draw, call)
        kind = "custom_tool_call_output" if custom else "function_call_output"
        output: Any = text if draw(st.booleans()) else [{"type": "input_text", "text": text}]
        return {"type": kind, "call_id": call.id, "output": output, **draw(EXTRA)}


class _Pi:
    @staticmethod
    def user(draw: Draw, text: str) -> list[Raw]:
        content: Any = text if draw(st.booleans()) else [{"type": "text", "text": text}]
        return [{"role": "user", "content": content, "timestamp": 1763681581544}]

    @staticmethod
    def step(draw: Draw, step: Step) -> list[Raw]:
        blocks: list[Raw] = []
        if step.thinking:
            blocks.append({"type": "thinking", "thinking": "Hm.", "thinkingSignature": "c2ln"})
        if step.text:
            blocks.append({"type": "text", "text": step.text})
        blocks += [
            {"type": "toolCall", "id": call.id, "name": call.name, "arguments": call.input}
            for call in step.calls
        ]
        reason = "toolUse" if step.calls else "stop"
        raws: list[Raw] = [{"role": "assistant", "content": blocks, "stopReason": reason, **draw(EXTRA)}]
        raws += [_Pi._result(draw, call) for call in step.answered]
        if draw(st.booleans()):
            aborted = [{"type": "toolCall", "id": "call_0", "name": "bash", "arguments": {}}]
            content = draw(st.sampled_from([[], aborted]))
            raws.append({"role": "assistant", "content": content, "stopReason": "aborted"})
        return raws

    @staticmethod
    def _result(draw: Draw, call: Call) -> Raw:
        content: list[Raw] = [{"type": "text", "text": result_text(draw, call)}]
        if draw(st.booleans()):
            content.insert(0, {"type": "image", "data": IMAGE, "mimeType": "image/png"})
        return {
            "role": "toolResult",
            "toolCallId": call.id,
            "toolName": call.name,
            "content": content,
            "isError": draw(st.booleans()),
        }


_WRITERS: dict[str, Any] = {
    "anthropic": _Anthropic,
    "openai_chat": _Chat,
    "responses": _Responses,
    "pi": _Pi,
    "pi_wrapped": _Pi,
}
_ID_KEYS = ("id", "tool_use_id", "tool_call_id", "call_id", "toolCallId")


def _broken(draw: Draw, raws: list[Raw]) -> list[Raw]:
    """Break a list in a few ways: messages lost, twice, moved or emptied; blocks lost or turned; ids used again."""
    raws = copy.deepcopy(raws)
    for _ in range(draw(st.integers(1, 4))):
        if not raws:
            break
        at = draw(st.integers(0, len(raws) - 1))
        to = draw(st.integers(0, len(raws) - 1))
        draw(st.sampled_from(_FAULTS))(draw, raws, at, to)
    return raws


def _lose(draw: Draw, raws: list[Raw], at: int, to: int) -> None:
    del raws[at]


def _cut(draw: Draw, raws: list[Raw], at: int, to: int) -> None:
    del raws[:at]


def _repeat(draw: Draw, raws: list[Raw], at: int, to: int) -> None:
    raws.insert(to, copy.deepcopy(raws[at]))


def _move(draw: Draw, raws: list[Raw], at: int, to: int) -> None:
    raws.insert(to, raws.pop(at))


def _empty(draw: Draw, raws: list[Raw], at: int, to: int) -> None:
    message = raws[at].get("message", raws[at])
    if "content" in message:
        message["content"] = draw(st.sampled_from(["", " \n", [], [{"type": "text", "text": ""}]]))


def _turn(draw: Draw, raws: list[Raw], at: int, to: int) -> None:
    content = raws[at].get("message", raws[at]).get("content")
    if isinstance(content, list):
        content.reverse()


def _lose_block(draw: Draw, raws: list[Raw], at: int, to: int) -> None:
    content = raws[at].get("message", raws[at]).get("content")
    if isinstance(content, list) and content:
        content.pop(draw(st.integers(0, len(content) - 1)))


def _same_ids(draw: Draw, raws: list[Raw], at: int, to: int) -> None:
    found = draw(st.sampled_from(["call_0", "", "functions.bash:1"]))
    everywhere = draw(st.booleans())
    for raw in raws if everywhere else [raws[at]]:
        _rename(raw, found)


def _rename(value: Any, call_id: str) -> None:
    if isinstance(value, list):
        for one in value:
            _rename(one, call_id)
    elif isinstance(value, dict):
        for key in _ID_KEYS:
            if key in value and "message" not in value:
                value[key] = call_id
        for one in value.values():
            _rename(one, call_id)


def _stranger(draw: Draw, raws: list[Raw], at: int, to: int) -> None:
    raws.insert(to, draw(st.sampled_from([{"role": "exit", "content": "bye"}, {"type": "custom"}])))


_FAULTS = (_lose, _cut, _repeat, _move, _empty, _turn, _lose_block, _same_ids, _stranger)
