"""The whole product as real processes, for tests that kill them."""

from __future__ import annotations

import hashlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import psutil
import psycopg

ROOT = Path(__file__).resolve().parent.parent
PATIENCE = 60.0  # seconds


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def own_database(home: Path) -> dict[str, str]:
    """Return the address of a new database where the tests run on PostgreSQL; SQLite's is in the data folder."""
    url = os.environ.get("DATABASE_URL")
    if not url:
        return {}
    name = f"stack_{hashlib.sha256(str(home).encode()).hexdigest()[:12]}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    parts = urlsplit(url)
    return {"DATABASE_URL": parts._replace(path=f"/{name}").geturl()}


class Stack:
    """`manage.py serve` on a data folder of its own."""

    def __init__(self, home: Path, **environment: str) -> None:
        self.home = home
        self.port = free_port()
        self.environment = {
            **{name: value for name, value in os.environ.items() if name != "REDIS_URL"},
            **own_database(home),
            "OFFLOAD_HOME": str(home),
            "OFFLOAD_PORT": str(self.port),
            "OFFLOAD_LOG_LEVEL": "WARNING",
            **environment,
        }
        self.log = home.parent / f"{home.name}.log"
        self.process: subprocess.Popen[bytes] | None = None
        self.key = ""

    def start(self) -> None:
        """Start everything and wait for the welcome."""
        with self.log.open("ab") as log:
            log.write(b"\n--- start\n")
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "serve"], cwd=ROOT, env=self.environment, stdout=log, stderr=log
            )
        wait_for(lambda: "Offload is running" in self.output() or self._over(), "the welcome", self.output)
        self.key = re.findall(r"Bearer (ofk_[\w-]+)", self.output())[-1]

    def refused(self) -> str:
        """Start where a start must fail; return what is said."""
        done = subprocess.run(
            [sys.executable, "manage.py", "serve"],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode != 0
        assert "Traceback" not in done.stderr
        return done.stderr

    def _over(self) -> bool:
        return self.process is not None and self.process.poll() is not None

    def output(self) -> str:
        """Return what was printed since the last start."""
        return self.log.read_text(errors="replace").rsplit("--- start", 1)[-1]

    def stop(self, how: signal.Signals = signal.SIGINT) -> int:
        """Stop as Ctrl-C does and return the exit status."""
        if self.process is None:
            return 0
        if self.process.poll() is None:
            self.process.send_signal(how)
        return self.process.wait(30)

    def parts(self, word: str = "") -> list[psutil.Process]:
        """Return the live processes whose command line has the word."""
        assert self.process is not None
        try:
            children = psutil.Process(self.process.pid).children(recursive=True)
        except psutil.NoSuchProcess:
            return []
        return [child for child in children if child.is_running() and word in " ".join(child.cmdline())]

    def kill(self, word: str) -> None:
        """Kill -9 every process of a part, then see the rest stop by itself."""
        victims = self.parts(word)
        assert victims, f"nothing runs that is called {word}"
        for victim in victims:
            victim.kill()
        assert self.process is not None
        self.process.wait(30)

    def manage(self, *words: str) -> str:
        """Run a management command on the same data while the server runs."""
        done = subprocess.run(
            [sys.executable, "manage.py", *words],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    def get(self, path: str, **query: Any) -> httpx.Response:
        return httpx.get(self.url(f"/api/v1/{path}"), params=query, headers=self._headers(), timeout=30)

    def post(self, path: str, body: Any) -> httpx.Response:
        # Written in ASCII by hand: httpx cannot write a lone surrogate.
        headers = {**self._headers(), "content-type": "application/json"}
        return httpx.post(self.url(f"/api/v1/{path}"), content=json.dumps(body), headers=headers, timeout=30)

    def _headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.key}"}

    def entries(self, session: str) -> list[dict[str, Any]]:
        """Return all entries of a session."""
        items, after = [], ""
        while after is not None:
            page = self.get(f"sessions/{session}/entries", limit=200, after=after).json()
            items += page["items"]
            after = page["next"]
        return items

    def settled(self, session: str) -> bool:
        """Say whether all work on the session is done."""
        answer = self.get(f"sessions/{session}").json()
        return answer["pending_summaries"] == answer["unmapped_entries"] == 0


def wait_for(
    condition: Callable[[], object], what: str, explain: Callable[[], str] = str, within: float = PATIENCE
) -> None:
    """Wait until the condition holds; fail saying what was waited for."""
    ends = time.monotonic() + within
    while time.monotonic() < ends:
        if condition():
            return
        time.sleep(0.1)
    raise AssertionError(f"waited {within:.0f} s for {what}\n{explain()[-4000:]}")
