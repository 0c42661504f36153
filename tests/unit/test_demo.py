from __future__ import annotations

import os
import re
import time
from pathlib import Path

import pytest

from canvases import demo
from canvases.demo.tools import Tools
from pipelines.pairs import PostedPair
from pipelines.transcripts import PromptSeen


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> list[demo.DemoEvent]:
    return list(demo.run_task(tmp_path_factory.mktemp("demo")))


def calls(story: list[demo.DemoEvent]) -> list[PostedPair]:
    return [event for event in story if isinstance(event, PostedPair)]


def output(pair: PostedPair) -> str:
    return pair.content.decode()


def runs_of(story: list[demo.DemoEvent], words: str) -> list[PostedPair]:
    return [pair for pair in calls(story) if words in str(pair.params.get("command"))]


def test_the_story_has_three_prompts_with_work_after_each(story: list[demo.DemoEvent]) -> None:
    places = [place for place, event in enumerate(story) if isinstance(event, PromptSeen)]
    lengths = [end - start - 1 for start, end in zip(places, [*places[1:], len(story)], strict=True)]
    assert places[0] == 0
    assert lengths[0] > lengths[1] > lengths[2] >= 1
    assert 25 <= len(calls(story)) <= 40


def test_the_tests_really_fail_fail_differently_and_pass(story: list[demo.DemoEvent]) -> None:
    verdicts = [output(pair).strip().splitlines()[-1] for pair in runs_of(story, "unittest")]
    assert verdicts == ["FAILED (failures=2)", "FAILED (failures=1)", "OK", "FAILED (errors=1)", "OK"]
    flags = [(pair.is_error, output(pair).startswith("Exit code 1\n")) for pair in runs_of(story, "unittest")]
    assert flags == [(True, True), (True, True), (False, False), (True, True), (False, False)]


def test_the_first_fix_is_a_dead_end_that_leaves_another_test_failing(story: list[demo.DemoEvent]) -> None:
    first, second = (output(pair) for pair in runs_of(story, "unittest")[:2])
    assert "FAIL: test_hundredths_of_an_hour" in first
    assert "FAIL: test_hundredths_of_an_hour" not in second
    assert "FAIL: test_half_a_minute_counts_as_one" in second


def test_no_other_call_fails(story: list[demo.DemoEvent]) -> None:
    failed = {pair.tool_call_id for pair in calls(story) if pair.is_error}
    assert failed == {pair.tool_call_id for pair in runs_of(story, "unittest") if pair.is_error}
    assert len(failed) == 3


def test_the_outputs_are_those_of_the_work_done(story: list[demo.DemoEvent]) -> None:
    (check,) = runs_of(story, "check")
    assert output(check) == "0 of 264 entries differ, 0 minutes are missing\n"
    (sums,) = runs_of(story, "print(2.05")
    assert output(sums) == "122.99999999999999 122\n"
    (totals,) = runs_of(story, "totals sheets")
    assert re.fullmatch(r"(?:[\w& ]+ +\d+h\d\dm in \d+ entries\n){5}", output(totals))
    assert all("Compiling 'hourly/durations.py'" in output(pair) for pair in runs_of(story, "compileall"))


def test_some_outputs_are_large_enough_to_be_offloaded(story: list[demo.DemoEvent]) -> None:
    sizes = sorted((len(pair.content) for pair in calls(story)), reverse=True)
    assert sizes[0] > 20_000
    assert sizes[1] > 10_000


def test_calls_look_like_a_coding_agents(story: list[demo.DemoEvent]) -> None:
    assert {pair.tool_name for pair in calls(story)} == {
        "Bash",
        "Edit",
        "Glob",
        "Grep",
        "Read",
        "TodoWrite",
        "Write",
    }
    assert len({pair.tool_call_id for pair in calls(story)}) == len(calls(story))
    read = next(pair for pair in calls(story) if pair.params.get("file_path") == "hourly/durations.py")
    assert output(read).startswith('     1→"""Durations as people write them on a time sheet."""\n')
    hits = next(pair for pair in calls(story) if pair.params.get("pattern") == "parse_minutes")
    assert "hourly/durations.py:12:def parse_minutes(text):\n" in output(hits)


