"""Readers, one per kind of result: each says what was found."""

from __future__ import annotations
