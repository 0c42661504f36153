"""Tool pairs, the exact bytes of their results, and their L1 rows."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from canvases.fields import BytesField, ExactJSONField, ExactTextField, NumberField, ShortTextField
from canvases.models.access import Agent
from canvases.models.session import Session
from pipelines import blobs


class OffloadedBlob(models.Model):
    """The exact bytes of a result, compressed, once per agent and content.

    The row stays when the last reference to it goes; its bytes do not, and the row then says when and why.
    """

    class Gone(models.TextChoices):
        EXPIRED = "expired", "expired"
        DELETED = "deleted", "deleted"
        RECLAIMED = "reclaimed", "reclaimed"

    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="blobs")
    ref_id = ShortTextField(max_length=17)
    content_sha256 = ShortTextField(max_length=64)
    content_zstd = BytesField()
    codec = ShortTextField(max_length=40, default=blobs.CODEC)
    size_bytes = NumberField()
    tokens = NumberField()
    gone_at = models.DateTimeField(null=True)
    gone_why = ShortTextField(max_length=10, choices=Gone.choices, default="")

    class Meta:
        db_table = "offloaded_blobs"
        constraints = [
            models.UniqueConstraint(fields=["agent", "content_sha256"], name="one_blob_per_content"),
        ]
        indexes = [
            models.Index(fields=["agent", "ref_id"], name="blob_ref"),
            models.Index(fields=["agent", "size_bytes"], condition=models.Q(gone_at=None), name="blob_kept"),
        ]

    def __str__(self) -> str:
        return self.ref_id


class ToolPair(models.Model):
    """One tool call and its result, as posted. Identity is (session, seq)."""

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="pairs")
    seq = models.BigIntegerField()
    fingerprint = models.CharField(max_length=64, help_text="equal only for pairs equal in every field")
    tool_call_id = ExactTextField()
    call_key = models.CharField(max_length=64, help_text="digest of tool_call_id, for look-ups")
    tool_name = ExactTextField()
    params = models.TextField(help_text="JSON, in ASCII")
    blob = models.ForeignKey(OffloadedBlob, on_delete=models.PROTECT, related_name="pairs")
    result_ref = models.CharField(max_length=64)
    media_type = models.CharField(max_length=64)
    error = ExactTextField(default="")
    is_error = models.BooleanField(null=True)
    timestamp = models.DateTimeField(help_text="the client's, or when it came in")
    timestamp_text = models.CharField(max_length=80, default="", help_text="the client's own spelling")
    duration_ms = models.BigIntegerField(null=True)
    received_at = models.DateTimeField(default=timezone.now)
    summarised = models.BooleanField(default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["session", "seq"], name="one_pair_per_seq"),
            models.UniqueConstraint(fields=["session", "fingerprint"], name="one_pair_per_fingerprint"),
        ]
        indexes = [
            models.Index(fields=["session", "call_key", "-seq"], name="pair_newest_of_call"),
            models.Index(fields=["session", "result_ref"], name="pair_result_ref"),
            models.Index(fields=["session", "blob", "-seq"], name="pair_newest_of_content"),
            models.Index(
                fields=["session", "seq"], condition=models.Q(summarised=False), name="pair_pending"
            ),
        ]

    def __str__(self) -> str:
        return f"#{self.seq} {self.tool_name[:60]}"


class OffloadEntry(models.Model):
    """The L1 row of a tool pair: what was called and found, in a line, and where it stands on a canvas."""

    pair = models.OneToOneField(ToolPair, on_delete=models.CASCADE, related_name="entry")
    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="entries")
    seq = models.BigIntegerField()
    tool_call = ExactTextField()
    summary = ExactTextField()
    keys = ExactJSONField(default=list)
    score = models.SmallIntegerField()
    short = models.BooleanField(help_text="a summary would not be shorter than the result")
    facts = ExactJSONField(default=dict)
    summary_tokens = models.IntegerField()
    canvas = models.ForeignKey(
        "canvases.Canvas", on_delete=models.SET_NULL, null=True, related_name="entries"
    )
    node_number = models.BigIntegerField(null=True, help_text="the k of the node NNN-Nk drawn for it")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name_plural = "offload entries"
        constraints = [
            models.UniqueConstraint(fields=["session", "seq"], name="one_entry_per_seq"),
        ]
        indexes = [models.Index(fields=["canvas", "node_number"], name="entry_node")]

    def __str__(self) -> str:
        return f"#{self.seq} {self.tool_call[:60]}"
