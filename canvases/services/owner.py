"""The person who runs the server, and the first agent with its key."""

from __future__ import annotations

import os
from pathlib import Path

from django.conf import settings
from django.contrib.auth import get_user_model
from django.urls import reverse

from canvases.models import Agent, ApiKey, LoginLink

FIRST_AGENT = "local"
LONGEST_AGENT_NAME = 200


class AgentNameRefused(ValueError):
    """No agent can have this name; the text says why."""


def login_url(*, target: str = "") -> str:
    """Return an address that logs the owner in once, and leads on to `target` (a path of this server)."""
    users = get_user_model()
    owner = users.objects.filter(is_superuser=True, is_active=True).order_by("pk").first()
    if owner is None:
        owner = users.objects.create_superuser("owner", password=None)
    path = reverse("login-link", args=[LoginLink.issue(owner)])
    return f"{base_url()}{path}" + (f"?next={target}" if target else "")


def base_url() -> str:
    """Return the server's own address as a person on this machine types it."""
    local = settings.OFFLOAD_HOST in ("127.0.0.1", "0.0.0.0", "::", "::1", "localhost")  # noqa: S104
    return f"http://{'localhost' if local else settings.OFFLOAD_HOST}:{settings.OFFLOAD_PORT}"


def agent_named(name: str) -> Agent:
    """Return the agent with this name, made when it is new. Raises AgentNameRefused."""
    if not 0 < len(name) <= LONGEST_AGENT_NAME or not name.isprintable():
        raise AgentNameRefused(f"An agent's name has 1 to {LONGEST_AGENT_NAME} printable characters.")
    return Agent.objects.get_or_create(name=name)[0]


def first_agent() -> Agent:
    """Return the agent that the printed key and imports without `--agent` belong to."""
    return Agent.objects.get_or_create(name=FIRST_AGENT)[0]


def first_key() -> str:
    """Return a working key of the first agent, kept in a file of the data folder for its owner's eyes."""
    path = Path(settings.OFFLOAD_HOME) / f"{FIRST_AGENT}.key"
    if path.exists():
        key = path.read_text(encoding="ascii").strip()
        if ApiKey.find(key) is not None:
            return key
        path.unlink()
    key = ApiKey.issue(first_agent())
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
        file.write(key)
    return key
