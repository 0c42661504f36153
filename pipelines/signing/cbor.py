"""Deterministic CBOR (RFC 8949, 4.2.1) of JSON-like values: one meaning has one byte string."""

from __future__ import annotations

from typing import Any, Final

import cbor2

MAX_INTEGER: Final = 2**63 - 1
MAX_DEPTH: Final = 32


class NotEncodable(ValueError):
    """The value has no one byte form here; the text says which part."""


def encode(value: Any) -> bytes:
    """Return the deterministic CBOR of a value of dicts, lists, texts, bytes, whole numbers, booleans and None.

    Keys are texts, in the bytewise order of their encodings. Whole numbers have 64 bits with sign. A text
    that UTF-8 cannot write (it has a lone surrogate) becomes a byte string, each surrogate as the three bytes
    UTF-8 would give it, so that hostile text is signed like any other. Raises NotEncodable for floats, other
    types, other keys, larger numbers, and more than 32 levels.
    """
    return cbor2.dumps(_ordered(value, 0))


def _ordered(value: Any, depth: int) -> Any:
    kind = type(value)
    if kind is str:
        return _text(value)
    if value is None or kind is bool or kind is bytes:
        return value
    if kind is int:
        if not -MAX_INTEGER - 1 <= value <= MAX_INTEGER:
            raise NotEncodable("a whole number has more than 64 bits")
        return value
    if depth >= MAX_DEPTH:
        raise NotEncodable(f"a value has more than {MAX_DEPTH} levels")
    if kind is list or kind is tuple:
        return [_ordered(item, depth + 1) for item in value]
    if kind is dict:
        if not all(type(key) is str for key in value):
            raise NotEncodable("a key is not a text")
        # Not cbor2's `canonical`, which has the older order of RFC 7049: equal for texts, but only for these.
        # A text's encoding begins with its length, so the shorter key comes first.
        keys = sorted(value, key=_key_order)
        return {key: _ordered(value[key], depth + 1) for key in keys}
    raise NotEncodable(f"{kind.__name__} is no type that can be signed")


def _text(text: str) -> str | bytes:
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode(errors="surrogatepass")
    return text


def _key_order(key: str) -> tuple[int, bytes]:
    try:
        raw = key.encode()
    except UnicodeEncodeError:
        raise NotEncodable("a key has a lone surrogate") from None
    return len(raw), raw
