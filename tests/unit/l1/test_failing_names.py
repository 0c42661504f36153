from __future__ import annotations

import time

import pytest

from pipelines.l1 import summarise
from pipelines.l1.failures import COUNT_ONLY
from pipelines.records import Outcome, Summary, ToolCall

PYTEST = """tests/test_checkout.py .........F....   [100%]

=========== FAILURES ===========
_________ test_discount_is_rounded _________

>   assert total(order) == Decimal("8.49")
E   AssertionError: assert Decimal("8.4915") == Decimal("8.49")

tests/test_checkout.py:61: AssertionError
===== 1 failed, 13 passed in 0.31s ====="""


def read(log: str, command: str = "pytest tests/test_checkout.py") -> Summary:
    return summarise(ToolCall(tool_name="Bash", params={"command": command}, result=log))


def test_a_test_that_only_a_heading_names_is_named_with_its_place() -> None:
    found = read(PYTEST)
    assert found.facts.outcome is Outcome.FAILED
    assert "test_discount_is_rounded" in found.summary
    assert "8.4915" in found.summary
    assert "tests/test_checkout.py:61" in found.keys
    assert "test_discount_is_rounded" in found.keys


@pytest.mark.parametrize(
    "log",
    [
        "=== 1 failed, 13 passed in 0.31s ===",
        "tests/a.py ..F\n\n=== 1 failed, 2 passed in 0.31s ===",
        "1 failed, 2 passed",
    ],
)
def test_a_closing_count_is_never_quoted_as_the_error(log: str) -> None:
    found = read(log)
    assert found.facts.outcome is Outcome.FAILED
    assert "===" not in found.summary
    assert "failed" not in found.facts.first_error
    assert found.summary.count("1 failed") == 1


@pytest.mark.parametrize("line", ["1" * 160, "1 a, " * 40 + "!", "=" * 160 + "x", "1 a " * 50])
def test_telling_a_count_takes_no_time(line: str) -> None:
    started = time.perf_counter()
    COUNT_ONLY.match(line[:160])
    assert time.perf_counter() - started < 0.05


def test_line_numbers_of_a_small_file_are_no_part_of_what_it_says() -> None:
    shown = "     1→[rounding]\n     2→# half a minute or more counts\n     3→minutes = 'half_up'\n     4→"
    found = summarise(ToolCall(tool_name="Read", params={"file_path": "billing.toml"}, result=shown))
    assert found.summary == "3 lines: [rounding]; half a minute or more counts; minutes = 'half_up'"


def test_what_a_quiet_tool_prints_on_every_run_is_no_finding() -> None:
    log = "Listing 'hourly'...\nCompiling 'hourly/__init__.py'...\nListing 'tests'...\n"
    assert "Listing" not in read(log, "python -m compileall hourly tests").summary


@pytest.mark.parametrize(
    "words",
    [
        "<tool_use_error>Sibling tool call errored</tool_use_error>",
        "Cancelled: parallel tool call Bash errored",
    ],
)
def test_a_call_that_the_host_stopped_for_another_did_not_fail(words: str) -> None:
    found = summarise(ToolCall(tool_name="Bash", params={"command": "ls"}, result=words, is_error=True))
    assert found.facts.outcome is Outcome.INTERRUPTED


UNITTEST = """test_half_a_minute (tests.test_durations.Minutes.test_half_a_minute) ... FAIL
test_hundredths (tests.test_durations.Minutes.test_hundredths) ... FAIL
test_minutes (tests.test_durations.Minutes.test_minutes) ... ok

======================================================================
FAIL: test_half_a_minute (tests.test_durations.Minutes.test_half_a_minute)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "tests/test_durations.py", line 22, in test_half_a_minute
    self.assertEqual(parse_minutes("0.075h"), 5)
AssertionError: 4 != 5

----------------------------------------------------------------------
Ran 3 tests in 0.001s

FAILED (failures=2)
"""


def test_one_tests_status_line_is_never_anothers_error() -> None:
    found = read(UNITTEST, "python -m unittest -v")
    assert "... FAIL" not in found.summary
    assert "4 != 5" in found.summary
