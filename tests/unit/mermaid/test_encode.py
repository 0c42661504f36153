from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.mermaid.encode import clean, encode, readable

ENTITY = re.compile(r"#\d+;")


def decoded(text: str) -> str:
    return ENTITY.sub(lambda found: chr(int(found[0][1:-1])), text)


@given(text=st.text())
def test_encoded_text_has_only_letters_digits_spaces_and_entities(text: str) -> None:
    assert all(char.isalnum() or char == " " for char in ENTITY.sub("", encode(text)))


@given(text=st.text(alphabet=st.characters(exclude_categories=("Cs",))))
def test_encoding_loses_nothing_but_line_breaks_and_spells(text: str) -> None:
    flat = clean(text)
    if "$$" not in flat and ":fa-" not in flat:
        assert decoded(encode(text)).strip() == flat


@given(text=st.text(alphabet='a<>"#;&`%{$\\\n\x00\ud800°¶ﬂ:style', max_size=60))
def test_readable_text_keeps_no_quote_no_tag_and_no_line_break(text: str) -> None:
    shown = readable(text)
    assert not set(shown) & set('"<\n\r\x00°¶ﬂ')
    assert "%{" not in shown
    assert "$$" not in shown
    shown.encode("utf-8")


@pytest.mark.parametrize("write", [encode, readable])
@pytest.mark.parametrize("text", ["", "   ", "\n\t", "\x00\x07", "\u202e\u200b"])
def test_text_without_anything_to_see_becomes_a_space(write: type, text: str) -> None:
    assert write(text) == " "


def test_readable_text_stays_readable() -> None:
    line = "explore: x/term, don't (v0.39.0) -> 取消 🙂 50% & more; a|b [y/N]"
    assert readable(line) == line


def test_double_quotes_become_single_ones_where_a_model_reads() -> None:
    assert readable('say "yes"') == "say 'yes'"


@pytest.mark.parametrize("text", ["&lt;b&gt;", "a &amp; b", "&#35;"])
def test_what_looks_like_an_entity_does_not_become_one(text: str) -> None:
    assert "&" not in readable(text)
