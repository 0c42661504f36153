"""Exact bytes over HTTP: with an ETag, byte ranges, and nothing a browser could run."""

from __future__ import annotations

import re

from django.http import HttpRequest, HttpResponse

_RANGE = re.compile(r"bytes=([0-9]*)-([0-9]*)", re.IGNORECASE)
_MOST_DIGITS = 18


def bytes_response(request: HttpRequest, content: bytes, *, sha256: str) -> HttpResponse:
    """Answer with the bytes or the one range asked for (RFC 9110 §14): 206, 416, 304 or 200.

    Several ranges in one request are answered with the whole, as the RFC allows, and so is what is no range.
    """
    etag = f'"{sha256}"'
    held = request.headers.get("If-None-Match", "")
    if etag in held or held.strip() == "*":
        response = HttpResponse(status=304)
    else:
        response = _ranged(request, content, etag)
        response["Content-Type"] = (
            "text/plain; charset=utf-8" if _is_text(content) else "application/octet-stream"
        )
    response["ETag"] = etag
    response["Accept-Ranges"] = "bytes"
    response["X-Content-Type-Options"] = "nosniff"
    response["Cache-Control"] = "private, no-cache"
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    return response


def _ranged(request: HttpRequest, content: bytes, etag: str) -> HttpResponse:
    asked = _RANGE.fullmatch(request.headers.get("Range", ""))
    current = request.headers.get("If-Range", etag) == etag
    if asked is None or not current or not (asked[1] or asked[2]):
        return HttpResponse(content)
    size = len(content)
    if asked[1] and asked[2] and _number(asked[1]) > _number(asked[2]):
        return HttpResponse(content)
    if asked[1]:
        first, last = _number(asked[1]), min(_number(asked[2]) if asked[2] else size, size - 1)
    else:
        first, last = max(size - _number(asked[2]), 0), size - 1
    if first > last or first >= size:
        response = HttpResponse(status=416)
        response["Content-Range"] = f"bytes */{size}"
        return response
    response = HttpResponse(content[first : last + 1], status=206)
    response["Content-Range"] = f"bytes {first}-{last}/{size}"
    return response


def _number(digits: str) -> int:
    """Return the number, or one beyond every content for more digits than anyone counts."""
    significant = digits.lstrip("0")
    return int(significant or "0") if len(significant) <= _MOST_DIGITS else int(10**_MOST_DIGITS)


def _is_text(content: bytes) -> bool:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
