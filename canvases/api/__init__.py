"""The HTTP API, one module per resource; `router` is what the project's NinjaAPI serves."""

from __future__ import annotations

from ninja import Router

from canvases.api import audit, canvases, compress, deref, entries, health, ingest, offload, search, sessions

router = Router()
router.add_router("", health.router, tags=["health"])
router.add_router("", ingest.router, tags=["ingest"])
router.add_router("", sessions.router, tags=["sessions"])
router.add_router("", entries.router, tags=["entries"])
router.add_router("", canvases.router, tags=["canvases"])
router.add_router("", compress.router, tags=["compression"])
router.add_router("", deref.router, tags=["read-back"])
router.add_router("", search.router, tags=["search"])
router.add_router("", offload.router, tags=["offload"])
router.add_router("", audit.router, tags=["audit"])
