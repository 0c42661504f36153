"""One listener per process for all open streams: it hears of new versions and wakes those who wait."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import defaultdict
from collections.abc import AsyncIterator

from django.conf import settings
from redis import RedisError
from redis.asyncio import Redis

from canvases.live import CHANNEL

RETRY_SECONDS = 1.0
log = logging.getLogger(__name__)


class Hub:
    """Wakes waiting streams when a version is published. It promises nothing: a stream that hears nothing
    looks into the database by itself now and then."""

    def __init__(self) -> None:
        self._waiting: dict[int, set[asyncio.Event]] = defaultdict(set)
        self._listener: asyncio.Task[None] | None = None

    @contextlib.asynccontextmanager
    async def subscription(self, session_pk: int) -> AsyncIterator[asyncio.Event]:
        """Give an event that is set whenever the session changes."""
        event = asyncio.Event()
        self._waiting[session_pk].add(event)
        if self._listener is None or self._listener.done():
            self._listener = asyncio.create_task(self._listen())
        try:
            yield event
        finally:
            self._waiting[session_pk].discard(event)
            if not self._waiting[session_pk]:
                del self._waiting[session_pk]

    async def _listen(self) -> None:
        """Listen until nobody waits any more."""
        while self._waiting:
            try:
                await self._hear()
            except (RedisError, OSError) as error:
                log.debug("no news from the broker: %s", error)
                await asyncio.sleep(RETRY_SECONDS)

    async def _hear(self) -> None:
        client = Redis.from_url(settings.CACHE_URL, socket_connect_timeout=1)
        async with client, client.pubsub(ignore_subscribe_messages=True) as pubsub:
            await pubsub.subscribe(CHANNEL)
            self._wake(list(self._waiting))
            while self._waiting:
                message = await pubsub.get_message(timeout=5.0)
                if message is not None:
                    self._wake([int(bytes(message["data"]).split(b":")[0])])

    def _wake(self, session_pks: list[int]) -> None:
        for session_pk in session_pks:
            for event in self._waiting.get(session_pk, ()):
                event.set()


hub = Hub()
