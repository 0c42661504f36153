"""A small coding task that is really done, for people who have no session of their own yet."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from canvases.demo import changes, project
from canvases.demo.tools import Tools
from pipelines.pairs import PostedPair
from pipelines.transcripts import PromptSeen

DemoEvent = PostedPair | PromptSeen

MARCH = "sheets/2026-03.csv"
FEBRUARY = "sheets/2026-02.csv"
RUN_TESTS = "python -m unittest -v"
COMPILE = "python -m compileall -f hourly tests"  # whatever the clock says of what is newer


def run_task(workdir: Path) -> Iterator[DemoEvent]:
    """Do the task in a folder made inside `workdir` and removed at the end; yield what an agent would post.

    Three prompts and 34 tool calls (two fewer where git does not work), each really made when it is yielded,
    with its true output, time and duration. A fault is found, fixed wrongly, fixed rightly and checked; a
    feature is added; a question is answered. Takes a second or two and needs nothing but this Python.
    """
    folder = workdir / "hourly-demo"
    folder.mkdir()
    try:
        project.write_project(folder)
        tools = Tools(folder)
        has_git = _prepare(tools)
        yield from _fix_fault(tools, has_git)
        yield from _add_feature(tools, has_git)
        yield from _answer_question(tools)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _prepare(tools: Tools) -> bool:
    """Leave the log that the fault report speaks of, and put the files under git; say whether git works."""
    log, _ = tools.run(f"python -m hourly import {MARCH}")
    (tools.folder / "import.log").write_text(log, encoding="utf-8")
    if shutil.which("git") is None:
        return False
    _, failed = tools.run("git -c init.defaultBranch=main init -q && git add -A && git commit -q -m Start")
    return not failed


def _prompt(text: str) -> PromptSeen:
    return PromptSeen(text=text, timestamp=datetime.now(UTC))


def _fix_fault(tools: Tools, has_git: bool) -> Iterator[DemoEvent]:
    plan = ["Reproduce with the tests", "Fix parse_minutes", "Check the March sheet"]
    yield _prompt(
        "Ada says the minutes billed for March are too few. The last import left import.log. "
        "Find out why and fix it."
    )
    yield tools.glob("**/*")
    yield tools.read("README.md")
    yield tools.read("import.log")
    yield tools.grep("WARN", "import.log")
    yield tools.grep("parse_minutes", ".")
    yield tools.read("hourly/durations.py")
    yield tools.read("hourly/sheet.py")
    yield tools.read("tests/test_durations.py")
    yield tools.todo((plan[0], "in_progress"), *((item, "pending") for item in plan[1:]))
    yield tools.bash(RUN_TESTS, "Run all tests")
    yield tools.bash('python -c "print(2.05 * 60, int(2.05 * 60))"', "See what 2.05 hours become")
    yield tools.edit("hourly/durations.py", changes.TRUNCATING, changes.ROUNDING)
    yield tools.bash(RUN_TESTS, "Run all tests")
    yield tools.bash('python -c "print(0.075 * 60, round(4.5), round(5.5))"', "See how round() treats halves")
    yield tools.read("billing.toml")
    yield tools.edit("hourly/durations.py", changes.BODY_BEFORE, changes.BODY_AFTER)
    yield tools.edit("hourly/durations.py", changes.IMPORTS_BEFORE, changes.IMPORTS_AFTER)
    yield tools.bash(RUN_TESTS, "Run all tests")
    yield tools.bash(f"python -m hourly check {MARCH}", "Check the March sheet")
    yield tools.bash(COMPILE, "Compile everything")
    if has_git:
        yield tools.bash(
            'git add -A && git commit -m "Round durations half up, with decimals"', "Commit the fix"
        )
    yield tools.todo(*((item, "completed") for item in plan))


def _add_feature(tools: Tools, has_git: bool) -> Iterator[DemoEvent]:
    yield _prompt(
        "Thanks. Add a command `totals` that prints what to bill each client, with a test. "
        "That is a separate task from the rounding."
    )
    yield tools.read("hourly/__main__.py")
    yield tools.read(FEBRUARY)
    yield tools.write("tests/test_totals.py", changes.TEST_TOTALS)
    yield tools.bash("python -m unittest -v tests.test_totals", "Run the new test")
    yield tools.write("hourly/totals.py", changes.TOTALS)
    yield tools.edit("hourly/__main__.py", changes.MAIN_IMPORTS_BEFORE, changes.MAIN_IMPORTS_AFTER)
    yield tools.edit("hourly/__main__.py", changes.MAIN_COMMANDS_BEFORE, changes.MAIN_COMMANDS_AFTER)
    yield tools.bash(RUN_TESTS, "Run all tests")
    yield tools.edit("README.md", changes.README_BEFORE, changes.README_AFTER)
    yield tools.bash(COMPILE, "Compile everything")
    if has_git:
        yield tools.bash('git add -A && git commit -m "Print what to bill each client"', "Commit the feature")


def _answer_question(tools: Tools) -> Iterator[DemoEvent]:
    yield _prompt("Which client had the most hours in February?")
    yield tools.bash(f"python -m hourly totals {FEBRUARY}", "Print the totals")
