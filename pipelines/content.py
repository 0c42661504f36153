"""Tool results of any shape as text: blocks flattened, images and other binary as short marks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

MAX_DEPTH = 40
_BINARY_KEYS = {"data", "blob", "base64", "b64_json", "bytes", "file_data", "image_data"}
_MAGIC = {
    "iVBORw0KGgo": "image/png",
    "/9j/": "image/jpeg",
    "R0lGOD": "image/gif",
    "UklGR": "image/webp",
    "JVBERi0": "application/pdf",
    "UEsDB": "application/zip",
    "H4sI": "application/gzip",
}
_DATA_URI = re.compile(
    r"data:([\w.+-]{1,60}/[\w.+-]{1,80})((?:;[\w=.+-]{1,60}){0,4});base64,([A-Za-z0-9+/_=-]*)"
)
_BASE64 = re.compile(r"[A-Za-z0-9+/_\r\n-]{64,}={0,2}\s{0,4}")
_TEXT_KEYS = ("text", "output", "content", "result", "message", "value")
_NOT_TEXT_TYPES = {"image", "image_url", "input_image", "audio", "input_audio", "video", "document", "file"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Media:
    """A part of a result that is bytes and not text."""

    media_type: str
    size_bytes: int | None
    """None when the part is only a link."""

    def mark(self) -> str:
        """Return the short text that stands for the part, such as `[image/png, 12 345 bytes]`."""
        if self.size_bytes is None:
            return f"[{self.media_type}]"
        return f"[{self.media_type}, {spaced(self.size_bytes)} bytes]"


def spaced(number: int) -> str:
    """Write a number with a space between thousands: 12345 as `12 345`."""
    return f"{number:,}".replace(",", " ")


def text_of(result: Any) -> str:
    """Flatten a result to text: blocks of OpenAI, Anthropic, MCP or Gemini shape, a dict, a number, null.

    A string is returned as it is unless the whole of it is one base64 file. Other JSON is written with one
    space of indentation. Base64 never comes through: a mark with media type and size stands for it. Never
    raises; what lies deeper than 40 levels is marked as left out.
    """
    if isinstance(result, str):
        media = _whole_string_media(result)
        return media.mark() if media else result
    return "\n".join(part.mark() if isinstance(part, Media) else part for part in _parts(result, 0))


def is_blocks(result: Any) -> bool:
    """Say whether a JSON result is content blocks, as model APIs and MCP write them (a list, one alone, or under
    `content`), rather than data of its own."""
    if isinstance(result, list):
        return bool(result) and all(
            isinstance(one, dict) and (_is_block(one) or isinstance(one.get("type"), str)) for one in result
        )
    if not isinstance(result, dict):
        return False
    alone = "type" in result or "functionResponse" in result or "inlineData" in result
    return (alone and _is_block(result)) or (isinstance(result.get("content"), list) and _is_envelope(result))


def media_of(result: Any) -> tuple[Media, ...]:
    """List the images and other binary parts of a result, in order."""
    if isinstance(result, str):
        media = _whole_string_media(result)
        return (media,) if media else ()
    return tuple(part for part in _parts(result, 0) if isinstance(part, Media))


def without_data_uris(text: str) -> str:
    """Replace base64 `data:` addresses inside a text with their marks."""
    if ";base64," not in text:
        return text
    return _DATA_URI.sub(lambda found: _encoded(found[1], found[3]).mark(), text)


def _parts(value: Any, depth: int) -> Iterator[str | Media]:
    if value is None:
        return
    if isinstance(value, str):
        yield without_data_uris(value)
    elif depth > MAX_DEPTH:
        yield "[deeper levels left out]"
    elif isinstance(value, list) and value and all(_is_block(item) for item in value):
        for item in value:
            yield from _block(item, depth + 1)
    elif isinstance(value, dict) and (_is_block(value) or _is_envelope(value)):
        yield from _block(value, depth + 1)
    else:
        yield _json_text(value)


def _is_block(value: Any) -> bool:
    if isinstance(value, str):
        return True
    if not isinstance(value, dict):
        return False
    if "functionResponse" in value or "inlineData" in value or set(value) == {"text"}:
        return True
    kind = value.get("type")
    if not isinstance(kind, str):
        return False
    return kind in _READERS or (kind.endswith(("_result", "text")) and bool({"text", "content"} & set(value)))


def _is_envelope(value: dict[str, Any]) -> bool:
    content = value.get("content")
    if isinstance(content, list) and content and all(isinstance(i, dict) and _is_block(i) for i in content):
        return True
    return isinstance(value.get("stdout"), str) and isinstance(value.get("stderr", ""), str)


def _block(block: Any, depth: int) -> Iterator[str | Media]:
    if isinstance(block, str):
        yield without_data_uris(block)
        return
    if "functionResponse" in block:
        response = block["functionResponse"]
        yield from _inner(
            response.get("response", response) if isinstance(response, dict) else response, depth
        )
        return
    if "inlineData" in block and isinstance(block["inlineData"], dict):
        inline = block["inlineData"]
        yield _encoded(str(inline.get("mimeType", "")), str(inline.get("data", "")))
        return
    if isinstance(block.get("stdout"), str):
        yield from (block[key] for key in ("stdout", "stderr") if block.get(key))
        return
    reader = _READERS.get(block.get("type", ""))
    yield from reader(block, depth) if reader else _inner(block, depth)


def _inner(block: Any, depth: int) -> Iterator[str | Media]:
    """Read a block by the field that holds its text, or write it out when there is none."""
    if isinstance(block, dict):
        for key in _TEXT_KEYS:
            if block.get(key) is not None:
                yield from _parts(block[key], depth)
                return
        yield _json_text(block)
        return
    yield from _parts(block, depth)


def _file_block(block: dict[str, Any], depth: int) -> Iterator[str | Media]:
    """Read `{"type": "text", "file": {...}}` and plain text blocks."""
    held = block.get("file")
    yield from _inner(held if isinstance(held, dict) and "text" not in block else block, depth)


def _media_block(block: dict[str, Any], depth: int) -> Iterator[str | Media]:
    kind = str(block.get("type"))
    source = next(
        (block[k] for k in ("source", "image_url", "input_audio", "file", "document") if block.get(k)), block
    )
    if isinstance(source, str):
        source = {"url": source}
    if not isinstance(source, dict):
        yield Media(media_type=kind, size_bytes=None)
        return
    if source.get("type") in ("text", "content") or (kind == "document" and "text" in source):
        yield from _parts(source.get("data") or source.get("content") or source.get("text"), depth)
        return
    name = str(source.get("media_type") or source.get("mimeType") or source.get("mime_type") or "")
    if not name and isinstance(source.get("format"), str):
        name = f"audio/{source['format']}"
    data = next((source[k] for k in (*_BINARY_KEYS, "url") if isinstance(source.get(k), str)), "")
    found = _DATA_URI.match(data)
    if found:
        yield _encoded(found[1], found[3])
    elif not data or data.startswith(("http:", "https:", "file:")):
        yield Media(media_type=name or kind.removesuffix("_url"), size_bytes=None)
        if data:
            yield data[:300]
    else:
        yield _encoded(name or kind.removesuffix("_url"), data)


def _resource_block(block: dict[str, Any], depth: int) -> Iterator[str | Media]:
    held = block.get("resource")
    resource = held if isinstance(held, dict) else block
    if resource.get("uri"):
        yield f"[resource {str(resource['uri'])[:300]}]"
    if isinstance(resource.get("blob"), str):
        yield _encoded(str(resource.get("mimeType") or "application/octet-stream"), resource["blob"])
    elif resource.get("text") is not None:
        yield from _parts(resource["text"], depth)


def _reference_block(block: dict[str, Any], depth: int) -> Iterator[str | Media]:
    yield f"[tool {str(block.get('tool_name') or block.get('name') or '')[:200]}]"


def _json_text(value: Any) -> str:
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    return json.dumps(_tame(value, "", 0), ensure_ascii=False, indent=1, default=str)


def _tame(value: Any, key: str, depth: int) -> Any:
    if isinstance(value, str):
        if len(value) >= 64 and key.lower() in _BINARY_KEYS and _BASE64.fullmatch(value):
            return _encoded("", value).mark()
        media = _whole_string_media(value)
        return media.mark() if media else without_data_uris(value)
    if depth > MAX_DEPTH and isinstance(value, dict | list):
        return "[deeper levels left out]"
    if isinstance(value, dict):
        return {str(name): _tame(item, str(name), depth + 1) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_tame(item, key, depth + 1) for item in value]
    return value


def _whole_string_media(text: str) -> Media | None:
    if len(text) < 64:
        return None
    if text.startswith("data:"):
        found = _DATA_URI.fullmatch(text)
        return _encoded(found[1], found[3]) if found else None
    for magic in _MAGIC:
        if text.startswith(magic) and _BASE64.fullmatch(text):
            return _encoded("", text)
    return None


def _encoded(media_type: str, data: str) -> Media:
    guessed = next((name for magic, name in _MAGIC.items() if data.startswith(magic)), "")
    body = data.rstrip("=\r\n ")
    breaks = body.count("\n") + body.count("\r")
    return Media(
        media_type=media_type[:100] or guessed or "application/octet-stream",
        size_bytes=(len(body) - breaks) * 3 // 4,
    )


_READERS = {
    "text": _file_block,
    "input_text": _file_block,
    "output_text": _file_block,
    "tool_result": _file_block,
    "refusal": _inner,
    "resource": _resource_block,
    "resource_link": _resource_block,
    "tool_reference": _reference_block,
    **dict.fromkeys(_NOT_TEXT_TYPES, _media_block),
}
