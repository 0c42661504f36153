from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from canvases.fields import escape, unescape

ANY_TEXT = st.text(st.characters(codec=None))


@given(ANY_TEXT)
def test_any_text_comes_back_as_it_was(text: str) -> None:
    assert unescape(escape(text)) == text


@given(ANY_TEXT)
def test_what_is_stored_is_something_every_database_takes(text: str) -> None:
    stored = escape(text)
    assert "\x00" not in stored
    stored.encode("utf-8")


@given(ANY_TEXT, ANY_TEXT)
def test_different_texts_are_stored_differently(one: str, two: str) -> None:
    assert (escape(one) == escape(two)) == (one == two)


@pytest.mark.parametrize("text", ["", "call_1", "世界 🦊", "a/b"])
def test_ordinary_text_is_stored_as_it_is(text: str) -> None:
    assert escape(text) == text