def test_the_plan_ends_with_everything_done(story: list[demo.DemoEvent]) -> None:
    plans = [pair.params["todos"] for pair in calls(story) if pair.tool_name == "TodoWrite"]
    assert [item["status"] for item in plans[0]] == ["in_progress", "pending", "pending"]
    assert [item["status"] for item in plans[-1]] == ["completed"] * 3


def test_times_are_real_and_in_order(story: list[demo.DemoEvent]) -> None:
    times = [event.timestamp for event in story]
    assert all(moment is not None and moment.tzinfo is not None for moment in times)
    assert times == sorted(times)  # type: ignore[type-var]
    assert all(pair.duration_ms is not None and pair.duration_ms >= 0 for pair in calls(story))
    assert max(pair.duration_ms or 0 for pair in calls(story)) > 0


def test_a_second_run_tells_the_same_story(story: list[demo.DemoEvent], tmp_path: Path) -> None:
    def told(events: list[demo.DemoEvent]) -> list[tuple[str, str]]:
        varying = re.compile(r"in \d\.\d+s|/\S*hourly-demo|\[main [^]]*\]")
        return [(str(pair.params), varying.sub("", output(pair))) for pair in calls(events)]

    assert told(list(demo.run_task(tmp_path))) == told(story)


def test_it_takes_little_time_and_leaves_nothing_behind(tmp_path: Path) -> None:
    began = time.perf_counter()
    assert len(list(demo.run_task(tmp_path))) > 25
    assert time.perf_counter() - began < 15
    assert os.listdir(tmp_path) == []


def test_stopping_early_leaves_nothing_behind(tmp_path: Path) -> None:
    events = demo.run_task(tmp_path)
    for _ in range(5):
        next(events)
    assert os.listdir(tmp_path) == ["hourly-demo"]
    events.close()  # type: ignore[attr-defined]
    assert os.listdir(tmp_path) == []


def test_nothing_but_python_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    events = list(demo.run_task(tmp_path))
    assert runs_of(events, "git") == []
    assert len(calls(events)) >= 25
    assert sum(bool(pair.is_error) for pair in calls(events)) == 3
    hits = next(pair for pair in calls(events) if pair.params.get("pattern") == "WARN")
    assert output(hits).count("the sheet states") > 20


def test_the_search_gives_the_same_hits_with_and_without_grep(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    demo.project.write_project(tmp_path)
    tools = Tools(tmp_path)
    asked = [("parse_minutes", "."), ("def [a-z]+", "hourly"), ("2h", "sheets/2026-03.csv"), ("nowhere", ".")]
    found = [output(tools.grep(*words)) for words in asked]
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    assert [output(tools.grep(*words)) for words in asked] == found
    assert found[-1] == "No matches found"


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("python -c \"print('a')\" && python -c \"print('b')\"", "a\nb\n"),
        ('python -c "raise SystemExit(3)" && python -c "print(\'b\')"', "Exit code 3\n"),
        ("no-such-program --help", "Exit code 1\n[Errno 2] No such file or directory: 'no-such-program'"),
    ],
)
def test_a_command_that_fails_stops_the_line_and_is_marked(
    command: str, expected: str, tmp_path: Path
) -> None:
    pair = Tools(tmp_path).bash(command, "try")
    assert output(pair) == expected
    assert pair.is_error == expected.startswith("Exit code")


def test_an_edit_of_a_text_that_is_not_there_once_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one one")
    pair = Tools(tmp_path).edit("a.txt", "one", "two")
    assert pair.is_error
    assert (tmp_path / "a.txt").read_text() == "one one"
