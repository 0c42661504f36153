"""Joining tool calls with their results where ids are missing, repeated, or used again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from pipelines.pairs import MAX_ID_CHARACTERS, MAX_NAME_CHARACTERS, PostedPair, moment
from pipelines.transcripts.events import Event, Oddity, PairSeen
from pipelines.transcripts.source import digest

_SHOWN_ID = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A tool call as the transcript has it."""

    line: int
    id: str
    message: str
    """What names the message that holds the call; parallel calls share it."""
    name: str
    params: Any

    def is_again(self, other: Call) -> bool:
        """Say whether this is the other call, written a second time."""
        return (
            self.message == other.message
            and self.name == other.name
            and digest(self.params) == digest(other.params)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """A tool's result as the transcript has it."""

    line: int
    call_id: str
    content: bytes
    media_type: str
    is_error: bool | None
    timestamp_text: str
    duration_ms: int | None


@dataclass(slots=True)
class Joiner:
    """Gives a pair at each result, and at the end what is left over.

    A result belongs to the oldest waiting call with its id in the newest message that has one: an id that is
    used again starts anew. A call or a result that is only written again gives nothing. A result before its
    call waits for it.
    """

    _waiting: dict[str, list[Call]] = field(default_factory=dict)
    _seen: dict[str, Call] = field(default_factory=dict)
    _given: dict[str, Result] = field(default_factory=dict)
    _early: dict[str, Result] = field(default_factory=dict)
    repeated: int = 0
    """Calls and results that were written again."""

    def call(self, call: Call) -> Iterator[Event]:
        """Take a call."""
        before = self._seen.get(call.id)
        if before is not None and call.id and call.line != before.line and call.is_again(before):
            self.repeated += 1
            return
        self._seen[call.id] = call
        waiting = self._waiting.setdefault(call.id, [])
        if waiting and waiting[-1].message != call.message and call.id:
            yield from map(_without_result, waiting)
            waiting.clear()
        waiting.append(call)
        early = self._early.pop(call.id, None)
        if early is not None:
            yield from self.result(early)

    def result(self, result: Result) -> Iterator[Event]:
        """Take a result."""
        waiting = self._waiting.get(result.call_id)
        if waiting:
            self._given[result.call_id] = result
            yield PairSeen(pair=_pair(waiting.pop(0), result))
            return
        given = self._given.get(result.call_id)
        if given is None:
            if result.call_id in self._early:
                yield _without_call(self._early[result.call_id])
            self._early[result.call_id] = result
        elif given.content == result.content:
            self.repeated += 1
        else:
            yield Oddity(
                line=result.line, text=f"a second result for the call {_shown(result.call_id)}; left out"
            )

    def end(self) -> list[Oddity]:
        """Say which calls have no result and which results no call, in the order of the file."""
        left = [_without_result(call) for waiting in self._waiting.values() for call in waiting]
        left += map(_without_call, self._early.values())
        return sorted(left, key=lambda oddity: oddity.line)


def _pair(call: Call, result: Result) -> PostedPair:
    timestamp = moment(result.timestamp_text)
    return PostedPair(
        tool_name=call.name[:MAX_NAME_CHARACTERS] or "unknown",
        tool_call_id=call.id[:MAX_ID_CHARACTERS],
        params=call.params,
        content=result.content,
        media_type=result.media_type,
        is_error=result.is_error,
        timestamp=timestamp,
        timestamp_text=result.timestamp_text if timestamp else "",
        duration_ms=result.duration_ms,
    )


def _without_result(call: Call) -> Oddity:
    return Oddity(line=call.line, text=f"the call {call.name[:80]} {_shown(call.id)} has no result; left out")


def _without_call(result: Result) -> Oddity:
    text = (
        f"a result of {len(result.content)} bytes for {_shown(result.call_id)}, which no call has; left out"
    )
    return Oddity(line=result.line, text=text)


def _shown(call_id: str) -> str:
    return call_id if len(call_id) <= _SHOWN_ID else call_id[:_SHOWN_ID] + "…"
