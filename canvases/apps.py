"""The app's entry and its start-up checks."""

from __future__ import annotations

from django.apps import AppConfig


class CanvasesConfig(AppConfig):
    name = "canvases"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from canvases import checks  # noqa: F401
