"""Path converters: a segment may hold any text, `/` and `%` included, percent-encoded."""

from __future__ import annotations

from urllib.parse import quote, unquote


class SegmentConverter:
    """One path segment, in which `%` and `/` are still encoded (see `offload_site.frontdoor`)."""

    regex = "[^/]+"

    def to_python(self, value: str) -> str:
        return unquote(value, errors="replace")

    def to_url(self, value: str) -> str:
        return quote(value, safe="", errors="replace")
