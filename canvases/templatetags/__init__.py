"""How values look on a page."""

from __future__ import annotations
