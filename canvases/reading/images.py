"""Images inside results, as addresses a page can show without asking anyone."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Any

MOST_IMAGES = 20
MOST_ENCODED_CHARACTERS = 8 * 2**20
_DEPTH = 12
_MAGIC = {
    "image/png": (b"\x89PNG\r\n\x1a\n", 0),
    "image/jpeg": (b"\xff\xd8\xff", 0),
    "image/gif": (b"GIF8", 0),
    "image/webp": (b"WEBP", 8),
}
_DATA_URI = re.compile(r"data:image/[\w.+-]{1,40}(?:;[\w=.+-]{1,60}){0,4};base64,")
_KEYS = ("data", "url", "image_url", "b64_json", "image_data", "blob", "base64")
_BASE64_STARTS = ("iVBORw0KGgo", "/9j/", "R0lGOD", "UklGR")


def image_type(content: bytes) -> str | None:
    """Return the media type of the bytes when they begin as PNG, JPEG, GIF or WebP do."""
    for name, (magic, at) in _MAGIC.items():
        if content[at : at + len(magic)] == magic:
            return name
    return None


def data_address(content: bytes) -> str | None:
    """Return a `data:` address for an image's bytes; None when they are none or too many."""
    name = image_type(content)
    if name is None or len(content) * 4 // 3 > MOST_ENCODED_CHARACTERS:
        return None
    return f"data:{name};base64,{base64.b64encode(content).decode()}"


def image_addresses(value: Any) -> list[str]:
    """Return `data:` addresses of the images in a result, in order, within the limits of a page.

    The type is read from the bytes, never believed: what is not one of the four kinds is left out.
    """
    found: list[str] = []
    room = MOST_ENCODED_CHARACTERS
    for text in _encoded(value, 0):
        if len(found) == MOST_IMAGES:
            break
        if len(text) > room:
            continue
        address = _address(text)
        if address:
            found.append(address)
            room -= len(text)
    return found


def _encoded(value: Any, depth: int) -> Iterator[str]:
    """Yield texts that may be base64 images, with or without `data:` before them."""
    if depth > _DEPTH:
        return
    if isinstance(value, str):
        if depth == 0 and (_DATA_URI.match(value) or value.startswith(_BASE64_STARTS)):
            yield value
    elif isinstance(value, list):
        for item in value:
            yield from _encoded(item, depth + 1)
    elif isinstance(value, dict):
        for key, item in value.items():
            if isinstance(item, str):
                if key in _KEYS and (_DATA_URI.match(item) or item.startswith(_BASE64_STARTS)):
                    yield item
            else:
                yield from _encoded(item, depth + 1)


def _address(text: str) -> str | None:
    found = _DATA_URI.match(text)
    try:
        content = base64.b64decode(text[found.end() :] if found else text, validate=False)
    except (binascii.Error, ValueError):
        return None
    return data_address(content)
