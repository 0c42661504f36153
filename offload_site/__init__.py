"""The project package: environment, settings, addresses, the one API, the task queue and the server entry."""

from __future__ import annotations

from offload_site.celery import app as celery_app

__all__ = ["celery_app"]
