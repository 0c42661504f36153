from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines import rawjson

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(max_size=8), VALUES, max_size=5), st.sampled_from(["", " ", "\n\t "]))
def test_the_span_of_each_member_is_its_exact_text(document: dict[str, Any], gap: str) -> None:
    text = gap + json.dumps(document, separators=(f",{gap}", f"{gap}:{gap}")) + gap
    found = {key: text[start:end] for key, (start, end) in rawjson.document_members(text).items()}
    assert {key: json.loads(part) for key, part in found.items()} == document
    assert all(part == part.strip() for part in found.values())


@given(st.lists(VALUES, max_size=5))
def test_the_span_of_each_element_is_its_exact_text(document: list[Any]) -> None:
    text = json.dumps(document)
    assert [json.loads(text[start:end]) for start, end in rawjson.elements(text)] == document


@given(st.text())
def test_any_text_either_parses_as_the_standard_does_or_is_refused(text: str) -> None:
    try:
        expected = json.loads(text, parse_constant=lambda name: pytest.fail(name))
    except (ValueError, pytest.fail.Exception):
        with pytest.raises(rawjson.JsonSyntaxError):
            rawjson.parse(text)
    else:
        assert rawjson.parse(text) == expected


@pytest.mark.parametrize("text", ["", "{", "[1,]", "{'a': 1}", "NaN", "[Infinity]", "1 2", "[" * 200_000])
def test_what_is_not_json_is_refused_with_a_reason(text: str) -> None:
    with pytest.raises(rawjson.JsonSyntaxError, match=r"."):
        rawjson.parse(text)


@pytest.mark.parametrize(
    "text", ["{", "{} x", '{"a": 1} 2', '{"a"', '{"a" 1}', '{"a": 1', '{"a": 1,}', "[1]", "{a: 1}"]
)
def test_members_of_a_broken_object_are_refused(text: str) -> None:
    with pytest.raises(rawjson.JsonSyntaxError):
        rawjson.document_members(text)


def test_the_last_of_equal_keys_counts() -> None:
    assert {key: end for key, _, end in rawjson.members('{"a": 1, "a": 22}')} == {"a": 16}


def test_an_integer_of_any_length_is_read() -> None:
    assert rawjson.parse("1" * 5000) == float("inf")


@given(VALUES)
def test_what_is_dumped_is_ascii_and_reads_back(value: Any) -> None:
    text = rawjson.dump(value)
    assert text.isascii()
    assert json.loads(text) == value
