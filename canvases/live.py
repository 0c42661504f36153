"""Telling readers of a change: the version grows in the same transaction, then the news goes out."""

from __future__ import annotations

import logging
from functools import cache

import redis
from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from canvases import patience
from canvases.models import Session

CHANNEL = "offload:versions"
log = logging.getLogger(__name__)


@cache
def _client() -> redis.Redis:
    return redis.Redis.from_url(settings.CACHE_URL, socket_connect_timeout=1, socket_timeout=1)


def session_changed(session: Session) -> None:
    """Count the change inside the running transaction and publish the new version once it is committed.

    The version in the database is the truth: a lost message only delays a reader until its next look.
    """
    Session.objects.filter(pk=session.pk).update(version=F("version") + 1, updated_at=timezone.now())
    version = Session.objects.values_list("version", flat=True).get(pk=session.pk)
    transaction.on_commit(lambda: _publish(session.pk, version), robust=True)


def _publish(session_pk: int, version: int) -> None:
    if not patience.broker.is_left():
        return
    try:
        with patience.broker.asking():
            _client().publish(CHANNEL, f"{session_pk}:{version}")
    except (redis.RedisError, OSError) as error:
        log.debug("version %s of session %s was not published: %s", version, session_pk, error)
