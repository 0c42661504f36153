"""Compressed message lists: what was decided for a session, and each call with what was done."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from canvases.fields import BytesField, ExactJSONField, OrderedJSONField
from canvases.models.session import Session


class CompressionState(models.Model):
    """What was decided for a session's message list, so that its beginning stays as it was sent."""

    session = models.OneToOneField(
        Session, on_delete=models.CASCADE, primary_key=True, related_name="compression_state"
    )
    version = models.BigIntegerField(default=0, help_text="grows by one with every change")
    memory = OrderedJSONField(
        default=dict, help_text="decisions; messages in it keep the order of their keys"
    )
    trails = BytesField(default=bytes, help_text="keys of the messages last sent and received")

    class Meta:
        verbose_name = "compression state"

    def __str__(self) -> str:
        return f"of session {self.session_id}, version {self.version}"


class CompressionEvent(models.Model):
    """One call to compress: how deep it went, and what was replaced, deleted, cut and injected."""

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="compressions")
    level = models.CharField(max_length=12)
    context_window = models.BigIntegerField()
    tokens_before = models.BigIntegerField()
    tokens_after = models.BigIntegerField()
    report = ExactJSONField(default=dict)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [models.Index(fields=["session", "-id"], name="compression_newest")]

    def __str__(self) -> str:
        return f"{self.level}: {self.tokens_before} to {self.tokens_after} tokens"
