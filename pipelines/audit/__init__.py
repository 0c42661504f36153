"""The audit chain: events that are signed and bound to their place, and the proof that none was touched."""

from __future__ import annotations
