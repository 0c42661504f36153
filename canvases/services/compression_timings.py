"""How long compressing takes for lists of a size: in this process, and through a server."""

from __future__ import annotations

import json
import sysconfig
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from http.client import HTTPConnection
from itertools import count
from pathlib import Path
from typing import Any, Protocol

from canvases.services.timings import Timing, timing
from pipelines import tokens
from pipelines.l3.compress import Request, compress
from pipelines.l3.fakes import MemoryRefs
from pipelines.l3.memory import Memory
from pipelines.l3.weights import Counter
from pipelines.messages.view import Raw
from pipelines.pairs import MAX_PAIRS

WINDOW = 200_000
_CHARACTERS_PER_TOKEN = 4.1  # of the text that the lists are made of


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How large a list is."""

    messages: int
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Timings:
    """Milliseconds for lists of one size."""

    cold: Timing
    """The first list of a session, no text of it counted before,"""
    warm: Timing
    """and each list after it, one call longer."""


class Conversation(Protocol):
    """A session whose lists are compressed."""

    def compressed(self, messages: list[Raw]) -> float:
        """Compress a list and return the seconds it took."""


def timings(size: Size, begin: Callable[[list[Raw]], Conversation], *, sessions: int, turns: int) -> Timings:
    """Time the first list of each of so many sessions (2 or more), and so many lists (2 or more) after the last one.

    `begin` starts a session; it is given all messages that will be in its lists.
    """
    cold: list[float] = []
    for number in range(sessions):
        said = messages_made(size, seed=number)
        conversation = begin(said)
        first = max(1, len(said) - 2 * turns)
        cold.append(conversation.compressed(said[:first]))
    warm = [conversation.compressed(said[: first + 2 * turn]) for turn in range(1, turns + 1)]
    return Timings(cold=timing(cold), warm=timing(warm))


class Refused(RuntimeError):
    """The server did not take a request; the text says what it answered."""


class InProcess:
    """A session of this process, without a database. Timed is the core's work, not its rest."""

    def __init__(self, messages: list[Raw]) -> None:
        tokens.load()
        self.counter, self.memory = Counter(), Memory()
        self.refs = MemoryRefs(count=self.counter.text)

    def compressed(self, messages: list[Raw]) -> float:
        began = time.process_time()
        request = Request(messages=messages, window=WINDOW)
        compress(request, memory=self.memory, refs=self.refs, canvases=list, counter=self.counter)
        return time.process_time() - began


class ThroughServer:
    """A session of a server, whose results are all posted before its first list."""

    def __init__(self, client: HTTPConnection, key: str, messages: list[Raw]) -> None:
        """Raises OSError or HTTPException where the server does not answer, and Refused what it does not take."""
        self.client, self.key = client, key
        self.path = f"/api/v1/sessions/benchmark-{uuid.uuid4()}"
        pairs = [_posted(call, answer) for call, answer in zip(messages[1::2], messages[2::2], strict=False)]
        for start in range(0, len(pairs), MAX_PAIRS):
            self._post("tool-pairs", {"tool_pairs": pairs[start : start + MAX_PAIRS]})

    def compressed(self, messages: list[Raw]) -> float:
        began = time.perf_counter()
        self._post("compress", {"messages": messages, "context_window": WINDOW})
        return time.perf_counter() - began

    def _post(self, what: str, body: dict[str, Any]) -> None:
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        self.client.request("POST", f"{self.path}/{what}", json.dumps(body), headers)
        answer = self.client.getresponse()
        told = answer.read()
        if answer.status >= 300:
            raise Refused(f"{answer.status} to {what}: {told[:500].decode(errors='replace')}")


def _posted(call: Raw, answer: Raw) -> dict[str, Any]:
    asked, told = call["content"][0], answer["content"][0]
    return {
        "tool_name": asked["name"],
        "tool_call_id": asked["id"],
        "params": asked["input"],
        "result": told["content"],
    }


def messages_made(size: Size, *, seed: int = 0) -> list[Raw]:
    """Return a list of about a size, in which an agent reads Python's own library; another seed, other texts."""
    said: list[Raw] = [{"role": "user", "content": f"Find out how it works ({seed})."}]
    calls = max(1, (size.messages - 1) // 2)
    texts = _stretches(int(_CHARACTERS_PER_TOKEN * size.tokens / calls), seed)
    for number, text in zip(range(calls), texts, strict=False):
        call = {"type": "tool_use", "id": f"call_{number}", "name": "Read", "input": {"part": number}}
        answer = {"type": "tool_result", "tool_use_id": f"call_{number}", "content": text}
        said += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [answer]}]
    return said


def _stretches(characters: int, seed: int) -> Iterator[str]:
    """Yield stretches of source of about so many characters, each with a mark, so that none comes twice."""
    source = _source()
    for number in count():
        start = (number * 7_919 + seed * 104_729) * 131 % max(1, len(source) - characters)
        yield f"# part {seed}.{number}\n{source[start : start + characters]}"


@cache
def _source() -> str:
    files = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))
    return "\n".join(file.read_text(encoding="utf-8", errors="replace") for file in files)
