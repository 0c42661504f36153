"""How long it takes to store one result and to read it back, through the services that requests use."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass

from canvases.models import Agent
from canvases.selectors import deref
from canvases.services.ingest import batch_prepare, pairs_store
from canvases.services.reads import Reads
from pipelines.pairs import Batch, PostedPair, encode_text
from pipelines.readback import DEFAULT_TOKENS

_SESSION = "benchmark"
_FIRST_READING = deref.Reading(
    lines=None, grep=None, context=0, offset=0, limit=None, max_tokens=DEFAULT_TOKENS
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """Milliseconds of an act done many times."""

    p50: float
    p99: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Timings:
    """How long it took for contents of one size."""

    size: int
    store: Timing
    read: Timing


def content_timings(*, agent: Agent, text: str, size: int, rounds: int) -> Timings:
    """Store `rounds` different contents of about `size` bytes one by one and read each back.

    The contents are stretches of `text`, which is repeated where it is too short. Everything stays in the
    agent's session `benchmark`; use an agent, or a database, that can be dropped.
    """
    store: list[float] = []
    read: list[float] = []
    for number in range(rounds):
        content = _stretch(text, size, number)
        begun = time.perf_counter()
        pair = PostedPair(tool_name="Benchmark", params={"size": size, "number": number}, content=content)
        prepared = batch_prepare(agent=agent, batch=Batch(pairs=[(0, pair)]))
        stored = pairs_store(agent=agent, session_id=_SESSION, batch=prepared, actor=_SESSION, notify=False)[
            0
        ]
        between = time.perf_counter()
        reads = Reads(actor=_SESSION, how="deref")
        deref.items([(stored.row.blob, stored.row)], _FIRST_READING, read=reads.read)
        reads.note()
        store.append(between - begun)
        read.append(time.perf_counter() - between)
    return Timings(size=size, store=timing(store), read=timing(read))


def _stretch(text: str, size: int, number: int) -> bytes:
    start = number * 7_919 % max(1, len(text))
    whole = f"{number}\n{text[start:]}"
    while len(whole) < size:
        whole += text or "no text\n"
    return encode_text(whole[:size])


def timing(seconds: list[float]) -> Timing:
    """Return the median and the 99th percentile of two or more measurements."""
    hundredths = statistics.quantiles(seconds, n=100, method="inclusive")
    return Timing(p50=1_000 * hundredths[49], p99=1_000 * hundredths[98])
