"""What workers run. A task takes ids, loads, calls one service, and can run twice or for nothing."""

from __future__ import annotations

from datetime import timedelta

from celery import shared_task
from django.utils import timezone

from canvases.models import IdempotencyRecord, Layer, LoginLink, Session
from canvases.services import processing, queue
from canvases.services.checkpoints import checkpoints_write

ANSWERS_KEPT = timedelta(days=1)


@shared_task(name=queue.PROCESS)
def session_process(session_pk: int) -> None:
    """Bring a session up to date. One that is gone, or that another message has settled, is no work."""
    if Session.objects.filter(pk=session_pk, waiting_since__isnull=False).exists():
        processing.session_process(session_pk)


@shared_task(name="canvases.tasks.sweep")
def sweep() -> None:
    """Find sessions that still wait, whatever became of their message, and drop answers no longer needed."""
    Layer.succeeded("worker")
    for session_pk in processing.waiting_sessions():
        if not queue.nudge(session_pk):
            return
    checkpoints_write()
    IdempotencyRecord.objects.filter(created_at__lt=timezone.now() - ANSWERS_KEPT).delete()
    LoginLink.objects.filter(expires_at__lt=timezone.now() - LoginLink.LIFETIME).delete()
