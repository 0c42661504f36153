from __future__ import annotations

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.content import Media, is_blocks, media_of, spaced, text_of, without_data_uris

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(12_337)).decode()
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@pytest.mark.parametrize(
    ("result", "text"),
    [
        ("as it is\n", "as it is\n"),
        (None, ""),
        (42, "42"),
        (True, "true"),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "a\nb"),
        ({"type": "text", "text": "alone"}, "alone"),
        ([{"type": "input_text", "text": "a"}, {"type": "output_text", "text": "b"}], "a\nb"),
        ({"content": [{"type": "text", "text": "mcp"}], "isError": False}, "mcp"),
        ([{"type": "tool_result", "content": [{"type": "text", "text": "nested"}]}], "nested"),
        ([{"type": "tool_reference", "tool_name": "grep"}], "[tool grep]"),
        (
            [{"type": "resource", "resource": {"uri": "file:///a.txt", "text": "held"}}],
            "[resource file:///a.txt]\nheld",
        ),
        ([{"functionResponse": {"name": "read", "response": {"output": "said"}}}], "said"),
        ({"stdout": "out", "stderr": "err", "interrupted": False}, "out\nerr"),
        (["plain", "strings"], "plain\nstrings"),
        ([], "[]"),
        ({}, "{}"),
        ([{"id": 1}], '[\n {\n  "id": 1\n }\n]'),
    ],
)
def test_every_shape_of_result_flattens_to_its_text(result: object, text: str) -> None:
    assert text_of(result) == text


@pytest.mark.parametrize(
    "block",
    [
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}},
        {"type": "image", "data": PNG, "mimeType": "image/png"},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}},
        {"type": "input_image", "image_url": f"data:image/png;base64,{PNG}"},
        {"inlineData": {"mimeType": "image/png", "data": PNG}},
        {"type": "resource", "resource": {"blob": PNG, "mimeType": "image/png"}},
    ],
)
def test_an_image_becomes_a_mark_with_its_size(block: dict[str, object]) -> None:
    assert text_of([block]) == "[image/png, 12 345 bytes]"
    assert media_of([block]) == (Media(media_type="image/png", size_bytes=12_345),)


@pytest.mark.parametrize(
    "result", [{"screenshot": {"data": PNG}}, {"page": PNG}, PNG, f"data:image/png;base64,{PNG}"]
)
def test_base64_never_comes_through(result: object) -> None:
    assert len(text_of(result)) < 100
    assert "image/png, 12 345 bytes" in text_of(result)


def test_a_link_to_an_image_is_kept_as_a_link() -> None:
    assert (
        text_of([{"type": "image_url", "image_url": {"url": "https://x/a.png"}}])
        == "[image]\nhttps://x/a.png"
    )


def test_text_beside_an_image_is_kept() -> None:
    blocks = [{"type": "text", "text": "seen"}, {"type": "image", "data": PNG, "mimeType": "image/png"}]
    assert text_of(blocks) == "seen\n[image/png, 12 345 bytes]"


def test_a_plain_text_of_one_letter_is_no_binary() -> None:
    assert text_of("a" * 100_000) == "a" * 100_000
    assert media_of("a" * 100_000) == ()


def test_data_addresses_inside_a_text_become_marks() -> None:
    assert (
        without_data_uris(f"<img src='data:image/png;base64,{PNG}'>")
        == "<img src='[image/png, 12 345 bytes]'>"
    )


def test_thousands_are_spaced() -> None:
    assert [spaced(n) for n in (7, 1234, 12_345_678)] == ["7", "1 234", "12 345 678"]


def test_a_deeply_nested_result_does_not_raise() -> None:
    deep: object = "bottom"
    for _ in range(5_000):
        deep = {"content": [{"type": "tool_result", "content": deep}]}
    assert "left out" in text_of(deep)
    for _ in range(5_000):
        deep = [deep]
    assert "left out" in text_of({"x": deep})


@given(JSON_VALUES)
def test_any_json_value_has_a_text(value: object) -> None:
    assert isinstance(text_of(value), str)
    assert all(part.mark().startswith("[") for part in media_of(value))


@given(st.dictionaries(st.text(min_size=1), st.text(max_size=40), min_size=1))
def test_an_object_that_is_no_block_keeps_every_value(value: dict[str, str]) -> None:
    if not {"type", "functionResponse", "inlineData", "stdout", "text"} & set(value):
        assert json.loads(text_of(value)) == value


@pytest.mark.parametrize(
    ("result", "blocks"),
    [
        ([{"type": "text", "text": "a"}], True),
        ({"type": "text", "text": "a"}, True),
        ({"content": [{"type": "text", "text": "a"}]}, True),
        ([{"functionResponse": {"response": 1}}], True),
        ([{"type": "mystery", "data": "a"}], True),
        ({"content": "a"}, False),
        ({"content": []}, False),
        ({"content": [1]}, False),
        ({"text": "a"}, False),
        ({"type": "commit", "id": 1}, False),
        ({"stdout": "a", "stderr": ""}, False),
        ({"stdout": "a", "content": 1}, False),
        (["a"], False),
        ([{"type": 1}], False),
        ([], False),
        ({}, False),
        ("a", False),
        (None, False),
    ],
)
def test_blocks_are_told_from_data(result: object, blocks: bool) -> None:
    assert is_blocks(result) is blocks


@given(JSON_VALUES)
def test_any_json_value_is_blocks_or_not(value: object) -> None:
    assert is_blocks(value) in (True, False)
