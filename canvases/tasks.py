"""What workers run. A task takes ids, loads, calls one service, and can run twice or for nothing."""

from __future__ import annotations

from celery import shared_task
from django.conf import settings

from canvases.models import Layer, Session
from canvases.services import processing, queue
from canvases.services import reclaim as reclaimer
from canvases.services.checkpoints import checkpoints_write
from canvases.services.dictionaries import dictionaries_learn
from canvases.services.expiry import references_expire
from canvases.services.indexing import waiting_index
from canvases.services.leftovers import leftovers_drop


@shared_task(name=queue.PROCESS)
def session_process(session_pk: int) -> None:
    """Bring a session up to date. One that is gone, or that another message has settled, is no work."""
    if Session.objects.filter(pk=session_pk, waiting_since__isnull=False).exists():
        processing.session_process(session_pk)


@shared_task(name="canvases.tasks.expire")
def expire() -> None:
    """Take contents away that outlived their time."""
    references_expire()


@shared_task(name="canvases.tasks.learn")
def learn() -> None:
    """Learn what small results have in common, so that later ones take less room."""
    dictionaries_learn()


@shared_task(name="canvases.tasks.reclaim")
def reclaim() -> None:
    """Let go of what is older than the retention, if there is one, and empty logs that grew too large."""
    reclaimer.reclaim(days=settings.OFFLOAD_RETENTION_DAYS)


@shared_task(name="canvases.tasks.sweep")
def sweep() -> None:
    """Find sessions that still wait, whatever became of their message, and do what is due now and then."""
    Layer.succeeded("worker")
    for session_pk in processing.waiting_sessions():
        if not queue.nudge(session_pk):
            break
    checkpoints_write()
    leftovers_drop()
    waiting_index()
