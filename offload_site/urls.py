"""The addresses: the API, the streams of changes, the admin, and the pages."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path, register_converter

from canvases.converters import SegmentConverter

register_converter(SegmentConverter, "segment")

from canvases import streams  # noqa: E402
from offload_site.api import api  # noqa: E402

urlpatterns = [
    path("api/v1/sessions/<segment:session_id>/events", streams.agent_events, name="api-events"),
    path("api/v1/", api.urls),
    path("sessions/<int:pk>/events", streams.page_events, name="session-events"),
    path("admin/", admin.site.urls),
    path("", include("canvases.urls")),
]
