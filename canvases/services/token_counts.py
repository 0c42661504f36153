"""What texts count in tokens, shared by the processes of a server in the broker's memory."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import redis
from django.conf import settings

from canvases import patience

SLOTS = 131_072
"""Counts that are kept; all together take up to 15 MB."""
_COUNT_BYTES = 4
log = logging.getLogger(__name__)


@cache
def _client() -> redis.Redis:
    return redis.Redis.from_url(settings.CACHE_URL, socket_connect_timeout=1, socket_timeout=1)


class SharedCounts:
    """The counts of one encoding, by the digests of the texts.

    Each digest has one slot of a hash, and what comes later takes the slot over; so the hash never outgrows its
    slots, and nothing has to be cleared away. Without a broker nothing is known and nothing is kept.
    """

    def __init__(self, encoding: str) -> None:
        self.name = f"offload:tokens:{encoding}"

    def get(self, keys: Sequence[bytes]) -> list[int | None]:
        """Return the tokens of each text, where they are known."""
        values = _asked(lambda client: client.hmget(self.name, [_slot(key) for key in keys]))
        if values is None:
            return [None] * len(keys)
        return [_count(key, value) for key, value in zip(keys, values, strict=True)]

    def put(self, counts: Mapping[bytes, int]) -> None:
        """Keep the tokens of these texts."""
        slots: dict[Any, Any] = {
            _slot(key): key + count.to_bytes(_COUNT_BYTES, "big") for key, count in counts.items()
        }
        _asked(lambda client: client.hset(self.name, mapping=slots))


def _slot(key: bytes) -> bytes:
    return (int.from_bytes(key[:3], "big") % SLOTS).to_bytes(3, "big")


def _count(key: bytes, value: bytes | None) -> int | None:
    if value is None or len(value) != len(key) + _COUNT_BYTES or not value.startswith(key):
        return None
    return int.from_bytes(value[len(key) :], "big")


def _asked(question: Callable[[redis.Redis], Any]) -> Any:
    """Return the broker's answer; None when it has none."""
    if not patience.broker.is_left():
        return None
    try:
        with patience.broker.asking():
            return question(_client())
    except (redis.RedisError, OSError) as error:
        log.debug("token counts were not shared: %s", error)
        return None
