"""The pages: a view finds, permits, selects, builds context, renders."""

from __future__ import annotations
