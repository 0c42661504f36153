"""How each layer fares, by what was seen in the database and what answers now."""

from __future__ import annotations

import shutil
from datetime import datetime, timedelta
from typing import Any

import redis
from django.conf import settings
from django.db import OperationalError, connection
from django.db.models import F, OuterRef, Subquery
from django.utils import timezone

from canvases.models import Agent, Boundary, Layer, Session, ToolPair

LEAST_ROOM = 100 * 2**20
_DATABASE_CURE = "Start the database that DATABASE_URL names, or make the data folder readable again."
WORKER_SILENCE = timedelta(seconds=30)


def health() -> dict[str, Any]:
    """Return `status` (ok or degraded), `version` and `layers`, each with a state and, if bad, what to do."""
    try:
        return _health()
    except OperationalError:
        database = {"state": "down", "cause": "The database does not answer.", "cure": _DATABASE_CURE}
        return {
            "status": "degraded",
            "version": settings.VERSION,
            "layers": {"database": database, "broker": _broker()},
            "waiting_sessions": 0,
        }


def _health() -> dict[str, Any]:
    rows = {layer.name: layer for layer in Layer.objects.all()}
    waiting = Session.objects.filter(waiting_since__isnull=False).count()
    failing = Session.objects.filter(waiting_since__isnull=False, failures__gt=0).count()
    layers = {
        "database": _database(),
        "broker": _broker(),
        "worker": _worker(rows.get("worker"), waiting, failing),
        **{name: _layer(rows.get(name)) for name in ("l1", "l15", "l2")},
    }
    bad = any(layer["state"] not in ("ok", "idle") for layer in layers.values())
    return {
        "status": "degraded" if bad else "ok",
        "version": settings.VERSION,
        "layers": layers,
        "waiting_sessions": waiting,
    }


def _database() -> dict[str, Any]:
    if connection.vendor != "sqlite":
        return {"state": "ok"}
    free = shutil.disk_usage(settings.OFFLOAD_HOME).free
    if free > LEAST_ROOM:
        return {"state": "ok"}
    return {
        "state": "failing",
        "cause": f"The disk of the data folder has {free // 2**20} MB left.",
        "cure": "Make room there. On a full disk posts and reads are refused; what is stored is safe.",
    }


def _broker() -> dict[str, Any]:
    try:
        client = redis.Redis.from_url(settings.CACHE_URL, socket_connect_timeout=1, socket_timeout=1)
        with client:
            client.ping()
    except (redis.RedisError, OSError) as error:
        return {
            "state": "down",
            "cause": str(error),
            "cure": "Start Redis, or unset REDIS_URL and start with `make run`, which brings its own.",
        }
    return {"state": "ok"}


def _worker(row: Layer | None, waiting: int, failing: int) -> dict[str, Any]:
    seen = row.last_success_at if row else None
    if row and seen and abs(timezone.now() - seen) < WORKER_SILENCE:
        if not failing:
            return {"state": "ok", "last_success_at": seen.isoformat()}
        return {
            "state": "failing",
            "last_success_at": seen.isoformat(),
            "last_failure_at": row.last_failure_at.isoformat() if row.last_failure_at else None,
            "cause": f"{failing} of {waiting} waiting sessions failed; the last error: {row.last_error}",
            "cure": "The work is tried again by itself; the log has the whole error. Results stay readable.",
        }
    return {
        "state": "down",
        "last_success_at": seen.isoformat() if seen else None,
        "cause": f"No worker has reported for {WORKER_SILENCE.seconds} s; {waiting} sessions wait.",
        "cure": "Start a worker and beat (`make run` starts both).",
    }


def _layer(row: Layer | None) -> dict[str, Any]:
    if row is None:
        return {"state": "idle"}
    failed = row.last_failure_at and (not row.last_success_at or row.last_failure_at > row.last_success_at)
    state: dict[str, Any] = {"state": "failing" if failed else "ok"}
    if row.last_success_at:
        state["last_success_at"] = row.last_success_at.isoformat()
    if failed:
        state["last_failure_at"] = row.last_failure_at.isoformat() if row.last_failure_at else None
        state["cause"] = row.last_error
        state["cure"] = "The work is tried again by itself; raw results stay readable meanwhile."
    return state


def agents_heard(limit: int = 50) -> list[dict[str, Any]]:
    """Return when each agent last sent a tool call or a prompt, the latest call first: silence shows a host that has
    dropped its hook. None for an agent that never did."""
    calls = ToolPair.objects.filter(session__agent=OuterRef("pk"), seq=F("session__next_seq") - 1)
    prompts = Boundary.objects.filter(session__agent=OuterRef("pk"), prompt__isnull=False)
    agents = Agent.objects.annotate(
        call_at=Subquery(calls.order_by("-received_at").values("received_at")[:1]),
        prompt_at=Subquery(prompts.order_by("-created_at").values("created_at")[:1]),
    )
    rows = list(agents.order_by(F("call_at").desc(nulls_last=True), "name")[:limit])
    return [{"agent": row.name, "last_received_at": _latest(row.call_at, row.prompt_at)} for row in rows]


def _latest(*times: datetime | None) -> str | None:
    given = [time for time in times if time]
    return max(given).isoformat() if given else None
