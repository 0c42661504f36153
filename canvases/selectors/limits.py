"""How large a content an agent may store, and how large a one is given back."""

from __future__ import annotations

from django.conf import settings

from canvases.models import Agent

MOST_OFFLOAD_BYTES = 64 * 2**20
"""The largest limit that an agent can have."""


def offload_limit(agent: Agent) -> int:
    """Return the most bytes that the agent may offload as one content: its own limit, or the server's."""
    own = agent.offload_limit_bytes
    return settings.OFFLOAD_MAX_OFFLOAD_BYTES if own is None else own


def total_limit(agent: Agent) -> int | None:
    """Return the most bytes that the agent may keep in all, None for as many as there is room for."""
    own = agent.total_limit_bytes
    return (settings.OFFLOAD_MAX_TOTAL_BYTES or None) if own is None else own


def read_limit(agent: Agent) -> int:
    """Return the most bytes that are given back as one content: never less than may be stored."""
    written = max(settings.OFFLOAD_MAX_RESULT_BYTES, offload_limit(agent))
    return max(settings.OFFLOAD_MAX_READ_BYTES, written)
