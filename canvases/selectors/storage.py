"""What is kept and how much room it takes."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.models import BigIntegerField, Count, F, Func, Q, Sum
from django.db.models.functions import Coalesce

from canvases.models import Agent, ChainHead, OffloadedBlob, Reference, Session
from canvases.selectors.references import expired, seconds_now

LISTED_AGENTS = 50
OVERDUE_COUNTED = 1_000
_PACKED = Func(F("content_zstd"), function="LENGTH", output_field=BigIntegerField())


def storage() -> dict[str, Any]:
    """Return the figures of each agent, those of the whole store, and how long things are kept. Sizes in bytes."""
    agents = [_agent(agent) for agent in Agent.objects.order_by("name")[:LISTED_AGENTS]]
    return {
        "agents": agents,
        "more_agents": Agent.objects.count() > LISTED_AGENTS,
        "total": {name: sum(agent[name] for agent in agents) for name in _COUNTED},
        "database_bytes": _database_bytes(),
        "free_bytes": shutil.disk_usage(settings.OFFLOAD_HOME).free,
        "retention_days": settings.OFFLOAD_RETENTION_DAYS,
        "expiring": Reference.objects.filter(expires_at__isnull=False).count(),
        "overdue": _overdue(),
    }


_COUNTED = (
    "sessions",
    "calls",
    "posted_bytes",
    "contents",
    "content_bytes",
    "packed_bytes",
    "gone",
    "events",
)


def _agent(agent: Agent) -> dict[str, Any]:
    def total(name: str) -> Any:
        return Coalesce(Sum(name), 0, output_field=BigIntegerField())

    sessions = Session.objects.filter(agent=agent).aggregate(
        sessions=Count("pk"), calls=total("pair_count"), posted_bytes=total("raw_bytes")
    )
    here = Q(gone_at=None)
    contents = OffloadedBlob.objects.filter(agent=agent).aggregate(
        contents=Count("pk", filter=here),
        content_bytes=Coalesce(Sum("size_bytes", filter=here), 0, output_field=BigIntegerField()),
        packed_bytes=Coalesce(Sum(_PACKED), 0, output_field=BigIntegerField()),
        gone=Count("pk", filter=~here),
    )
    head = ChainHead.objects.filter(agent=agent).first()
    return {"agent": agent.name, **sessions, **contents, "events": head.sequence if head else 0}


def _overdue() -> dict[str, Any]:
    """Return how many references wait to be swept, and for how long the first has been over, in seconds."""
    now = seconds_now()
    ended = list(expired(now).values_list("expires_at", flat=True)[:OVERDUE_COUNTED])
    return {"references": len(ended), "oldest_seconds": now - ended[0] if ended and ended[0] else 0}


def _database_bytes() -> int:
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_database_size(current_database())")
            return int(cursor.fetchone()[0])
    name = str(connection.settings_dict["NAME"])
    files = [Path(name + end) for end in ("", "-wal", "-shm")]
    return sum(file.stat().st_size for file in files if file.exists())
