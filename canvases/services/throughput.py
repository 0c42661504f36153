"""How many contents a second can be stored and read back when many processes do it for one agent at once."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Barrier

import django
from django.conf import settings
from django.db import connection

_barrier: Barrier


@dataclass(frozen=True, slots=True, kw_only=True)
class Throughput:
    """What all processes did together in a second."""

    offloads: float
    derefs: float


def chain_throughput(*, agent_pk: int, processes: int, each: int) -> Throughput:
    """Let each process store `each` contents of its own for the agent, and then read them back.

    The processes use the database and the data folder that this one uses now. Raises the first error of any.
    """
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(
        processes,
        mp_context=context,
        initializer=_join,
        initargs=(
            str(connection.settings_dict["NAME"]),
            settings.OFFLOAD_HOME,
            context.Barrier(processes),
        ),
    ) as pool:
        done = [pool.submit(_work, agent_pk, number, each) for number in range(processes)]
        times = [one.result() for one in done]
    rates = []
    for begins, ends in ((0, 1), (2, 3)):
        seconds = max(one[ends] for one in times) - min(one[begins] for one in times)
        rates.append(processes * each / seconds)
    return Throughput(offloads=rates[0], derefs=rates[1])


def _join(database: str, home: Path, barrier: Barrier) -> None:
    """Make this new process one of those that work."""
    global _barrier
    _barrier = barrier
    django.setup()
    connection.settings_dict["NAME"] = database
    settings.OFFLOAD_HOME = home


def _work(agent_pk: int, number: int, each: int) -> list[float]:
    """Store, wait for the others, and read; return when both began and ended (Unix time in seconds)."""
    # Models can be imported only where Django was set up, and this module is imported before that.
    from canvases.models import Agent
    from canvases.services.offloads import offload
    from canvases.services.ref_reads import ref_read

    agent = Agent.objects.get(pk=agent_pk)
    contents = [f"content {n} of process {number}\n".encode() * 40 for n in range(each)]
    refs: list[str] = []

    def store() -> None:
        for content in contents:
            refs.append(offload(agent=agent, actor="benchmark", content=content).blob.ref_id)

    def read() -> None:
        for ref, content in zip(refs, contents, strict=True):
            if ref_read(agent=agent, actor="benchmark", how="benchmark", ref_id=ref).content != content:
                raise ValueError(f"{ref} was read back as something else")

    try:
        return [*_timed(store), *_timed(read)]
    except BaseException:
        _barrier.abort()  # or the others would wait for this process
        raise
    finally:
        connection.close()


def _timed(act: Callable[[], None]) -> tuple[float, float]:
    _barrier.wait()
    begun = time.time()
    act()
    return begun, time.time()
