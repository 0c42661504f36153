from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.search import query
from pipelines.search.terms import code


@pytest.mark.parametrize(
    ("text", "needles"),
    [
        ("One two", ("one", "two")),
        ("KeyError: (x)", ("keyerror", "x")),
        ("src/app/models.py", ("src/app/models.py",)),
        ('"Exact phrase." more', ("exact phrase.", "more")),
        ('an "unfinished phrase', ("an", "unfinished", "phrase")),
        ("same same", ("same",)),
        ('-> word "!"', ("word",)),
    ],
)
def test_words_and_phrases_are_told_apart(text: str, needles: tuple[str, ...]) -> None:
    assert query.parse(text).needles == needles


def test_clauses_are_written_in_a_databases_language() -> None:
    asked = query.parse("word HTTPServer")
    word, whole, http, server = (code(term) for term in ("word", "httpserver", "http", "server"))
    written = asked.expression(both=" & ", either=" | ", quote="'")
    assert written == f"(('{word}')) & (('{whole}') | ('{http}' & '{server}'))"


@given(st.text(max_size=60))
def test_no_sign_of_a_question_reaches_the_database(text: str) -> None:
    try:
        asked = query.parse(text)
    except query.QueryError:
        return
    assert asked.needles
    assert re.fullmatch("[a-z0-9()&|']+", asked.expression(both="&", either="|", quote="'"))


@pytest.mark.parametrize("text", ["", " ", "...", '"', '""', "x" * 501, " ".join(map(str, range(33)))])
def test_nothing_to_search_for_and_too_much_are_refused(text: str) -> None:
    with pytest.raises(query.QueryError, match="send"):
        query.parse(text)
