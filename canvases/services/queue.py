"""Handing work to the workers: a message per session that has some, sent once it is committed."""

from __future__ import annotations

import logging

from celery import current_app
from django.db import transaction
from kombu.exceptions import OperationalError

from canvases import patience
from canvases.models import Layer, Session

PROCESS = "canvases.tasks.session_process"
log = logging.getLogger(__name__)


def session_nudge(session: Session) -> None:
    """Ask a worker to look at the session when the running transaction is committed."""
    transaction.on_commit(lambda: nudge(session.pk), robust=True)


def nudge(session_pk: int) -> bool:
    """Ask a worker to look at the session now; False when no broker answers.

    Nothing is lost then: the session stays marked as waiting, and the sweep finds it.
    """
    if not patience.broker.is_left():
        return False
    try:
        with patience.broker.asking():
            current_app.send_task(PROCESS, args=[session_pk])
    except (OperationalError, OSError) as error:
        log.warning("no broker answers, session %s waits for the sweep: %s", session_pk, error)
        Layer.failed("broker", error)
        return False
    return True
