from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pipelines.mermaid import Header, read_header
from pipelines.mermaid.header import write_header
from tests.unit.mermaid.views import MOMENT


def written(goal: str, progress: int = 40) -> str:
    return write_header(goal=goal, progress=progress, created=MOMENT, updated=MOMENT)


def test_the_header_is_a_comment_with_valid_json() -> None:
    line = written("Test the prompt")
    assert line.startswith('%% {"taskGoal": "Test the prompt", "progress": 40, ')
    assert json.loads(line[3:])["createdTime"] == "2026-01-19T14:02:11Z"


@example(goal="%%{init: {'theme': 'dark'}}%%")
@given(goal=st.text(alphabet=st.characters(exclude_categories=("Cs",)), max_size=200))
def test_any_goal_stays_on_one_line_and_reads_back(goal: str) -> None:
    line = written(goal)
    assert len(line.splitlines()) == 1
    assert "%%" not in line[2:]
    assert read_header(line + "\nflowchart TD\n").goal == goal


def test_half_a_character_in_a_goal_is_escaped() -> None:
    written("a\ud800b").encode("utf-8")


@pytest.mark.parametrize(
    "text",
    [
        '%%{ "taskGoal": "x", "progress": "40", "createdTime": "c", "updatedTime": "u" }%%\nflowchart TD',
        '%%{"taskGoal": "x", "progress (0-100)": "about 40 %", "createdTime": "c", "updatedTime": "u"}%%',
        '%% {"taskGoal": "x", "progress": 40, "createdTime": "c", "updatedTime": "u"}\r\nflowchart TD',
        '\ufeff%%{"taskGoal": "x", "progress": 40, "createdTime": "c", "updatedTime": "u"}%%',
    ],
)
def test_both_forms_are_read(text: str) -> None:
    assert read_header(text) == Header(goal="x", progress=40, created="c", updated="u")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "flowchart TD",
        "%%{ nonsense }%%",
        '%%{ "taskGoal": "x", createdTime": "c" }%%',
        "%% [1, 2]",
        "%% {" + "[" * 50_000,
        '%% {"taskGoal": 5, "progress": null}',
    ],
)
def test_what_is_no_header_reads_as_an_empty_one(text: str) -> None:
    assert read_header(text) == Header()


def test_a_progress_beyond_hundred_is_hundred() -> None:
    assert read_header('%% {"progress": 250}').progress == 100
