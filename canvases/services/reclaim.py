"""Letting go of what is older than the retention: quiet sessions, what no session keeps, and large logs.

Nothing is let go of on doubt. The canvases that an agent worked on last stay, with the results they stand for; what
was put away by hand has its own time to live; and the audit log is never shortened.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from canvases.models import Agent, Canvas, OffloadEntry, Reference, Session, ToolPair
from canvases.models.session import text_key
from canvases.services.expiry import Swept, contents_lock, references_end
from canvases.services.sessions import NAMESPACE, session_held, session_namespace
from pipelines.audit.kinds import EventType

LEAST_DAYS = 3
MOST_DAYS = 36_500  # as of OFFLOAD_RETENTION_DAYS
CANVASES_KEPT = 15
AT_ONCE = 100


@dataclass(slots=True, kw_only=True)
class Reclaimed:
    """What was let go of, or would be."""

    sessions: int = 0
    """Sessions taken away whole."""
    sessions_thinned: int = 0
    """Sessions of which only a kept canvas and the results it stands for stay."""
    references: int = 0
    contents: int = 0
    size_bytes: int = 0
    logs: list[str] = field(default_factory=list)
    """Names of log files that are emptied."""
    _told: set[int] = field(default_factory=set, repr=False)

    def add(self, swept: Swept) -> None:
        self.references += swept.references
        self.contents += swept.contents
        self.size_bytes += swept.size_bytes

    def to_json(self) -> dict[str, Any]:
        """Return the figures by name."""
        return {name: value for name, value in asdict(self).items() if not name.startswith("_")}

    def foresee(self, references: list[Reference]) -> None:
        """Count references as if they were let go of, and the contents that nothing else keeps then."""
        self._told.update(reference.pk for reference in references)
        blobs = {reference.blob_id: reference.blob.size_bytes for reference in references}
        others = Reference.objects.filter(blob__in=blobs).values_list("pk", "blob_id")
        for blob in {blob for pk, blob in others if pk not in self._told}:
            del blobs[blob]
        size = sum(blobs.values())
        self.add(Swept(references=len(references), contents=len(blobs), size_bytes=size))


def reclaim(*, days: int, dry_run: bool = False, now: datetime | None = None) -> Reclaimed:
    """Let go of what nobody used for `days`; with `dry_run`, only say what that would be. 0 days: nothing."""
    done = Reclaimed()
    if days >= LEAST_DAYS:
        before = (now or timezone.now()) - timedelta(days=days)
        kept = _kept_canvases()
        for pk in _quiet_sessions(before):
            _session_reclaim(pk, before, kept, done, dry_run=dry_run)
        _orphans_reclaim(before, done, dry_run=dry_run)
    _logs_reclaim(done, dry_run=dry_run)
    return done


def _quiet_sessions(before: datetime) -> list[int]:
    quiet = Session.objects.filter(updated_at__lt=before, waiting_since=None)
    return list(quiet.order_by("updated_at", "pk").values_list("pk", flat=True))


def _kept_canvases() -> set[int]:
    """Return the canvases that stay whatever their age: of each agent the one worked on last, and the newest."""
    kept: set[int] = set()
    for agent in Agent.objects.all():
        sessions = Session.objects.filter(agent=agent).order_by("-updated_at", "-pk")
        kept.update(pk for pk in sessions.values_list("active_canvas", flat=True)[:1] if pk)
        newest = Canvas.objects.filter(session__agent=agent).order_by("-updated_at", "-pk")
        kept.update(newest.values_list("pk", flat=True)[:CANVASES_KEPT])
    return kept


def _session_reclaim(pk: int, before: datetime, kept: set[int], done: Reclaimed, *, dry_run: bool) -> None:
    """Let go of a quiet session's results, some at a time, and then of the session if no canvas of it stays."""
    staying = Canvas.objects.filter(session=pk, pk__in=kept).exists()
    before_it = done.references
    while True:
        with transaction.atomic():
            session = session_held(pk)
            if session.updated_at >= before or session.waiting_since is not None:
                return
            references = list(_let_go(session, kept)[: None if dry_run else AT_ONCE])
            if dry_run:
                done.foresee(references)
            elif references:
                done.add(_end(references))
                continue
            if not staying:
                done.sessions += 1
                if not dry_run:
                    session.delete()
            elif done.references > before_it:
                done.sessions_thinned += 1
            return


def _let_go(session: Session, kept: set[int]) -> QuerySet[Reference]:
    """Return the session's references but those to results that a kept canvas stands for."""
    cited = OffloadEntry.objects.filter(session=session, canvas__in=kept).values("pair__blob")
    mine = Reference.objects.filter(
        namespace_key=text_key(session_namespace(session.session_id)), blob__agent=session.agent
    )
    unjudged = ToolPair.objects.filter(session=session, entry=None).values("blob")
    mine = mine.select_related("blob").defer("blob__content_zstd")
    return mine.exclude(blob__in=cited).exclude(blob__in=unjudged).order_by("pk")


def _end(references: list[Reference]) -> Swept:
    contents_lock(reference.blob_id for reference in references)
    return references_end(references, why=EventType.DELETED, actor="reclaim", gone_why="reclaimed")


def _orphans_reclaim(before: datetime, done: Reclaimed, *, dry_run: bool) -> None:
    """Let go of results whose session is not there any more."""
    for agent_pk, namespace in _orphan_namespaces():
        mine = Reference.objects.filter(
            namespace_key=text_key(namespace), blob__agent=agent_pk, stored_at__lt=int(before.timestamp())
        )
        pks = list(mine.order_by("pk").values_list("pk", flat=True))
        for at in range(0, len(pks), AT_ONCE):
            some = mine.filter(pk__in=pks[at : at + AT_ONCE]).select_related("blob")
            some = some.defer("blob__content_zstd")
            if dry_run:
                done.foresee(list(some))
                continue
            with transaction.atomic():
                done.add(_end(list(some)))


def _orphan_namespaces() -> Iterator[tuple[int, str]]:
    sessions = set(Session.objects.values_list("agent_id", "session_key"))
    spoken = Reference.objects.filter(namespace__startswith=NAMESPACE)
    for agent_pk, namespace in spoken.values_list("blob__agent_id", "namespace").distinct():
        if (agent_pk, text_key(namespace.removeprefix(NAMESPACE))) not in sessions:
            yield agent_pk, namespace


def _logs_reclaim(done: Reclaimed, *, dry_run: bool) -> None:
    """Empty the largest logs in the data folder until together they are within the limit."""
    logs = [(path.stat().st_size, path) for path in Path(settings.OFFLOAD_HOME).glob("*.log")]
    total = sum(size for size, _ in logs)
    for size, path in sorted(logs, reverse=True):
        if total <= settings.OFFLOAD_LOG_MAX_BYTES:
            return
        total -= size
        done.logs.append(path.name)
        if not dry_run:
            os.truncate(path, 0)
