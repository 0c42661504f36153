"""The audit log: one hash chain of signed events per agent, the keys that sign it, and its checkpoints."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from canvases.fields import BytesField, ExactJSONField, ExactTextField, NumberField, ShortTextField
from canvases.models.access import Agent


class SigningKeyRecord(models.Model):
    """The public half of a key that signs, or once signed."""

    key_id = ShortTextField(max_length=16, primary_key=True)
    public = BytesField(max_length=32)
    valid_from = models.DateTimeField(default=timezone.now)
    valid_to = models.DateTimeField(null=True)
    revoked = models.BooleanField(default=False)
    endorsement = BytesField(max_length=64, null=True, help_text="this server's signature under the row")

    def __str__(self) -> str:
        return self.key_id


class SignedEvent(models.Model):
    """One event of an agent's chain; written once, never changed."""

    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="events")
    sequence = NumberField()
    event_id = ShortTextField(max_length=36, unique=True)
    event_type = ShortTextField(max_length=20)
    actor = ExactTextField()
    outcome = ShortTextField(max_length=20)
    payload = ExactJSONField(default=dict)
    timestamp = ShortTextField(max_length=27, help_text="the very text that is signed")
    prev_hash = BytesField(max_length=32)
    key_id = ShortTextField(max_length=16, null=True)
    signature = BytesField(max_length=64, null=True)

    class Meta:
        db_table = "signed_events"
        constraints = [
            models.UniqueConstraint(fields=["agent", "sequence"], name="one_event_per_sequence"),
        ]

    def __str__(self) -> str:
        return f"#{self.sequence} {self.event_type}"


class ChainHead(models.Model):
    """Where an agent's chain ends; its row is the lock under which the chain grows."""

    agent = models.OneToOneField(Agent, on_delete=models.PROTECT, primary_key=True, related_name="chain_head")
    sequence = NumberField(default=0)
    event_hash = BytesField(max_length=32)

    def __str__(self) -> str:
        return f"{self.agent} at #{self.sequence}"
