"""The acts that write: each touches several rows in one transaction."""

from __future__ import annotations
