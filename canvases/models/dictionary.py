"""Dictionaries that small results of a tool are packed with."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from canvases.fields import BytesField, ExactTextField
from canvases.models.access import Agent


class ToolDictionary(models.Model):
    """A dictionary trained on an agent's results of one tool, or that none was worth it. Never changed.

    The newest of a tool is used; older ones stay, for what was packed with them.
    """

    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="dictionaries")
    tool_name = ExactTextField()
    tool_key = models.CharField(max_length=64, help_text="digest of the tool's name, for look-ups")
    codec = models.CharField(max_length=40, default="", help_text="its name in contents; empty: not worth it")
    sha256 = models.CharField(max_length=64, default="")
    content = BytesField(default=b"")
    samples = models.IntegerField(help_text="contents there were to learn from")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name_plural = "tool dictionaries"
        indexes = [
            models.Index(fields=["agent", "codec"], name="dictionary_codec"),
            models.Index(fields=["agent", "tool_key", "-id"], name="dictionary_tool"),
        ]

    def __str__(self) -> str:
        return f"{self.codec or 'none'} for {self.tool_name[:60]}"
