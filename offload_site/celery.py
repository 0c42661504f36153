"""The task queue: Celery on Redis, with every message safe to lose, repeat or reorder.

The database holds the work; a message only says that a session has some. So a short visibility timeout
costs nothing, and what a killed worker held is found again by the sweep as well.
"""

from __future__ import annotations

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "offload_site.settings")

app = Celery("offload")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.update(
    accept_content=["json"],
    beat_schedule={
        "sweep": {"task": "canvases.tasks.sweep", "schedule": 5.0},
        "learn": {"task": "canvases.tasks.learn", "schedule": 600.0},
        "reclaim": {"task": "canvases.tasks.reclaim", "schedule": 3600.0},
        "expire": {"task": "canvases.tasks.expire", "schedule": 60.0},
    },
    broker_connection_max_retries=None,  # a worker that gave up would take the whole server down with it
    broker_connection_retry_on_startup=True,
    broker_connection_timeout=2,
    broker_transport_options={
        "visibility_timeout": 120,
        "unacked_restore_interval": 10,
        "socket_connect_timeout": 2,
        "socket_timeout": 5,
        "max_retries": 0,
    },
    task_acks_late=True,
    task_ignore_result=True,
    task_publish_retry=False,
    task_reject_on_worker_lost=True,
    task_serializer="json",
    timezone="UTC",
    worker_hijack_root_logger=False,
    worker_prefetch_multiplier=1,
)
app.autodiscover_tasks(["canvases"])
