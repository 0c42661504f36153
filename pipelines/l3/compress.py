"""Compressing a message list: what was decided before first, then as much more as the window asks for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from math import inf

from pipelines.l3 import settings as pace
from pipelines.l3.apply import with_head, with_replacements
from pipelines.l3.forget import Budget, forget, humans
from pipelines.l3.history import CanvasText
from pipelines.l3.lossless import repeats, with_repeats
from pipelines.l3.memory import Head, Memory, chain
from pipelines.l3.mend import mended
from pipelines.l3.outcome import Level, Outcome
from pipelines.l3.price import best_start, billed
from pipelines.l3.settings import Settings
from pipelines.l3.squeeze import squeeze
from pipelines.l3.step import Refs, names, savings, step, tail_begins
from pipelines.l3.weights import Counter
from pipelines.messages.dialects import Reader
from pipelines.messages.view import Raw, View


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is asked for."""

    messages: Sequence[Raw]
    window: int
    """Tokens of the model's context."""
    total_tokens: int | None = None
    """What the client counted for the whole request, with system prompt and tools."""
    level: Level | None = None
    """At least this deep, whatever the ratio."""
    keep_tools: Collection[str] = ()
    """Tools of whose calls and results nothing is replaced,"""
    tool_thresholds: Mapping[str, int] = field(default_factory=dict)
    """and those of which only what has at least so many tokens is."""
    can_deref: bool = True
    """Whether the model can read refs back; if not, only what the list shows elsewhere goes."""

    @property
    def least(self) -> dict[str, float]:
        """By a tool's name, how many tokens are the least that are replaced of it."""
        return {**self.tool_thresholds, **dict.fromkeys(self.keep_tools, inf)}


def compress(
    request: Request,
    *,
    memory: Memory,
    refs: Refs,
    canvases: Callable[[], Sequence[CanvasText]],
    counter: Counter,
    settings: Settings = Settings(),  # noqa: B008  (frozen)
) -> Outcome:
    """Return the list to send. The memory is changed: it must be kept for the session's next list.

    Nothing already stubbed changes again; new stubs come in steps that pay under prompt caching; exchanges and
    texts go only where the window asks for it. `refs` and `canvases` are asked only in a step.
    """
    run = _Run(request, memory, refs, canvases, counter, settings)
    return run.outcome()


