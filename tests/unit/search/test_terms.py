from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pipelines.search import places, query, terms
from pipelines.search.plain import plain

TEXTS = st.text(
    st.sampled_from("abcXYZ019_.-/@:\\ \n\"'(nrtİßΣςé世界設定ไทย한국\x1b[m\x00\ud800"), max_size=60
)


def fulfils(text: str, asked: query.Query) -> bool:
    """Say whether the codes of a text are those that the query asks a database for."""
    found = terms.codes(text).codes
    return all(any(found >= set(codes) for codes in clause) for clause in asked.clauses)


@given(TEXTS)
@example("\\nfoo_bar nfoo_bar")
@example("nfoo_bar \\nfoo_bar")
@example("MyHTTPServer.handleRequest")
def test_every_word_of_a_text_finds_it(text: str) -> None:
    text = plain(text)
    for word in terms.words(text):
        asked = query.parse(word.text)
        assert fulfils(text, asked)
        assert places.find(text, asked, most=3)


@given(TEXTS, st.integers(0, 20), st.integers(0, 20))
@example("\\nfoo_bar nfoo_bar", 0, 1)
def test_every_stretch_of_words_finds_the_text(text: str, first: int, count: int) -> None:
    text = plain(text)
    found = list(terms.words(text))[first : first + count + 1]
    if not found:
        return
    stretch = text[found[0].start : found[-1].end]
    if '"' in stretch:
        return
    asked = query.parse(f'"{stretch.swapcase() if stretch.isascii() else stretch}"')
    assert places.find(text, asked, most=1)
    if stretch.isascii():
        asked = query.parse(f'"{stretch}"')
    assert fulfils(text, asked)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("HTTPServer", ["http", "server"]),
        ("parseHeader", ["parse", "header"]),
        ("sha256Sum", ["sha256", "sum"]),
        ("KeyError", ["key", "error"]),
        ("plain", ["plain"]),
        ("LOUD", ["loud"]),
        ("0x7f3a", ["0x7f3a"]),
    ],
)
def test_a_word_is_parted_at_its_capitals(text: str, parts: list[str]) -> None:
    [word] = terms.words(text)
    assert word.parts == parts


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("models.User", "app.models.UserProfile"),
        ("parse_header", "MyParser.doParse_headerFields"),
        ("foo_bar", "say\\nfoo_bar nfoo_bar"),
        ("foo_bar", "nfoo_bar say\\nfoo_bar"),
        ("new", "C:\\new\\table"),
        ("table", "C:\\new\\table"),
        ("HTTPServer.close", "MyHTTPServer.close()"),
        ("世", "你好世界"),
        ("好世", "你好世界"),
        ("straße", "STRAßE"),
        ("ΟΔΟΣ", "οδος"),
        ("istanbul", "İstanbul"),
    ],
)
def test_part_of_a_name_finds_it(asked: str, text: str) -> None:
    found = query.parse(asked)
    assert fulfils(text, found)
    assert places.find(text, found, most=1)


def test_the_number_of_terms_is_bounded_and_it_is_said() -> None:
    many = " ".join(f"{n:x}" for n in range(terms.MOST_TERMS * 2))
    found = terms.codes(many)
    assert found.cut
    assert len(found.codes) == terms.MOST_TERMS
    assert not terms.codes("few words").cut


def test_a_code_is_four_digits_or_letters_and_stays_the_same() -> None:
    """They are in databases: other codes would leave what is indexed unfound."""
    made = [terms.code(term) for term in ("parse", "header", "\ud800", "世界")]
    assert made == ["iyw6", "34lk", "8s3d", "9dfz"]
