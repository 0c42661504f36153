"""A session's stream from the inside: it speaks now and then, ends by itself, and leaves nothing behind."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

import pytest
from django.db import connections

from canvases import streams
from canvases.hub import hub
from canvases.models import Session
from tests.conftest import Api, pair

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def pk(alice: Api, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(streams, "UNHEARD_SECONDS", 0.01)
    alice.pairs(pair("a"))
    return alice.session().pk


def run(work: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    """Run on an event loop of its own, as a server does, and see that no listener is left waiting."""

    async def whole() -> Any:
        done = await work()
        assert not hub._waiting
        if hub._listener is not None:
            hub._listener.cancel()
            hub._listener = None
        return done

    return asyncio.run(whole())


def test_a_quiet_stream_says_now_and_then_that_it_is_there(pk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "HEARTBEAT_SECONDS", 0.0)

    async def work() -> list[str]:
        stream = streams.session_versions(pk, None)
        heard = [await anext(stream) for _ in range(4)]
        await stream.aclose()
        return heard

    assert run(work) == [
        "retry: 1000\n\n",
        'id: 1\nevent: version\ndata: {"version": 1}\n\n',
        ": still here\n\n",
        ": still here\n\n",
    ]


def test_an_old_stream_ends_by_itself(pk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "LONGEST_SECONDS", 0.05)

    async def work() -> list[str]:
        return [event async for event in streams.session_versions(pk, None)]

    assert len(run(work)) == 2


def test_the_stream_of_a_session_that_is_gone_ends(pk: int) -> None:
    async def work() -> list[str]:
        stream = streams.session_versions(pk, None)
        heard = [await anext(stream), await anext(stream)]
        await asyncio.to_thread(gone, pk)
        return heard + [event async for event in stream]

    assert len(run(work)) == 2


def gone(pk: int) -> None:
    try:
        Session.objects.filter(pk=pk).delete()
    finally:
        connections.close_all()


def test_a_hundred_streams_that_are_left_leave_nothing_behind(pk: int) -> None:
    async def work() -> int:
        opened: list[AsyncIterator[str]] = [streams.session_versions(pk, None) for _ in range(100)]
        for stream in opened:
            assert await anext(stream)
            assert "version" in await anext(stream)
        waiting = len(hub._waiting[pk])
        for stream in opened:
            await stream.aclose()  # type: ignore[attr-defined]
        return waiting

    assert run(work) == 100


@pytest.mark.parametrize(("last", "first"), [(0, 1), (1, 2), (2, 3), (999, 3), (None, 3)])
def test_a_stream_goes_on_after_what_was_heard_and_from_the_present_otherwise(
    pk: int, last: int | None, first: int
) -> None:
    Session.objects.filter(pk=pk).update(version=3)

    async def work() -> str:
        stream = streams.session_versions(pk, last)
        await anext(stream)
        event = await anext(stream)
        await stream.aclose()
        return event

    assert run(work).startswith(f"id: {first}\n")
