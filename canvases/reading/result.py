"""A result as a page shows it: as text, as indented JSON, as it was sent, as images, or as hex digits."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from canvases.reading.ansi import Piece
from canvases.reading.images import data_address, image_addresses
from canvases.reading.lines import Excerpt, excerpt, json_coloured
from pipelines import rawjson
from pipelines.content import text_of
from pipelines.pairs import JSON, decode_text

PARSED_BYTES = 2**20
HEX_BYTES = 2048
_HEX_WIDTH = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What the page shows of a content in one of its forms."""

    form: str
    """text, json, raw or hex."""
    forms: list[str]
    """The forms there are; the first is the default."""
    excerpt: Excerpt
    images: list[str] = field(default_factory=list)


def read_result(content: bytes, media_type: str, form: str = "") -> Reading:
    """Return the content in the wanted form, or in its first when it has no such form. Never raises."""
    text = decode_text(content)
    if text is None:
        image = data_address(content)
        lines = excerpt(_hex(content[:HEX_BYTES]), _plain)
        return Reading(form="hex", forms=["hex"], excerpt=lines, images=[image] if image else [])
    value, is_json = _parsed(text, media_type, len(content))
    forms = _forms(value, is_json)
    chosen = form if form in forms else forms[0]
    images = image_addresses(value if is_json else text)
    if chosen == "json":
        return Reading(form=chosen, forms=forms, excerpt=pretty_json(value), images=images)
    shown = text if chosen == "raw" else text_of(value if is_json else text)
    return Reading(form=chosen, forms=forms, excerpt=excerpt(shown), images=images)


def pretty_json(value: Any) -> Excerpt:
    """Return a JSON value as indented lines; one nested too deeply for that on a single line."""
    try:
        text = json.dumps(value, ensure_ascii=False, indent=2)
    except RecursionError:
        text = rawjson.dump(value)
    return excerpt(text, json_coloured)


def _forms(value: Any, is_json: bool) -> list[str]:
    if not is_json:
        return ["text", "raw"] if isinstance(value, str) and text_of(value) != value else ["text"]
    flat = text_of(value)
    if isinstance(value, dict | list) and flat.lstrip()[:1] in ("{", "["):
        return ["json", "raw"]
    return ["text", "json", "raw"]


def _parsed(text: str, media_type: str, size: int) -> tuple[Any, bool]:
    """Return the JSON value and True where the text is one: by its media type, or an object or array in text."""
    looks = media_type == JSON or (text.lstrip()[:1] in ("{", "[") and text.rstrip()[-1:] in ("}", "]"))
    if not looks or size > PARSED_BYTES:
        return text, False
    try:
        return rawjson.parse(text), True
    except rawjson.JsonSyntaxError:
        return text, False


def _plain(lines: Any) -> Any:
    return ([Piece(line)] for line in lines)


def _hex(content: bytes) -> str:
    rows = []
    for at in range(0, len(content), _HEX_WIDTH):
        row = content[at : at + _HEX_WIDTH]
        readable = "".join(chr(byte) if 32 <= byte < 127 else "·" for byte in row)
        rows.append(f"{at:08x}  {row.hex(' '):<47}  {readable}")
    return "\n".join(rows)
