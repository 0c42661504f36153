from __future__ import annotations

from typing import Any

import cbor2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.signing import cbor

TEXTS = st.text(st.characters(codec="utf-8"), max_size=30)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=6),
    max_leaves=20,
)


def key_encodings(value: Any) -> list[bytes]:
    return [cbor2.dumps(key) for key in value]


@given(VALUES)
def test_what_is_encoded_reads_back_as_it_was(value: Any) -> None:
    assert cbor2.loads(cbor.encode(value)) == value


@given(st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=300), st.none(), max_size=12))
def test_keys_stand_in_the_bytewise_order_of_their_encodings(value: dict[str, None]) -> None:
    written = key_encodings(cbor2.loads(cbor.encode(value)))
    assert written == sorted(written)


@given(st.dictionaries(TEXTS, st.integers(-9, 9), min_size=2, max_size=6))
def test_the_order_in_which_keys_come_does_not_matter(value: dict[str, int]) -> None:
    assert cbor.encode(value) == cbor.encode(dict(reversed(value.items())))


def test_the_bytes_are_those_of_the_standard() -> None:
    value = {"": None, "aa": [1, -1, 24], "b": True, "a": "ü", "é": 2**32}
    expected = "a560f6616162c3bc6162f5626161830120181862c3a91b0000000100000000"
    assert cbor.encode(value).hex() == expected


@pytest.mark.parametrize(
    "value", [1.0, float("nan"), {1: 2}, {"a": 1, 2: 3}, 2**63, -(2**63) - 1, {1}, "x".join]
)
def test_what_has_no_one_form_is_refused(value: Any) -> None:
    with pytest.raises(cbor.NotEncodable):
        cbor.encode({"x": [value]})


def test_true_and_one_are_two_things() -> None:
    assert cbor.encode(True) != cbor.encode(1)


def test_lone_surrogates_and_nul_are_encoded_and_told_apart() -> None:
    hostile = ["\ud800", "\udfff", "a\ud800", "\x00", "", "�"]
    assert len({cbor.encode(text) for text in hostile}) == len(hostile)


def test_depth_is_bounded() -> None:
    value: Any = 1
    for _ in range(40):
        value = [value]
    with pytest.raises(cbor.NotEncodable, match="levels"):
        cbor.encode(value)
