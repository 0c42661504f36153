"""Who owns data and who may come in: agents, their API keys, and one-time login links."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta

from django.conf import settings
from django.db import models
from django.utils import timezone


def digest(secret: str) -> str:
    """Return the SHA-256 of a secret, 64 hex digits: all that is kept of a key or a link."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


class Agent(models.Model):
    """One owner of data; an API key belongs to exactly one agent."""

    name = models.CharField(max_length=200, unique=True)
    created_at = models.DateTimeField(default=timezone.now)
    offload_limit_bytes = models.BigIntegerField(null=True, help_text="empty: the server's own limit")
    total_limit_bytes = models.BigIntegerField(null=True, help_text="empty: the server's own limit")

    def __str__(self) -> str:
        return self.name


class ApiKey(models.Model):
    """A secret that lets a program in as one agent. Only its digest is kept."""

    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="api_keys")
    key_sha256 = models.CharField(max_length=64, unique=True)
    prefix = models.CharField(max_length=12)
    created_at = models.DateTimeField(default=timezone.now)
    last_used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"{self.prefix}… of {self.agent}"

    @classmethod
    def issue(cls, agent: Agent) -> str:
        """Make a key for the agent and return it; this is the only time it is known."""
        key = f"ofk_{secrets.token_urlsafe(32)}"
        cls.objects.create(agent=agent, key_sha256=digest(key), prefix=key[:12])
        return key

    @classmethod
    def find(cls, key: str) -> ApiKey | None:
        """Return the live key with this text, or None."""
        return cls.objects.select_related("agent").filter(key_sha256=digest(key), revoked_at=None).first()

    def note_use(self) -> None:
        """Remember that the key was used, at most once a minute."""
        now = timezone.now()
        if self.last_used_at is None or now - self.last_used_at > timedelta(minutes=1):
            ApiKey.objects.filter(pk=self.pk).update(last_used_at=now)


class LoginLink(models.Model):
    """An address that logs a person in once."""

    LIFETIME = timedelta(hours=24)

    token_sha256 = models.CharField(max_length=64, unique=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"login link of {self.user}, until {self.expires_at:%Y-%m-%d %H:%M}"

    @classmethod
    def issue(cls, user: models.Model) -> str:
        """Make a link for the user and return its token; this is the only time it is known."""
        token = secrets.token_urlsafe(32)
        cls.objects.create(
            token_sha256=digest(token), user_id=user.pk, expires_at=timezone.now() + cls.LIFETIME
        )
        return token

    @classmethod
    def redeem(cls, token: str) -> LoginLink | None:
        """Use the link up and return it; None when it is unknown, used or too old."""
        now = timezone.now()
        live = cls.objects.filter(token_sha256=digest(token), used_at=None, expires_at__gt=now)
        if live.update(used_at=now) != 1:
            return None
        return cls.objects.select_related("user").get(token_sha256=digest(token))
