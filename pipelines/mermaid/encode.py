"""Labels that cannot leave their quotes, whatever the text."""

from __future__ import annotations

import unicodedata

READABLE = frozenset("-_.,:/()'@+=!?~^|[]—–…·→×✓✕▸⏸")
"""Characters besides letters, digits and space that a quoted label draws as they are; shown by the browser tests."""


def clean(text: str) -> str:
    """Return `text` on one line: controls and separators become spaces, runs of spaces one, surrogates U+FFFD."""
    if text.isascii() and text.isprintable():
        return " ".join(text.split())
    return " ".join("".join(map(_harmless, text)).split())


def encode(text: str) -> str:
    """Return `text` with every character but letters, digits and space as `#<codepoint>;`; a space when empty."""
    return "".join(char if _plain(char) else f"#{ord(char)};" for char in clean(text)) or " "


def readable(text: str) -> str:
    """Return `text` for a quoted label that a model reads: as `encode`, but safe punctuation stays as it is."""
    return (
        "".join(char if char in READABLE or _plain(char) else f"#{ord(char)};" for char in clean(text)) or " "
    )


def _plain(char: str) -> bool:
    # The ligature is half of a marker that Mermaid puts in place of an entity.
    return char == " " or (char.isalnum() and char != "ﬂ")


def _harmless(char: str) -> str:
    if char.isascii():
        return char if char.isprintable() else " "
    category = unicodedata.category(char)
    if category == "Cs":
        return "\ufffd"
    # Direction overrides and other format characters would reorder the text around them.
    return " " if category in ("Cc", "Cf", "Zl", "Zp") else char
