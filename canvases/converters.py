"""Path converters: a segment may hold any text, `/` and `%` included, percent-encoded."""

from __future__ import annotations

from urllib.parse import quote, unquote


class SegmentConverter:
    """One path segment, in which `%`, `/` and what is no UTF-8 are still encoded (see `offload_site.frontdoor`).

    A lone surrogate, which JSON can carry into an id, is written as the three bytes that UTF-8 would give it
    (`%ED%A0%80` is U+D800). Other bytes that are no UTF-8 name nothing.
    """

    regex = "[^/]+"

    def to_python(self, value: str) -> str:
        return unquote(value, errors="surrogatepass")

    def to_url(self, value: str) -> str:
        return quote(value, safe="", errors="surrogatepass")
