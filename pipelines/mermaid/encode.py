"""Labels that cannot leave their quotes, whatever the text."""

from __future__ import annotations

import re
import unicodedata

READABLE = frozenset("-_.,:;/()'@+=!?~^|[]{}*%$>&`\\")
"""ASCII besides letters, digits and space that a quoted label draws as it is; shown by the browser tests."""
_MARKERS = frozenset("\u00b0\u00b6\ufb02")
"""Halves of the markers that Mermaid puts in place of entities."""
_TRAPS = re.compile(r"(?<=%)\{|\\(?=n)|&(?=[A-Za-z#])|^`|`$|(?<=st)y(?=le)|(?<=class)D(?=ef)")
"""Readable characters that begin something in Mermaid's own reading: directives, line breaks, style lines."""
_SPELLS = re.compile(r"\$(?=\$)|:(?=fa-)")
"""What turns into formulas and icons even when encoded; a space after the first character stops it."""


def clean(text: str) -> str:
    """Return `text` on one line: controls become spaces, runs of spaces one, surrogates U+FFFD."""
    if not (text.isascii() and text.isprintable()):
        text = "".join(map(_harmless, text))
    return " ".join(text.split())


def encode(text: str) -> str:
    """Return `text` with all but letters, digits and space as `#<codepoint>;`, a space when it is empty."""
    return "".join(char if _plain(char) else f"#{ord(char)};" for char in _still(text)) or " "


def readable(text: str) -> str:
    """Return `text` for a label that a model reads: as `encode`, but safe punctuation stays, `"` is `'`."""
    shown = "".join(
        char if char in READABLE or _plain(char) or _foreign(char) else f"#{ord(char)};"
        for char in _still(text).replace('"', "'")
    )
    return _TRAPS.sub(lambda found: f"#{ord(found[0])};", shown) or " "


def _still(text: str) -> str:
    return _SPELLS.sub(lambda found: f"{found[0]} ", clean(text))


def _plain(char: str) -> bool:
    return char == " " or (char.isalnum() and char not in _MARKERS)


def _foreign(char: str) -> bool:
    return not char.isascii() and char not in _MARKERS


def _harmless(char: str) -> str:
    if char.isascii():
        return char if char.isprintable() else " "
    category = unicodedata.category(char)
    if category == "Cs":
        return "\ufffd"
    # Direction overrides and other format characters would reorder the text around them.
    return " " if category in ("Cc", "Cf", "Zl", "Zp") else char
