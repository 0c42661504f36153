"""How stored bytes are shown on a page: as lines, coloured, cut to a size that a browser can hold."""

from __future__ import annotations
