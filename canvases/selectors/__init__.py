"""The reads: what pages and API show comes from here, once."""

from __future__ import annotations
