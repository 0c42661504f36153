"""Playing a recorded session through a policy, and what that comes to."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median, quantiles

from pipelines.l3.weights import PER_MESSAGE, Counter
from pipelines.messages.problems import problems
from pipelines.messages.view import Raw
from pipelines.replay.evidence import FAR, evidence, message_text, used
from pipelines.replay.policies import Policy
from pipelines.replay.recordings import Recording

WINDOWS = (200_000, 128_000, 64_000, 32_000, 16_000, 8_000)
CROWDED = 1.3
"""A window is chosen that a session's tokens exceed so many times."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pricing:
    """How a provider bills input with prompt caching, as shares of the price of a token."""

    read: float = 0.1
    """Of the longest run of messages at the beginning that is as in the turn before,"""
    write: float = 1.25
    """and of all others."""

    def billed(self, cached: int, total: int) -> float:
        """Return what a list of `total` tokens comes to, of which `cached` are cached."""
        return self.read * cached + self.write * (total - cached)


@dataclass(slots=True, kw_only=True)
class Played:
    """What a policy came to over all turns of a session."""

    policy: str
    window: int
    turns: int = 0
    tokens: int = 0
    """Sent."""
    billed: float = 0.0
    """In tokens at full price."""
    named: int = 0
    """Strings used that had been read,"""
    shown: int = 0
    """and those of them that the list showed."""
    named_far: int = 0
    shown_far: int = 0
    invalid: int = 0
    over: int = 0
    """Turns whose list was larger than the window."""
    curve: list[int] = field(default_factory=list)
    """Tokens sent in each turn."""
    marks: dict[int, str] = field(default_factory=dict)
    """What was done in a turn, by its number from 0."""
    seconds: list[float] = field(default_factory=list)
    """That the policy took for each turn."""

    @property
    def recall(self) -> float:
        """The share of what was used that was to be seen."""
        return self.shown / self.named if self.named else 1.0

    @property
    def far(self) -> float:
        """The same of what came from far back."""
        return self.shown_far / self.named_far if self.named_far else 1.0

    @property
    def milliseconds(self) -> tuple[float, float]:
        """For half of the turns no more, and for 99 of 100 no more."""
        if len(self.seconds) < 2:
            return (1e3 * sum(self.seconds),) * 2
        return 1e3 * median(self.seconds), 1e3 * quantiles(self.seconds, n=100, method="inclusive")[98]


class Scale:
    """Weighs messages and finds what they show, once per text, and once per message of a recording."""

    def __init__(self, counter: Counter) -> None:
        self.counter = counter
        self._known: dict[str, tuple[int, frozenset[str]]] = {}
        self._recorded: dict[int, tuple[Raw, tuple[str, int, frozenset[str]]]] = {}

    def learn(self, recording: Recording) -> None:
        """Read the messages of a recording beforehand, which policies give back again and again."""
        self._recorded = {id(raw): (raw, self.read(raw)) for raw in recording.messages}

    def read(self, raw: Raw) -> tuple[str, int, frozenset[str]]:
        """Return a message's text, its tokens, and its strings."""
        recorded = self._recorded.get(id(raw))
        if recorded is not None:
            return recorded[1]
        text = message_text(raw)
        if text not in self._known:
            self._known[text] = self.counter.text(text) + PER_MESSAGE, evidence(text)
        return text, *self._known[text]

    def weigh(self, raw: Raw) -> int:
        """Return the tokens of a message."""
        return self.read(raw)[1]


def fitting_window(recording: Recording, scale: Scale) -> int:
    """Return the largest common window that the session outgrows, the smallest for one that outgrows none."""
    total = sum(map(scale.weigh, recording.messages))
    return next((window for window in WINDOWS if total >= CROWDED * window), WINDOWS[-1])


def play(
    recording: Recording,
    policy: Policy,
    *,
    name: str,
    window: int,
    scale: Scale,
    pricing: Pricing,
    after_turn: Callable[[], object] = lambda: None,
) -> Played:
    """Ask the policy before each turn of the model with the whole list before it, and add up what it gives."""
    done = Played(policy=name, window=window)
    scale.learn(recording)
    needs = used(recording.messages)
    before: list[str] = []
    for at in recording.turns:
        began = time.perf_counter()
        seen, mark = policy.see(recording.messages[:at])
        done.seconds.append(time.perf_counter() - began)
        if mark:
            done.marks[done.turns] = mark
        before = _add(done, seen, before, scale, pricing)
        shown = [scale.read(raw)[2] for raw in seen] if needs[at] else []
        for string, source in needs[at]:
            is_far, is_shown = at - source > FAR, any(string in one for one in shown)
            done.named += 1
            done.shown += is_shown
            done.named_far += is_far
            done.shown_far += is_far and is_shown
        done.turns += 1
        after_turn()
    return done


def _add(done: Played, seen: Sequence[Raw], before: list[str], scale: Scale, pricing: Pricing) -> list[str]:
    """Add a list that was sent to the figures; return the texts of its messages."""
    read = [scale.read(raw) for raw in seen]
    total = sum(tokens for _, tokens, _ in read)
    cached = 0
    for (text, tokens, _), last in zip(read, before, strict=False):
        if text != last:
            break
        cached += tokens
    done.tokens += total
    done.billed += pricing.billed(cached, total)
    done.over += total > done.window
    done.invalid += bool(problems(list(seen), running=False))
    done.curve.append(total)
    return [text for text, _, _ in read]
