"""What may go from a list whose model cannot read anything back: a result that the list shows again further down."""

from __future__ import annotations

from collections import Counter as Counts
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pipelines.l3 import settings as pace
from pipelines.l3.apply import reviewed
from pipelines.l3.memory import Memory
from pipelines.l3.step import Replaced
from pipelines.l3.stub import is_stub, repeated
from pipelines.l3.weights import Counter
from pipelines.messages.view import Part, PartKind, View


@dataclass(frozen=True, slots=True)
class Repeat:
    """A result whose very text comes again."""

    index: int
    part: Part
    text: str
    """What may stand for it."""
    tokens_before: int
    tokens_after: int

    @property
    def saved(self) -> int:
        """Tokens."""
        return self.tokens_before - self.tokens_after

    def replaced(self) -> Replaced:
        """Return what is reported of it."""
        return Replaced(
            index=self.index,
            place=self.part.place,
            kind=PartKind.RESULT,
            call_id=self.part.call_id,
            ref_id="",
            reason="the same text comes again further down",
            tokens_before=self.tokens_before,
            tokens_after=self.tokens_after,
        )


def repeats(
    views: Sequence[View], memory: Memory, counter: Counter, least: Mapping[str, float]
) -> list[Repeat]:
    """Return the results that come again further down, where that can be said shorter than by saying it twice.

    What was said of one before is said again so. `least` is as in a step.
    """
    ids = Counts(part.call_id for view in views for part in view.of(PartKind.RESULT))
    below: dict[str, str] = {}
    found = []
    for index, part, name in reversed(list(_results(views))):
        later = below.get(part.text)
        if later is None:
            if part.call_id and ids[part.call_id] == 1:
                below.setdefault(part.text, part.call_id)
            continue
        text = memory.same.get(part.key) or repeated(later)
        one = Repeat(index, part, text, counter.part(part), counter.text(text))
        if one.tokens_before >= max(pace.LEAST_TOKENS, least.get(name, 0)) and one.saved > 0:
            found.append(one)
    return found


def _results(views: Sequence[View]) -> Iterator[tuple[int, Part, str]]:
    names = {part.call_id: part.name for view in views for part in view.of(PartKind.CALL)}
    for index, view in enumerate(views):
        for part in view.of(PartKind.RESULT):
            if not part.media and not is_stub(part.text):
                yield index, part, names.get(part.call_id, part.name)


def with_repeats(views: Sequence[View], chosen: Sequence[Repeat]) -> list[View]:
    """Return the list with the chosen results said by where they come again."""
    left = list(views)
    for one in chosen:
        view = left[one.index]
        left[one.index] = reviewed(view, view.dialect.with_result(view.raw, one.part.place, one.text))
    return left
