"""One call as all the readers see it, and what a reader hands back."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pipelines.content import Media
from pipelines.l1.counts import Counts, read_counts
from pipelines.l1.failures import Failures, read_failures
from pipelines.l1.noise import without_noise
from pipelines.l1.request import Request
from pipelines.l1.tracebacks import Trace, read_trace
from pipelines.l1.unwrap import Reading
from pipelines.l1.view import View


@dataclass(frozen=True, kw_only=True)
class Case:
    """A call, its unwrapped result, and what can be read in it; the costly readings are made once, when asked."""

    request: Request
    reading: Reading
    view: View
    result: Any
    media: tuple[Media, ...]

    @cached_property
    def text(self) -> str:
        """The cleaned text, outer white space gone."""
        return self.view.text.strip()

    @cached_property
    def lines(self) -> list[str]:
        """The telling lines: not blank, no boilerplate; may be empty where there was nothing else."""
        return without_noise(self.view.telling)

    @cached_property
    def failures(self) -> Failures:
        """The failure lines."""
        return read_failures(self.lines)

    @cached_property
    def counts(self) -> Counts | None:
        """The test runner's count; without numbers where they would be those of a part of the log."""
        counts = read_counts(self.view.telling)
        if counts is None or not counts.counted or not (self.view.partial or self.reading.cut.missing):
            return counts
        bad = bool(counts.failed) or counts.says_failed
        return Counts(says_failed=bad, says_passed=counts.says_passed and not bad)

    @cached_property
    def trace(self) -> Trace | None:
        """The exception that the output ends with."""
        return read_trace(self.view.telling)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a reader found."""

    parts: tuple[str, ...]
    """Pieces of the summary, the most telling first; the later ones are dropped when room is short."""
    keys: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    """Names found in the content that say what the call was about."""
    complete: bool = False
    """The parts carry all that the result says."""