class _Run:
    """One compression."""

    def __init__(
        self,
        request: Request,
        memory: Memory,
        refs: Refs,
        canvases: Callable[[], Sequence[CanvasText]],
        counter: Counter,
        settings: Settings,
    ) -> None:
        self.request = request
        self.memory = memory
        self.refs = refs
        self.canvases = canvases
        self.counter = counter.of_list()
        self.settings = settings
        self.reader = Reader()
        self.received = self.reader.views(request.messages)
        messages, notes = mended(request.messages, self.received, refs.text)
        if notes:
            self.received = self.reader.views(messages)
        self.numbers: Sequence[int | None] = ()
        """After exchanges went, for each message the number it had before."""
        self.counter.learn(self.received)
        before = self.counter.total(self.received)
        told = request.total_tokens
        overhead = (
            int(settings.system_overhead_ratio * request.window) if told is None else max(0, told - before)
        )
        self.done = Outcome(
            messages=[],
            level=Level.FAST,
            window=request.window,
            overhead=overhead,
            tokens_before=before,
            tokens_after=before,
            notes=notes,
        )

    def outcome(self) -> Outcome:
        if not self.request.can_deref:
            self._say_repeats()
            self._settle()
            return self.done
        head = self.memory.head
        views, is_known = with_head(self.received, self.memory, self.reader.views)
        self.covered = self._covered(head)
        if not is_known:
            self.done.notes.append(
                "the list begins otherwise than the last one; its beginning is settled anew"
            )
        fast = with_replacements(views, self.memory)
        self.done.reapplied = sum(one is not other for one, other in zip(fast, views, strict=True))
        self.views = fast
        self._replace()
        if self._forget():
            self._replace()  # what follows is sent anew in any case
        self._squeeze()
        self._settle()
        return self.done

    def _say_repeats(self) -> None:
        """Do what loses nothing for a model that cannot read anything back."""
        self.views = self.received
        found = repeats(self.views, self.memory, self.counter, self.request.least)
        known = [one for one in found if one.part.key in self.memory.same]
        self.done.reapplied = len(known)
        start = best_start(
            ((one.index, one.saved) for one in found if one not in known),
            self._sent(with_repeats(self.views, known)),
            turns=pace.TURNS,
        )
        fresh = [one for one in found if start is not None and one.index >= start and one not in known]
        self.views = with_repeats(self.views, [*known, *fresh])
        self.memory.same |= {one.part.key: one.text for one in fresh}
        self.done.level = Level.MILD if fresh else Level.FAST
        self.done.replaced = [one.replaced() for one in fresh]
        if self._ratio() >= self.settings.mild_ratio:
            self.done.notes.append(
                "nothing else may go: can_deref is false, so what goes could not be read back"
            )

    def _covered(self, head: Head | None) -> int:
        """Return how many more messages the received list has than the one with its head as it is sent."""
        if head is None or self.memory.head is None:
            return 0
        keys = [view.key for view in self.received[: head.count]]
        return head.count - len(head.sent) if chain(keys) == head.raw_chain else 0

    def _ratio(self) -> float:
        return (self.counter.total(self.views) + self.done.overhead) / self.request.window

    def _asked(self, level: Level, ratio: float) -> bool:
        forced = self.request.level
        return self._ratio() >= ratio or (forced is not None and forced.reaches(level))

    def _replace(self) -> None:
        start = self._start()
        if start is None:
            return
        made = step(
            self.views,
            window=self.request.window,
            counter=self.counter,
            memory=self.memory,
            refs=self.refs,
            calls=names(self.received),
            start=start,
            least=self.request.least,
        )
        self.done.replaced += [replace(one, index=self._number(one.index)) for one in made.replaced]
        if made.replaced:
            self.done.level = Level.MILD
            self.views = with_replacements(self.views, self.memory)

    def _number(self, index: int) -> int:
        """Return the number that a message had before exchanges went."""
        number = self.numbers[index] if self.numbers else None
        return index if number is None else number

    def _start(self) -> int | None:
        """Return the message from which on results are replaced; None for not now."""
        if self.request.level not in (None, Level.FAST):
            return 0
        turns = pace.TURNS * (1 if self._ratio() < self.settings.mild_ratio else pace.PRESSED)
        found = savings(self.views, self.request.window, self.counter, self.request.least)
        return best_start(found, self._sent(self.views), turns=turns)

    def _sent(self, views: Sequence[View]) -> list[int]:
        """Return the tokens of the messages at the beginning that stand as they were sent the last time."""
        return self._tokens_as_in(views, self.memory.sent)

    def _tokens_as_in(self, views: Sequence[View], keys: Sequence[str]) -> list[int]:
        same = takewhile(lambda pair: pair[0].key.startswith(pair[1]), zip(views, keys, strict=False))
        return [self.counter.message(view) for view, _ in same]

    def _forget(self) -> bool:
        if not self._asked(Level.AGGRESSIVE, self.settings.aggressive_ratio):
            return False
        total = self.counter.total(self.views)
        window = self.request.window
        until = min(
            int(total - self.settings.aggressive_delete_ratio * window),
            int(self.settings.aggressive_ratio * window) - self.done.overhead,
        )
        keep_from = tail_begins(self.views, window, self.counter)
        if self._asked(Level.EMERGENCY, self.settings.emergency_ratio):
            keep_from = max([keep_from, *humans(self.views, self.memory.told)])
        mmd = self.settings.mmd_max_token_ratio * window
        made = forget(
            self.views,
            keep_from=keep_from,
            budget=Budget(
                until=until,
                canvases=int(mmd * pace.CANVAS_SHARE),
                told=int(mmd * (1 - pace.CANVAS_SHARE)),
                strings=int(pace.STRINGS_SHARE * window),
            ),
            told=self.memory.told,
            canvases=self.canvases(),
            keep=self.refs.text,
            counter=self.counter,
        )
        if made is None or self.counter.total(made.views) >= total:
            return False
        self.done.level = Level.AGGRESSIVE
        self.done.deleted, self.done.injected = made.removed, [made.injected]
        self._new_head(made.views[: made.head], made.covered)
        self.memory.told = [*self.memory.told, made.told][-pace.TOLD :]
        self.views, self.numbers = made.views, made.numbers
        return True

    def _new_head(self, sent: list[View], covered: int) -> None:
        """Keep how the list begins now, and of which messages of the received list that tells."""
        count = covered + self.covered
        self.memory.head = Head(
            count=count,
            raw_chain=chain(view.key for view in self.received[:count]),
            sent=[view.raw for view in sent],
            sent_chain=chain(view.key for view in sent),
        )
        self.covered = count - len(sent)

    def _squeeze(self) -> None:
        if not self._asked(Level.EMERGENCY, self.settings.emergency_ratio):
            return
        until = int(self.settings.emergency_target_ratio * self.request.window) - self.done.overhead
        self.views, cuts = squeeze(
            self.views,
            until=max(0, until),
            told=self.memory.told,
            stubs=frozenset(self.memory.results.values()),
            keep=self.refs.text,
            counter=self.counter,
        )
        if cuts:
            self.done.level = Level.EMERGENCY
            self.done.truncated = [replace(one, index=self._number(one.index)) for one in cuts]
            settled = max(one.index for one in cuts) + 1
            if self.memory.head is not None:
                settled = max(settled, len(self.memory.head.sent))
            self._new_head(self.views[:settled], settled)

    def _settle(self) -> None:
        self.done.messages = [view.raw for view in self.views]
        # With other neighbours a message may read otherwise.
        views = self.reader.views(self.done.messages, seen=self.views)
        self.done.tokens_after = self.counter.total(views)
        stable = sum(self._sent(views))
        raw_stable = sum(self._tokens_as_in(self.received, self.memory.received))
        self.done.stable_prefix_tokens = stable
        self.done.billed = billed(stable, self.done.tokens_after)
        self.done.billed_raw = billed(raw_stable, self.done.tokens_before)
        self.memory.sent = [view.key for view in views]
        self.memory.received = [view.key for view in self.received]
        self.memory.let_go(self.received, views)
