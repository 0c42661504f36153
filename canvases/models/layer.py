"""How each part of the machinery last fared."""

from __future__ import annotations

from django.db import OperationalError, models
from django.utils import timezone
from kombu.exceptions import OperationalError as BrokerError


class Layer(models.Model):
    """One part (worker, l1, l15, l2): when it last did work, and its last failure."""

    name = models.CharField(max_length=20, primary_key=True)
    last_success_at = models.DateTimeField(null=True)
    last_failure_at = models.DateTimeField(null=True)
    last_error = models.TextField(default="")

    def __str__(self) -> str:
        return self.name

    @classmethod
    def succeeded(cls, name: str) -> None:
        """Note that the layer did real work just now."""
        cls.objects.update_or_create(name=name, defaults={"last_success_at": timezone.now()})

    @classmethod
    def failed(cls, name: str, error: Exception, *, at: str = "") -> None:
        """Note a failure and where it was. Only an error of the machinery is quoted: the text of any other may
        quote what an agent posted, and health is open to all. The log has it."""
        quoted = isinstance(error, OSError | OperationalError | BrokerError)
        told = f"{type(error).__name__}: {error}" if quoted else type(error).__name__
        noted = f"{at}: {told}" if at else told
        cls.objects.update_or_create(
            name=name, defaults={"last_failure_at": timezone.now(), "last_error": noted[:2000]}
        )
