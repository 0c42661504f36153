"""Counts that processes share, with a real broker."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import redis

from canvases import patience
from canvases.management.commands.serve import broker_command
from canvases.services import token_counts
from canvases.services.token_counts import SharedCounts
from pipelines import digests


@pytest.fixture
def own_broker(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[redis.Redis]:
    settings.OFFLOAD_HOME = tmp_path
    settings.BROKER_SOCKET = tmp_path / "b.sock"
    settings.CACHE_URL = f"unix://{settings.BROKER_SOCKET}"
    monkeypatch.setattr(patience, "broker", patience.Patience())
    token_counts._client.cache_clear()
    process = subprocess.Popen(broker_command())
    client = redis.Redis.from_url(settings.CACHE_URL)
    try:
        for _ in range(200):
            if settings.BROKER_SOCKET.exists():
                break
            time.sleep(0.05)
        client.ping()
        yield client
    finally:
        client.close()
        token_counts._client().close()
        token_counts._client.cache_clear()
        process.kill()
        process.wait()


def keys(count: int) -> list[bytes]:
    return [digests.of_text(f"text {number}") for number in range(count)]


def test_what_was_put_is_got_and_nothing_else(own_broker: redis.Redis) -> None:
    known, unknown = keys(200)[:100], keys(200)[100:]
    SharedCounts("o200k_base").put({key: number for number, key in enumerate(known)})
    assert SharedCounts("o200k_base").get([*known, *unknown]) == [*range(100), *[None] * 100]
    assert SharedCounts("cl100k_base").get(known) == [None] * 100


def test_it_never_outgrows_its_slots_and_never_answers_for_another_text(
    own_broker: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(token_counts, "SLOTS", 64)
    counts = SharedCounts("o200k_base")
    all_keys = keys(1_000)
    for start in range(0, 1_000, 100):
        counts.put({key: start + number for number, key in enumerate(all_keys[start : start + 100])})
    found = counts.get(all_keys)
    assert own_broker.hlen(counts.name) == 64
    assert sum(one is not None for one in found) == 64
    assert all(one in (None, number) for number, one in enumerate(found))


def test_a_damaged_count_is_unknown(own_broker: redis.Redis) -> None:
    counts = SharedCounts("o200k_base")
    (key,) = keys(1)
    counts.put({key: 7})
    (slot,) = own_broker.hkeys(counts.name)
    for damaged in (b"", key, key + b"\0\0\7", b"x" * 20):
        own_broker.hset(counts.name, slot, damaged)
        assert counts.get([key]) == [None]


def test_without_a_broker_nothing_is_known_and_nothing_fails(
    tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.CACHE_URL = f"unix://{tmp_path}/nobody.sock"
    monkeypatch.setattr(patience, "broker", patience.Patience())
    token_counts._client.cache_clear()
    counts = SharedCounts("o200k_base")
    counts.put({keys(1)[0]: 7})
    assert counts.get(keys(3)) == [None] * 3
    token_counts._client.cache_clear()


def test_a_broker_that_hangs_is_waited_for_once(
    tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    client = token_counts._client

    def noted() -> redis.Redis:
        asked.append(1)
        return client()

    settings.CACHE_URL = f"unix://{tmp_path}/mute.sock"
    monkeypatch.setattr(patience, "broker", patience.Patience())
    monkeypatch.setattr(token_counts, "_client", noted)
    client.cache_clear()
    with socket.socket(socket.AF_UNIX) as mute:
        mute.bind(f"{tmp_path}/mute.sock")
        mute.listen()
        counts = SharedCounts("o200k_base")
        for _ in range(3):
            assert counts.get(keys(3)) == [None] * 3
            counts.put({keys(1)[0]: 7})
    assert len(asked) == 1
    client.cache_clear()
