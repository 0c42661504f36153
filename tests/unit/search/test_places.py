from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pipelines.search import places, query
from pipelines.search.plain import fold, plain


def find(text: str, asked: str, most: int = 3) -> list[places.Place]:
    return places.find(text, query.parse(asked), most=most)


def test_lines_with_more_of_the_words_are_chosen_and_shown_in_order() -> None:
    text = "alpha\nbeta\nnothing\nbeta alpha\nalpha beta\n"
    assert [place.line for place in find(text, "alpha beta", most=2)] == [4, 5]
    assert [place.line for place in find(text, "alpha beta")] == [1, 4, 5]
    assert find(text, "alpha gamma") == []


def test_marks_are_the_matches_and_overlapping_ones_are_one() -> None:
    [place] = find("see parse_header: parse it", "parse_header header parse")
    assert place.marks == [(4, 16), (18, 23)]
    assert place.at == 4


def test_a_word_inside_another_is_no_match() -> None:
    assert find("headers of preparse parser", "parse") == []
    assert [place.marks for place in find("headers doParse parse_it", "parse")] == [[(10, 15), (16, 21)]]


def test_a_phrase_longer_than_an_excerpt_is_marked_as_far_as_it_is_shown() -> None:
    phrase = "word " * 90 + "end"
    [place] = find("x " * 200 + phrase + " y" * 200, f'"{phrase}"')
    assert len(place.excerpt) == places.LONGEST_EXCERPT
    assert place.marks[-1][1] == places.LONGEST_EXCERPT


def test_a_phrase_over_two_lines_is_found_at_its_first() -> None:
    [place] = find("one\ntwo three\nfour\n", '"three\nfour"')
    assert (place.line, place.excerpt, place.marks) == (2, "two three", [(4, 9)])


@given(st.text(max_size=200), st.text(max_size=10))
def test_excerpts_are_parts_of_their_lines_and_marks_lie_within(text: str, asked: str) -> None:
    try:
        found = find(text, asked)
    except query.QueryError:
        return
    for place in found:
        assert place.excerpt in text.split("\n")[place.line - 1]
        assert all(0 <= start < end <= len(place.excerpt) for start, end in place.marks)


@given(st.text())
def test_folding_and_plain_text_keep_places_and_lines(text: str) -> None:
    assert len(fold(text)) == len(text)
    assert plain(text).count("\n") == text.count("\n")


def test_colour_codes_go_and_escaped_letters_of_json_are_read() -> None:
    assert plain("\x1b[1;31mred\x1b[0m") == "red"
    assert plain('{"a": "\\u4e16\\u754c \\ud83e\\udd8a \\n \\u000a \\\\u4e16"}') == (
        '{"a": "世界 🦊 \\n \\u000a \\\\u4e16"}'
    )
    assert plain("code '\\u4e16'") == "code '\\u4e16'"
