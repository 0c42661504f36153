"""A stored text as it is searched: what only a terminal or a JSON reader sees through is seen through."""

from __future__ import annotations

import json
import re
from functools import lru_cache

_COLOUR = re.compile(r"\x1b\[[0-9;:?]*[A-Za-z]")
_ESCAPED = re.compile(r"(?<!\\)(?:\\u[0-9a-fA-F]{4})+")


def plain(text: str) -> str:
    """Return the text without colour codes and, when it looks like JSON, with letters for its `\\uXXXX`.

    Its lines stay the same lines: nothing that ends one is added or taken away.
    """
    if "\x1b" in text:
        text = _COLOUR.sub("", text)
    if "\\u" in text and text.lstrip()[:1] in ("{", "[", '"'):
        text = _ESCAPED.sub(lambda found: _letters(found[0]), text)
    return text


def fold(text: str) -> str:
    """Lower the case without changing the length: one letter, the dotted capital I, would become two."""
    return text.replace("\u0130", "i").lower().replace("ς", "σ")


@lru_cache(maxsize=4096)
def _letters(escaped: str) -> str:
    letters = json.loads(f'"{escaped}"')
    return "".join(letter if letter >= "\x80" else f"\\u{ord(letter):04x}" for letter in letters)
