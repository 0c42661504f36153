"""Short names of texts, equal for equal texts."""

from __future__ import annotations

from hashlib import blake2b

_BYTES = 16


def of_text(text: str) -> bytes:
    """Return the name of a text, of any length and with any characters: 16 bytes."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_BYTES).digest()


def of_fields(*fields: str | bytes) -> str:
    """Return the name of a row of fields, 32 hexadecimal digits; where one ends and the next begins counts."""
    parts = [one if isinstance(one, bytes) else one.encode("utf-8", "surrogatepass") for one in fields]
    lengths = ",".join(map(str, map(len, parts))).encode()
    return blake2b(b"\n".join((lengths, *parts)), digest_size=_BYTES).hexdigest()
