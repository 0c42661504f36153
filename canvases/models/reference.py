"""References: under which namespace a content is kept, and for how long."""

from __future__ import annotations

from django.db import models

from canvases.fields import ExactTextField, NumberField, ShortTextField
from canvases.models.pair import OffloadedBlob

SESSION_NAMESPACE = "session/"
"""What the namespaces of sessions begin with; nobody else may use such a one."""


class Reference(models.Model):
    """One reason to keep a content. What it states is signed, together with the content's hash and owner.

    Times are whole seconds of Unix time, as they are in what is signed.
    """

    blob = models.ForeignKey(OffloadedBlob, on_delete=models.CASCADE, related_name="references")
    namespace = ExactTextField()
    namespace_key = ShortTextField(max_length=64, help_text="digest of the namespace, for look-ups")
    media_type = ShortTextField(max_length=64)
    stored_at = NumberField()
    ttl_seconds = NumberField(null=True, help_text="empty: for good")
    expires_at = NumberField(null=True, help_text="the last second in which it can be read")
    key_id = ShortTextField(max_length=16, null=True)
    signature_b64 = ShortTextField(max_length=86, default="", help_text="base64url without padding")

    class Meta:
        db_table = "blob_references"
        constraints = [
            models.UniqueConstraint(fields=["blob", "namespace_key"], name="one_reference_per_namespace"),
        ]
        indexes = [
            models.Index(
                fields=["expires_at", "id"],
                condition=models.Q(expires_at__isnull=False),
                name="reference_expiry",
            ),
            models.Index(fields=["namespace_key"], name="reference_namespace"),
        ]

    def __str__(self) -> str:
        return f"{self.blob} in {self.namespace[:60]}"
