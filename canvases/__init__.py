"""The Django app: what is stored, the acts that write it, the reads, the API and the pages."""

from __future__ import annotations
