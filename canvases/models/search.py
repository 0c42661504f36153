"""What the search looks things up in: the words of contents and of summaries, as short codes."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper

from canvases.models.pair import OffloadedBlob, OffloadEntry
from canvases.models.session import Session


class CodesField(models.TextField):
    """Codes of terms, in ASCII letters and digits, with a space between: a tsvector on PostgreSQL."""

    def db_type(self, connection: BaseDatabaseWrapper) -> str:
        return "tsvector" if connection.vendor == "postgresql" else "text"

    def get_placeholder(self, value: Any, compiler: Any, connection: BaseDatabaseWrapper) -> str:
        return "%s::tsvector" if connection.vendor == "postgresql" else "%s"


class SearchDocument(models.Model):
    """The terms of one content or of one entry. It goes with the row it is about, and so do its terms.

    Looked up by a GIN index on PostgreSQL and by the FTS5 table `search_codes` on SQLite, which triggers keep
    equal to this table: a migration that has SQLite make this table anew must make the triggers anew as well.
    """

    class Note(models.TextChoices):
        """Why not all of a result can be found."""

        ALL = "", "all of it can be found"
        CUT = "cut", "too many different words: those at its end were left out"
        BINARY = "binary", "not a text"
        DAMAGED = "damaged", "not readable as it was stored"
        TOO_LARGE = "too_large", "over the limit of what is read"
        GONE = "gone", "no longer kept"
        FAILED = "failed", "its words could not be told apart"

    blob = models.OneToOneField(
        OffloadedBlob, on_delete=models.CASCADE, null=True, related_name="search_document"
    )
    entry = models.OneToOneField(
        OffloadEntry, on_delete=models.CASCADE, null=True, related_name="search_document"
    )
    codes = CodesField()
    note = models.CharField(max_length=20, default=Note.ALL)
    waiting_since = models.DateTimeField(
        null=True, help_text="set while its terms are to be worked out (anew)"
    )

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(blob__isnull=False, entry__isnull=True)
                | models.Q(blob__isnull=True, entry__isnull=False),
                name="document_of_one_thing",
            ),
        ]
        indexes = [
            models.Index(fields=["blob"], condition=~models.Q(note=""), name="document_in_part"),
            models.Index(
                fields=["waiting_since"],
                condition=models.Q(waiting_since__isnull=False),
                name="document_waiting",
            ),
        ]

    def __str__(self) -> str:
        return f"blob {self.blob_id}" if self.blob_id else f"entry {self.entry_id}"


class SearchProgress(models.Model):
    """How far a session is searchable: every pair up to this number, its result and its entry."""

    session = models.OneToOneField(
        Session, on_delete=models.CASCADE, primary_key=True, related_name="search_progress"
    )
    through_seq = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return f"session {self.session_id} through #{self.through_seq}"
