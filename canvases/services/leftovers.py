"""Dropping rows that have had their day, so that a server that runs for years does not fill up with them."""

from __future__ import annotations

from datetime import timedelta
from importlib import import_module

from django.conf import settings
from django.utils import timezone

from canvases.models import IdempotencyRecord, LoginLink

ANSWERS_KEPT = timedelta(days=1)


def leftovers_drop() -> None:
    """Drop answers kept for repeated requests, login links and logins that no longer count."""
    now = timezone.now()
    IdempotencyRecord.objects.filter(created_at__lt=now - ANSWERS_KEPT).delete()
    LoginLink.objects.filter(expires_at__lt=now - LoginLink.LIFETIME).delete()
    import_module(settings.SESSION_ENGINE).SessionStore.clear_expired()
