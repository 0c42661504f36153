"""Tasks: the boundaries that part the work, the canvases that draw it, and each drawing's revisions."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from canvases.fields import ExactJSONField, ExactTextField
from canvases.models.session import Session


class Boundary(models.Model):
    """Where a person's prompt (or the absence of one) starts a stretch of work, and what was judged of it.

    It covers the pairs from `first_seq` to the next boundary's.
    """

    class Verdict(models.TextChoices):
        PENDING = "pending", "pending"
        SHORT = "short", "short"
        LONG = "long", "long"

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="boundaries")
    first_seq = models.BigIntegerField()
    prompt = ExactTextField(null=True, help_text="empty for work that nobody asked for in words")
    fingerprint = models.CharField(max_length=64, null=True, help_text="set when the client gave a time")
    verdict = models.CharField(max_length=8, choices=Verdict.choices, default=Verdict.PENDING)
    reason = ExactTextField(default="")
    canvas = models.ForeignKey(
        "canvases.Canvas", on_delete=models.SET_NULL, null=True, related_name="boundaries"
    )
    drawn_through = models.BigIntegerField(default=0, help_text="the last seq that is on the canvas")
    settled = models.BooleanField(default=False, help_text="nothing can be added to it any more")
    timestamp = models.DateTimeField(default=timezone.now)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name_plural = "boundaries"
        ordering = ["first_seq", "id"]
        constraints = [
            models.UniqueConstraint(fields=["session", "fingerprint"], name="one_prompt_per_fingerprint"),
        ]
        indexes = [
            models.Index(fields=["session", "first_seq", "id"], name="boundary_order"),
            models.Index(fields=["session"], condition=models.Q(settled=False), name="boundary_open"),
        ]

    def __str__(self) -> str:
        return f"{self.verdict} from #{self.first_seq}"

    def following(self) -> Boundary | None:
        """Return the boundary after this one, whatever became of it; None for the newest.

        Whoever reads pairs or entries up to it asks for it after reading them, or holds the session: a
        boundary is there before the first pair behind it.
        """
        later = models.Q(first_seq__gt=self.first_seq) | models.Q(first_seq=self.first_seq, pk__gt=self.pk)
        return Boundary.objects.filter(later, session=self.session_id).order_by("first_seq", "pk").first()


class Canvas(models.Model):
    """One task's Mermaid flowchart. `state` is the builder's working memory; drawings are revisions."""

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="canvases")
    number = models.IntegerField()
    label = models.CharField(max_length=60)
    task_goal = ExactTextField()
    status = models.CharField(max_length=10, default="doing")
    progress = models.SmallIntegerField(default=0)
    state = ExactJSONField(default=dict)
    revision = models.IntegerField(default=0, help_text="number of the newest revision")
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name_plural = "canvases"
        constraints = [
            models.UniqueConstraint(fields=["session", "number"], name="one_canvas_per_number"),
        ]

    def __str__(self) -> str:
        return self.filename

    @property
    def filename(self) -> str:
        return f"{self.number:03d}-{self.label}.mmd"


class CanvasRevision(models.Model):
    """One state of a canvas as it was drawn; never changed."""

    canvas = models.ForeignKey(Canvas, on_delete=models.CASCADE, related_name="revisions")
    number = models.IntegerField()
    status = models.CharField(max_length=10)
    progress = models.SmallIntegerField()
    task_goal = ExactTextField()
    nodes = ExactJSONField()
    edges = ExactJSONField()
    mermaid = ExactTextField(help_text="the .mmd text")
    drawing = ExactTextField(help_text="the source that pages draw")
    through_seq = models.BigIntegerField(help_text="the last seq that is on it")
    as_of = models.DateTimeField(help_text="time of the newest call on it")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["canvas", "number"], name="one_revision_per_number"),
        ]

    def __str__(self) -> str:
        return f"{self.canvas} revision {self.number}"
