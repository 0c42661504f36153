"""A server beside the configured one, for commands that measure."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from django.conf import settings
from django.core.management.base import CommandError

SLOWEST_START = 120.0  # seconds
_NOT_ITS_OWN = ("DATABASE_URL", "REDIS_URL", "OFFLOAD_SIGNING_KEY", "OFFLOAD_SECRET_KEY")


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """Where a server is, and a key for it."""

    url: str
    key: str
    pid: int
    """Of the process that runs its parts."""

    def peak_megabytes(self) -> float:
        """Return the most memory that its web process had; 0 where the system does not tell."""
        for pid in _below(self.pid):
            if b"uvicorn" in Path(f"/proc/{pid}/cmdline").read_bytes():
                status = Path(f"/proc/{pid}/status").read_text()
                return int(re.findall(r"VmHWM:\s+(\d+) kB", status)[0]) / 1024
        return 0.0


def _below(pid: int) -> Iterator[int]:
    """Yield the processes that a process started, and those that they did."""
    children = Path(f"/proc/{pid}/task/{pid}/children")
    for child in map(int, children.read_text().split()) if children.exists() else ():
        yield child
        yield from _below(child)


@contextmanager
def own_server() -> Iterator[Server]:
    """Start all parts of a server with a data folder of its own, and stop and drop them afterwards."""
    with TemporaryDirectory(prefix="benchmark-") as home, Path(home, "log").open("w+") as log:
        port = _free_port()
        environment = {name: value for name, value in os.environ.items() if name not in _NOT_ITS_OWN}
        environment |= {"OFFLOAD_HOME": home, "OFFLOAD_HOST": "127.0.0.1", "OFFLOAD_PORT": str(port)}
        process = subprocess.Popen(
            [sys.executable, "manage.py", "serve"],
            cwd=settings.BASE_DIR,
            env=environment,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            yield Server(url=f"http://127.0.0.1:{port}", key=_key(process, Path(log.name)), pid=process.pid)
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(60)


def _key(process: subprocess.Popen[bytes], log: Path) -> str:
    """Wait for the welcome and return the key in it."""
    until = time.monotonic() + SLOWEST_START
    while time.monotonic() < until and process.poll() is None:
        found = re.findall(r"Bearer (ofk_[\w-]+)", log.read_text(errors="replace"))
        if found:
            return str(found[-1])
        time.sleep(0.2)
    raise CommandError(f"The server did not start: {log.read_text(errors='replace')[-2_000:]}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
