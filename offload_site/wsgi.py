"""Pages and API: the plain request-and-answer part of the server."""

from __future__ import annotations

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "offload_site.settings")

application = get_wsgi_application()
