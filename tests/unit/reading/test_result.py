from __future__ import annotations

import base64
import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from canvases.reading.images import MOST_IMAGES, image_addresses
from canvases.reading.result import pretty_json, read_result
from pipelines.pairs import JSON, TEXT, encode_text

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 40
JPEG = b"\xff\xd8\xff\xe0" + b"\0" * 40
WEBP = b"RIFF\0\0\0\0WEBP" + b"\0" * 40
GIF = b"GIF89a" + b"\0" * 40


def b64(content: bytes) -> str:
    return base64.b64encode(content).decode()


def shown(content: bytes, media_type: str = TEXT, form: str = "") -> str:
    reading = read_result(content, media_type, form)
    return "\n".join("".join(piece.text for piece in line.pieces) for line in reading.excerpt.head)


FORMS: dict[str, tuple[bytes, str, list[str]]] = {
    "text": (b"hello", TEXT, ["text"]),
    "empty": (b"", TEXT, ["text"]),
    "json in text": (b'{"a": 1}', TEXT, ["json", "raw"]),
    "broken json in text": (b'{"a": 1', TEXT, ["text"]),
    "brackets that are no json": (b"[INFO] x [y]", TEXT, ["text"]),
    "json string": (b'"hello"', JSON, ["text", "json", "raw"]),
    "null": (b"null", JSON, ["text", "json", "raw"]),
    "blocks": (b'[{"type": "text", "text": "hi"}]', JSON, ["text", "json", "raw"]),
    "object": (b'{"a": {"b": 1}}', JSON, ["json", "raw"]),
    "binary": (b"\xff\xfe\x00", TEXT, ["hex"]),
    "surrogates": (encode_text("\ud83d"), TEXT, ["text"]),
}


@pytest.mark.parametrize("name", FORMS)
def test_a_result_has_the_forms_that_make_sense(name: str) -> None:
    content, media_type, forms = FORMS[name]
    assert read_result(content, media_type).forms == forms
    for form in [*forms, "nonsense"]:
        reading = read_result(content, media_type, form)
        assert reading.form == (form if form in forms else forms[0])


def test_raw_is_the_text_as_it_was_sent() -> None:
    content = b'{"a":1.50,   "a":2}'
    assert shown(content, JSON, "raw") == content.decode()


@pytest.mark.parametrize("content", [PNG, JPEG, WEBP, GIF])
@pytest.mark.parametrize(
    "wrap",
    [
        lambda data: [
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}
        ],
        lambda data: [{"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}],
        lambda data: {"content": [{"type": "image", "data": data, "mimeType": "text/html"}]},
        lambda data: [{"inlineData": {"mimeType": "image/png", "data": data}}],
        lambda data: f"data:image/svg+xml;base64,{data}",
        lambda data: data,
    ],
)
def test_images_of_every_wrapping_are_found_by_their_bytes(content: bytes, wrap: Any) -> None:
    (address,) = image_addresses(wrap(b64(content)))
    kind, _, data = address.partition(";base64,")
    assert kind in ("data:image/png", "data:image/jpeg", "data:image/webp", "data:image/gif")
    assert base64.b64decode(data) == content


def test_other_kinds_and_links_are_no_images() -> None:
    for value in ("data:image/svg+xml;base64," + b64(b"<svg/>"), "https://x/y.png", {"data": "iVBORw0KGgo!"}):
        assert image_addresses(value) == []


def test_a_page_shows_a_bounded_number_of_images() -> None:
    blocks = [{"type": "image", "data": b64(PNG)}] * 50
    assert len(image_addresses(blocks)) == MOST_IMAGES
    large = [{"type": "image", "data": b64(PNG + b"\0" * 4_000_000)}] * 3
    assert len(image_addresses(large)) == 1


@given(st.binary(max_size=300), st.sampled_from([TEXT, JSON]), st.sampled_from(["", "raw", "json", "hex"]))
def test_any_bytes_are_shown_in_some_way(content: bytes, media_type: str, form: str) -> None:
    assert read_result(content, media_type, form).excerpt.total_lines >= 0


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner)))
def test_any_json_is_shown(value: Any) -> None:
    content = json.dumps(value).encode()
    for form in read_result(content, JSON).forms:
        read_result(content, JSON, form)


def test_deep_json_is_shown() -> None:
    deep: Any = 1
    for _ in range(900):
        deep = [deep]
    assert pretty_json(deep).total_lines >= 1
    content = b"[" * 100_000 + b"]" * 100_000
    assert read_result(content, JSON).form == "text"


def test_sixteen_mebibytes_are_read_quickly() -> None:
    started = time.monotonic()
    for content in (b"x" * 2**24, b"[" * 2**23 + b"]" * 2**23, b"\xff" * 2**24, b"line\n" * 3_000_000):
        read_result(content, JSON)
        read_result(content, TEXT)
    assert time.monotonic() - started < 10
