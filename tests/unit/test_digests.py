from __future__ import annotations

import pytest

from pipelines import digests


def test_equal_texts_have_one_name_and_others_another() -> None:
    assert digests.of_text("a text") == digests.of_text("a " + "text")
    assert len({digests.of_text(text) for text in ("", "a", "A", "a ", "\ud800", "\ufffd", "\0")}) == 7


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("ab", "c"), ("a", "bc")),
        (("", "a"), ("a", "")),
        (("a",), ("a", "")),
        (("1,1\na", "b"), ("a", "b")),
        (("1\na",), ("a",)),
    ],
)
def test_where_a_field_ends_counts(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    assert digests.of_fields(*one) != digests.of_fields(*other)


def test_a_text_and_its_bytes_are_one_field() -> None:
    assert digests.of_fields("é", b"x") == digests.of_fields("é".encode(), "x")
    assert len(digests.of_fields()) == 32
