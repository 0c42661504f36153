"""A conversation of an agent, and the answers kept for repeated requests."""

from __future__ import annotations

import hashlib

from django.db import models
from django.utils import timezone

from canvases.fields import ExactTextField
from canvases.models.access import Agent


def text_key(text: str) -> str:
    """Return a fixed-size key for a text of any length or content, so that it can be indexed."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class Session(models.Model):
    """One conversation of an agent, named by the client's `session_id`."""

    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="sessions")
    session_id = ExactTextField()
    session_key = models.CharField(max_length=64)
    version = models.BigIntegerField(default=0, help_text="grows by one with every change")
    next_seq = models.BigIntegerField(default=1, help_text="the number the next tool pair gets")
    pair_count = models.BigIntegerField(default=0)
    entry_count = models.BigIntegerField(default=0)
    raw_bytes = models.BigIntegerField(default=0)
    raw_tokens = models.BigIntegerField(default=0)
    offloaded_tokens = models.BigIntegerField(default=0, help_text="of results a summary can stand in for")
    summary_tokens = models.BigIntegerField(default=0, help_text="of those summaries")
    context_window = models.IntegerField(null=True)
    recent_messages = models.TextField(default="", help_text="JSON of the newest messages a client sent")
    active_canvas = models.ForeignKey(
        "canvases.Canvas", on_delete=models.SET_NULL, null=True, related_name="+"
    )
    waiting_since = models.DateTimeField(null=True, help_text="set while summaries or drawings are due")
    failures = models.IntegerField(default=0, help_text="failed attempts to process it, in a row")
    retry_at = models.DateTimeField(null=True, help_text="not to be tried again before")
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["agent", "session_key"], name="one_session_per_id"),
        ]
        indexes = [
            models.Index(fields=["-updated_at", "-id"], name="session_newest"),
            models.Index(
                fields=["waiting_since"],
                condition=models.Q(waiting_since__isnull=False),
                name="session_waiting",
            ),
        ]

    def __str__(self) -> str:
        return self.session_id[:80]


class IdempotencyRecord(models.Model):
    """The answer given to a request that carried an `Idempotency-Key`."""

    agent = models.ForeignKey(Agent, on_delete=models.CASCADE)
    key_sha256 = models.CharField(max_length=64)
    request_sha256 = models.CharField(max_length=64)
    status = models.IntegerField()
    answer = models.TextField()
    created_at = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["agent", "key_sha256"], name="one_answer_per_key"),
        ]

    def __str__(self) -> str:
        return f"{self.status} at {self.created_at:%Y-%m-%d %H:%M}"
