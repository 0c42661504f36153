"""What is kept, how much room it takes, and for how long."""

from __future__ import annotations

from django.http import HttpResponse

from canvases.selectors.storage import storage
from canvases.views.pages import PageRequest, page, signed_in


@signed_in
def storage_detail(request: PageRequest) -> HttpResponse:
    """Show the figures of the store and of each agent."""
    return page(
        request,
        "storage/detail.html",
        {"storage": storage()},
        fragment="storage/_detail.html",
        extra={"section": "storage"},
    )
