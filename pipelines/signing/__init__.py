"""Ed25519 keys, signatures, and the exact bytes that are signed."""

from __future__ import annotations
