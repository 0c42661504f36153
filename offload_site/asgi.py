"""The server entry: event streams and MCP messages come in on the event loop, everything else on threads."""

from __future__ import annotations

import os
from typing import Any, cast

from a2wsgi import WSGIMiddleware
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "offload_site.settings")

_streams = get_asgi_application()

from django.conf import settings  # noqa: E402

from canvases.mcp import http as mcp  # noqa: E402
from canvases.selectors.limits import MOST_OFFLOAD_BYTES  # noqa: E402
from offload_site.frontdoor import KeepSegments, WholeBodies  # noqa: E402
from offload_site.wsgi import application as _pages  # noqa: E402

# No bound on what waits to be sent: a thread must not wait for a client that reads slowly.
_threads: Any = WSGIMiddleware(cast("Any", _pages), workers=8, send_queue_size=0)


async def _dispatch(scope: dict[str, Any], receive: Any, send: Any) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1000})
    if scope["type"] != "http":
        return
    path = scope["path"].rstrip("/")
    if path == mcp.PATH:
        await mcp.application(scope, receive, send)
    elif path.endswith("/events"):
        await _streams(scope, receive, send)
    else:
        await _threads(scope, receive, send)


# A content as a plain body may be as large as any agent's limit; which one is its own is seen once its key is.
_limits = {("PUT", "/api/v1/contents"): MOST_OFFLOAD_BYTES}
application = KeepSegments(WholeBodies(_dispatch, limit=settings.OFFLOAD_MAX_BODY_BYTES, limits=_limits))
