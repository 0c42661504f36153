"""Not waiting again and again for a broker that does not answer."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator

SLOW_SECONDS = 0.5
REST_SECONDS = 5.0


class Patience:
    """Lets one caller in five seconds find out whether the broker answers again, once it has let one wait.

    What is left unsaid meanwhile costs nothing but time: the sweep finds waiting sessions, and open pages look
    by themselves. A broker that refuses at once is asked each time.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._hangs = False
        self._rests_until = 0.0

    def is_left(self) -> bool:
        """Say whether to ask the broker now; when it hangs, others rest while this caller asks."""
        with self._lock:
            now = time.monotonic()
            if not self._hangs:
                return True
            if now < self._rests_until:
                return False
            self._rests_until = now + REST_SECONDS
            return True

    @contextlib.contextmanager
    def asking(self) -> Iterator[None]:
        """Measure a question to the broker, answered or failed."""
        began = time.monotonic()
        failed = True
        try:
            yield
            failed = False
        finally:
            with self._lock:
                now = time.monotonic()
                self._hangs = failed and now - began > SLOW_SECONDS
                self._rests_until = now + REST_SECONDS


broker = Patience()
