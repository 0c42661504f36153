"""How each layer fares, and which sessions wait."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpResponse

from canvases.selectors import health, sessions
from canvases.views.pages import PageRequest, page, signed_in


@signed_in
def health_detail(request: PageRequest) -> HttpResponse:
    """Show the layers, each with its state, cause and cure, when each agent was last heard of, the sessions
    with work due, and whether secrets are taken out."""
    data = {
        "health": health.health(),
        "agents": health.agents_heard(),
        "waiting": sessions.waiting_list(),
        "redacting": settings.OFFLOAD_REDACT,
    }
    return page(
        request, "health/detail.html", data, fragment="health/_detail.html", extra={"section": "health"}
    )
