from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.l15.likeness import words
from pipelines.l15.prompts import goal_of, label_of, spoken
from pipelines.l15.replies import agrees, carries_on, starts_over
from tests.unit.l2.making import edit
from tests.unit.l15.cases import verdict


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Fix the resume prompt, please", "fix-resume-prompt"),
        ("okay, let's try the pty approach (creack/pty is MIT)", "pty-approach-creack-mit"),
        ("继续修复 resume 的提示", "resume"),
        ("添加深色主题", "task"),
        ("yes", "task"),
        ("", "task"),
        ("12345", "task"),
    ],
)
def test_a_label_is_a_few_words(text: str, label: str) -> None:
    assert label_of(text) == label


def test_a_label_falls_back_to_what_was_touched() -> None:
    assert verdict("添加深色主题", edit(1, "web/theme/dark.css")).label == "web-theme-dark-css"


@given(text=st.text(max_size=200))
def test_labels_are_always_short_and_plain(text: str) -> None:
    assert re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", label_of(text))
    assert len(label_of(text)) <= 30


@given(text=st.text(max_size=600))
def test_goals_are_one_short_line(text: str) -> None:
    goal = goal_of(text)
    assert len(goal) <= 160
    assert len(goal.splitlines()) <= 1


@pytest.mark.parametrize(
    ("text", "goal"),
    [
        ("Fix the prompt.\n\nIt hangs.", "Fix the prompt. It hangs."),
        (
            "<command-message>review</command-message>\n<command-name>/review</command-name>\n<command-args>12</command-args>",
            "/review 12",
        ),
        ("<system-reminder>be quiet</system-reminder>Fix the prompt", "Fix the prompt"),
        (
            "We solve an issue of a repository.\nISSUE:\nTimeDelta loses precision\nmore text",
            "TimeDelta loses precision",
        ),
        ("<pr_description>\nConsider this description:\nGroup by is wrong\nbecause", "Group by is wrong"),
        (
            "--- FAIL: TestA (0.1s)\n    a_test.go:3: boom\nwhy does this one fail now?",
            "why does this one fail now?",
        ),
        (
            "<files>\n/srv/x\n</files>\nThe parser loses a line.\nBe thorough and quick.",
            "The parser loses a line.",
        ),
        ("先看一下日志，然后修复", "先看一下日志，然后修复"),
    ],
)
def test_a_goal_is_what_is_asked(text: str, goal: str) -> None:
    assert goal_of(text) == goal


def test_a_long_prompt_is_cut_after_a_sentence() -> None:
    text = "Please add a page that lists all settings with their defaults. " + "More words follow here. " * 20
    assert goal_of(
        text
    ) == "Please add a page that lists all settings with their defaults. More words follow here." or (
        goal_of(text).endswith(".")
    )


@pytest.mark.parametrize("text", ["yes", "OK!", "好", "はい。", "go on", "please continue"])
def test_agreement_is_known(text: str) -> None:
    assert agrees(text)


@pytest.mark.parametrize(
    "text", ["yes, and write a page", "continue with the parser of the other format", ""]
)
def test_more_than_agreement_is_no_agreement(text: str) -> None:
    assert not agrees(text)


def test_a_new_task_in_so_many_words_is_no_correction() -> None:
    assert starts_over("No, forget that, new task")
    assert not carries_on("No, forget that, new task")


@pytest.mark.parametrize(
    "text",
    [
        "<command-name>" * 5000,
        "ok " * 30_000,
        "<system-reminder>" * 9000,
        "a" * 1_000_000,
        "继" * 300_000,
        "no, " * 99_999,
    ],
)
def test_huge_prompts_are_read_in_no_time(text: str) -> None:
    began = time.perf_counter()
    verdict(text, edit(1, "a.go"))
    words(text)
    spoken(text)
    assert time.perf_counter() - began < 1


@given(text=st.text(alphabet='\x00\ud800<>/-_"\n继😀a ', max_size=80))
def test_hostile_prompts_never_raise(text: str) -> None:
    found = verdict([text, text], edit(1, text, call=text))
    assert found.reason
