"""Ways to keep a message list small, as clients use them: each is asked before every turn with the whole list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from pipelines import l1
from pipelines.blobs import ref_id
from pipelines.l3.compress import Request, compress
from pipelines.l3.memory import Memory
from pipelines.l3.outcome import Level
from pipelines.l3.settings import Settings
from pipelines.l3.stub import Ref
from pipelines.l3.weights import Counter
from pipelines.messages.view import Part, Raw
from pipelines.pairs import encode_text
from pipelines.records import ToolCall

Weigh = Callable[[Raw], int]
"""Gives the tokens of a message."""


class Policy(Protocol):
    """One session's way to keep its list small."""

    def see(self, messages: Sequence[Raw]) -> tuple[list[Raw], str]:
        """Return what the model sees of a list, and a word for what was done anew ("" for nothing)."""


class Untouched:
    """The list as it is."""

    def see(self, messages: Sequence[Raw]) -> tuple[list[Raw], str]:
        return list(messages), ""


class Clearing:
    """What providers offer: past half of the window all results but the newest few are cleared, for good."""

    TEXT = "[cleared]"

    def __init__(self, window: int, weigh: Weigh, *, trigger: float = 0.5, keep: int = 3) -> None:
        self.most, self.weigh, self.keep = trigger * window, weigh, keep
        self.cleared: set[str] = set()

    def see(self, messages: Sequence[Raw]) -> tuple[list[Raw], str]:
        seen = _without(messages, self.cleared, self.TEXT)
        if sum(map(self.weigh, seen)) <= self.most:
            return seen, ""
        fresh = set(_results(messages)[: -self.keep]) - self.cleared
        self.cleared |= fresh
        return _without(messages, self.cleared, self.TEXT), "cleared" if fresh else ""


class Masking:
    """What agents do by themselves: only the newest few results are shown, whatever the window."""

    TEXT = "[old result omitted]"

    def __init__(self, *, keep: int = 10) -> None:
        self.keep = keep

    def see(self, messages: Sequence[Raw]) -> tuple[list[Raw], str]:
        return _without(messages, set(_results(messages)[: -self.keep]), self.TEXT), ""


class Ours:
    """This product's compression, its summaries made by rule."""

    def __init__(self, window: int, counter: Counter, settings: Settings) -> None:
        self.window, self.counter, self.settings = window, counter, settings
        self.memory = Memory()
        self.refs = _Refs(counter)

    def see(self, messages: Sequence[Raw]) -> tuple[list[Raw], str]:
        outcome = compress(
            Request(messages=messages, window=self.window),
            memory=self.memory,
            refs=self.refs,
            canvases=list,
            counter=self.counter,
            settings=self.settings,
        )
        return outcome.messages, "" if outcome.level is Level.FAST else outcome.level


class _Refs:
    """Names where results would be kept, with their summaries; nothing is kept."""

    def __init__(self, counter: Counter) -> None:
        self.counter = counter

    def text(self, text: str) -> str:
        return ref_id(encode_text(text))

    def results(self, wanted: Sequence[tuple[Part, Part | None]]) -> list[Ref | None]:
        return [self._ref(part, call) for part, call in wanted]

    def _ref(self, part: Part, call: Part | None) -> Ref:
        asked = ToolCall(
            tool_name=(call.name if call else part.name) or "tool",
            tool_call_id=part.call_id,
            params=call.input if call else None,
            result=part.text,
            error="",
            is_error=part.is_error or None,
            duration_ms=None,
        )
        return Ref(
            ref_id=self.text(part.text),
            summary=l1.summarise(asked).summary,
            tokens=self.counter.text(part.text),
        )


def _results(messages: Sequence[Raw]) -> list[str]:
    """Return the call ids of all results, in order."""
    return [
        block["tool_use_id"] for raw in messages for block in raw["content"] if block["type"] == "tool_result"
    ]


def _without(messages: Sequence[Raw], ids: set[str], text: str) -> list[Raw]:
    """Return the list with the contents of these results replaced."""

    def put(block: Raw) -> Raw:
        return {**block, "content": text} if block.get("tool_use_id") in ids else block

    return [
        {**raw, "content": [put(block) for block in raw["content"]]}
        if any(block.get("tool_use_id") in ids for block in raw["content"])
        else raw
        for raw in messages
    ]
