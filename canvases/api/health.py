"""GET /health: is every layer at work; open to all."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from ninja import Router

from canvases.api.common import reply
from canvases.api.schemas import HealthOut
from canvases.selectors.health import health

router = Router()


@router.get("/health", response=HealthOut, auth=None)
def get_health(request: HttpRequest) -> HttpResponse:
    """Say whether each layer works, and what to do where one does not."""
    return reply(health())
