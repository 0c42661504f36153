"""Bringing one session up to date: summaries, then tasks, then drawings, then what the search finds."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from canvases.models import Boundary, Layer, Session, ToolPair
from canvases.services.boundaries import boundaries_judge
from canvases.services.drawings import canvases_draw
from canvases.services.indexing import contents_index
from canvases.services.sessions import session_held
from canvases.services.summaries import entries_write

LONGEST_PAUSE = timedelta(minutes=10)
LOST_AFTER = timedelta(seconds=3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Worked:
    """What one run did."""

    entries: int = 0
    verdicts: int = 0
    revisions: int = 0
    indexed: int = 0


def session_process(session_pk: int) -> Worked:
    """Do all that is due for the session. May be run twice, at once, or for nothing; each pair ends up with
    one entry, can be searched and has, in a long task, one node. A failure is noted, retried later and raised."""
    entries = verdicts = revisions = indexed = 0
    try:
        while True:
            seen = _newest(session_pk)
            entries += entries_write(session_pk)
            verdicts += boundaries_judge(session_pk)
            revisions += canvases_draw(session_pk)
            indexed += contents_index(session_pk)
            if _rest(session_pk, seen):
                return Worked(entries=entries, verdicts=verdicts, revisions=revisions, indexed=indexed)
    except Exception as error:
        _put_off(session_pk, error)
        raise


def _newest(session_pk: int) -> tuple[int, int]:
    """Return what tells new work from old: the next sequence number and the newest boundary a client made."""
    next_seq = Session.objects.values_list("next_seq", flat=True).get(pk=session_pk)
    newest = Boundary.objects.filter(session=session_pk, prompt__isnull=False).order_by("-pk").first()
    return next_seq, newest.pk if newest else 0


def _rest(session_pk: int, seen: tuple[int, int]) -> bool:
    """Take the session off the waiting list unless something came in since `seen`."""
    with transaction.atomic():
        session = session_held(session_pk)
        unread = ToolPair.objects.filter(session=session, summarised=False).exists()
        if unread or _newest(session_pk) != seen:
            return False
        session.waiting_since, session.retry_at, session.failures = None, None, 0
        session.save(update_fields=["waiting_since", "retry_at", "failures"])
        return True


def _put_off(session_pk: int, error: Exception) -> None:
    Layer.failed("worker", error, at=f"session {session_pk}")
    with transaction.atomic():
        session = session_held(session_pk)
        session.failures += 1
        pause = min(timedelta(seconds=5 * 2 ** min(session.failures, 10)), LONGEST_PAUSE)
        session.retry_at = timezone.now() + pause
        session.save(update_fields=["failures", "retry_at"])


def waiting_sessions(*, limit: int = 100) -> list[int]:
    """Return sessions with work due that no message may be on its way for, longest waiting first."""
    now = timezone.now()
    # A time that lies too far ahead was written before the clock was set back.
    lost = Q(waiting_since__lt=now - LOST_AFTER) | Q(waiting_since__gt=now + LOST_AFTER)
    paused = Q(retry_at__gt=now, retry_at__lte=now + LONGEST_PAUSE)
    due = Session.objects.filter(lost).exclude(paused).order_by("waiting_since")
    return list(due.values_list("pk", flat=True)[:limit])
