from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pipelines import json_spans, rawjson

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=20,
)


def places(value: Any, at: json_spans.Location = ()) -> Iterator[tuple[json_spans.Location, Any]]:
    yield at, value
    children = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, child in children:
        yield from places(child, (*at, key))


@given(VALUES, st.sampled_from([None, 0, 3]), st.booleans())
def test_each_value_stands_where_it_is_said_to(value: Any, indent: int | None, ascii_only: bool) -> None:
    text = f" {json.dumps(value, indent=indent, ensure_ascii=ascii_only)}\r\n"
    found = list(places(value))
    for (_, expected), (start, end) in zip(
        found, json_spans.spans(text, [location for location, _ in found]), strict=True
    ):
        assert text[start:end] == text[start:end].strip(" \r\n")
        assert rawjson.parse(text[start:end]) == expected


def test_of_a_key_that_is_there_twice_the_last_counts() -> None:
    text = '{"a": {"b": 1}, "a" : {"c": 2, "b": [3]}, "a\\u0062": 4}'
    found = json_spans.spans(text, [("a", "b", 0), ("a",), ("a", "c"), ("ab",), (), ("a", "b")])
    assert [text[slice(*span)] for span in found] == ["3", '{"c": 2, "b": [3]}', "2", "4", text, "[3]"]
