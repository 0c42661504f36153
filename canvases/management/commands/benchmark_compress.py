"""Measure how long message lists take to be compressed, in process and through a server."""

from __future__ import annotations

import base64
import os
import re
import resource
import sys
import time
from contextlib import closing
from hashlib import shake_256
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from itertools import pairwise
from typing import Any
from urllib.parse import urlsplit

from django.core.management.base import BaseCommand, CommandError, CommandParser

from canvases.management.own_server import own_server
from canvases.services.compression_timings import InProcess, Refused, Size, ThroughServer, Timings, timings
from pipelines import tokens
from pipelines.content import spaced

SIZES = "400x230000,1000x200000,5000x400000"
KNOWN_MS = (1_100, 1_600, 12_900)
"""What another server with the same task takes in process: 400 messages of 230 000 tokens in 1.1 to 1.6 s, and the
slowest of recorded lists."""
_SIZE = re.compile(r"(\d{1,5})x(\d{1,7})")
_MEGABYTE = 1_000_000


class Command(BaseCommand):
    help = (
        "Time the first list of a session (cold) and the lists after it (warm), in process and through a server, and "
        "the counting of hostile texts. Starts a server of its own, or uses the one at OFFLOAD_URL with the key in "
        "OFFLOAD_API_KEY, where the benchmark's sessions stay."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--sizes", default=SIZES, metavar="MxT,...", help=f"messages x tokens: {SIZES}")
        parser.add_argument("--sessions", type=int, default=5, metavar="N", help="timed cold (default: 5)")
        parser.add_argument("--turns", type=int, default=30, metavar="N", help="timed warm (default: 30)")
        parser.add_argument("--no-server", action="store_true", help="only in process")

    def handle(self, *args: Any, **options: Any) -> None:
        sizes = [_size(text) for text in options["sizes"].split(",")]
        self.much = {"sessions": options["sessions"], "turns": options["turns"]}
        if min(self.much.values()) < 2:
            raise CommandError("--sessions and --turns must be 2 or more.")
        self._tell_hostile()
        self._tell_head("in process, ms of one core")
        for size in sizes:
            self._tell(size, timings(size, InProcess, **self.much))
        self.stdout.write(f"memory of this process at most: {_peak_megabytes():.0f} MB\n")
        if not options["no_server"]:
            self._through_server(sizes)

    def _through_server(self, sizes: list[Size]) -> None:
        url, key = os.environ.get("OFFLOAD_URL"), os.environ.get("OFFLOAD_API_KEY", "")
        if url:
            self._time_server(url, key, sizes)
            return
        with own_server() as server:
            self._time_server(server.url, server.key, sizes)
            self.stdout.write(f"memory of its web process at most: {server.peak_megabytes():.0f} MB\n")

    def _time_server(self, url: str, key: str, sizes: list[Size]) -> None:
        self._tell_head("through the server, ms")
        address = urlsplit(url)
        kind = HTTPSConnection if address.scheme == "https" else HTTPConnection
        with closing(kind(address.netloc, timeout=120)) as client:
            for size in sizes:
                try:
                    found = timings(size, lambda said: ThroughServer(client, key, said), **self.much)
                except (OSError, HTTPException, Refused) as error:
                    raise CommandError(f"{url} did not answer as it should: {error}") from None
                self._tell(size, found)

    def _tell_head(self, title: str) -> None:
        self.stdout.write(
            f"\n{title:34}{'cold p50':>10}{'p99':>8}{'warm p50':>10}{'p99':>8}"
            f"{'cold':>9}{'warm':>7}  times as fast as {spaced(KNOWN_MS[0])} ms\n"
        )

    def _tell(self, size: Size, found: Timings) -> None:
        name = f"{spaced(size.messages)} messages, {spaced(size.tokens)} tokens"
        cold, warm = found.cold, found.warm
        self.stdout.write(
            f"{name:34}{cold.p50:>10.0f}{cold.p99:>8.0f}{warm.p50:>10.0f}{warm.p99:>8.0f}"
            f"{KNOWN_MS[0] / cold.p50:>9.1f}{KNOWN_MS[0] / warm.p50:>7.1f}\n"
        )

    def _tell_hostile(self) -> None:
        tokens.load()
        self.stdout.write(f"{'counting 1 MB of, ms of one core':34}{'ms':>10}{'tokens':>12}\n")
        for name, text in _hostile().items():
            began = time.process_time()
            counted = tokens.count(text)
            took = 1_000 * (time.process_time() - began)
            self.stdout.write(f"{name:34}{took:>10.0f}{spaced(counted):>12}\n")


def _size(text: str) -> Size:
    found = _SIZE.fullmatch(text.strip())
    if found is None or int(found[1]) < 3:
        raise CommandError(f"{text!r} is no size of a list; give messages x tokens, such as 1000x200000.")
    return Size(messages=int(found[1]), tokens=int(found[2]))


def _hostile() -> dict[str, str]:
    chance = shake_256(b"hostile").digest(3 * _MEGABYTE // 4)
    return {
        "=": "=" * _MEGABYTE,
        "spaces": " " * _MEGABYTE,
        "Chinese characters": "".join(
            chr(0x4E00 + 81 * one + other) for one, other in pairwise(chance[: _MEGABYTE // 3])
        ),
        "base64": base64.b64encode(chance).decode(),
        "one letter": "a" * _MEGABYTE,
    }


def _peak_megabytes() -> float:
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / 2**20 if sys.platform == "darwin" else most / 2**10
