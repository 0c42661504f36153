from __future__ import annotations

import pytest

from pipelines.records import Kind, Outcome, Summary
from tests.unit.l1.calls import ran, row

MANY_OK = [f"ok {n} - case number {n}" for n in range(1, 401)]


def test_the_only_failing_line_in_the_middle_of_a_log_is_in_the_summary() -> None:
    lines = [*MANY_OK[:200], "not ok 201 - refuses an expired token", *MANY_OK[201:], "done, all ok"]
    result = ran("./run-cases.sh | cat", "\n".join(lines))
    assert result.facts.outcome is Outcome.FAILED
    assert "refuses an expired token" in result.summary


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("FAIL src/a.test.ts", "FAIL src/a.test.ts"),
        ("--- FAIL: TestA (0.1s)", "TestA failed"),
        ("panic: nil map", "panic: nil map"),
        ("src/a.c:3:1: error: no type", "src/a.c:3:1: error: no type"),
        ("test a ... FAILED", "a failed"),
    ],
)
def test_one_failing_line_deep_in_a_megabyte_is_found(line: str, error: str) -> None:
    filler = "the worker handled one more item of the queue\n" * 12_000
    result = ran("make test 2>&1 | tee log", f"{filler}{line}\n{filler}all ok\n")
    assert result.facts.outcome is Outcome.FAILED
    assert result.facts.first_error == error
    assert error in result.summary


@pytest.mark.parametrize(
    "result",
    [
        ran("pytest -q", "all good, ok", is_error=True),
        ran("pytest -q", "12 passed in 0.3s", error="worker died"),
        ran("pytest -q", {"stdout": "12 passed in 0.3s", "stderr": "", "exit_code": 1}),
        ran("make", "ok\nExit code 2"),
        ran("go test ./...", "ok  \ta/b\t0.1s\nFAIL\ta/c [build failed]\nok  \ta/d\t0.2s"),
        ran("python x.py", 'ok\nTraceback (most recent call last):\n  File "x.py", line 1\nValueError: no'),
        ran("npm run build", "built in 3s\nsrc/a.ts(1,2): error TS2304: Cannot find name 'x'."),
        ran("deploy.sh", {"output": "done", "metadata": {"exit_code": 3}}),
        row("read_file", {"path": "a"}, "Error: file not found"),
        row("mcp__db__query", {"sql": "x"}, {"error": {"message": "syntax error near x"}}),
    ],
)
def test_a_failed_run_is_never_summarised_as_success(result: Summary) -> None:
    assert result.facts.outcome is Outcome.FAILED
    assert result.facts.first_error
    assert not result.summary.startswith(("ok", "passed", "done", "built"))


@pytest.mark.parametrize(
    ("result", "outcome"),
    [
        (ran("pytest -q", "....\n4 passed in 0.1s"), Outcome.OK),
        (ran("pytest -q | tail -1", "4 passed in 0.1s"), Outcome.OK),
        (ran("pytest -q | tail -1", "collected", is_error=False), Outcome.UNKNOWN),
        (ran("npm run check | grep error", "", is_error=False), Outcome.UNKNOWN),
        (ran("npm run check || true", "", is_error=False), Outcome.UNKNOWN),
        (ran("go build ./...", "", is_error=False), Outcome.OK),
        (ran("go build ./...", ""), Outcome.UNKNOWN),
        (ran("git add a.py", "", is_error=False), Outcome.OK),
        (
            ran("cat notes.txt", "ERROR handling is described here\nand FAIL too\nin prose\nof four lines"),
            Outcome.OK,
        ),
        (ran("grep -rn TODO src", {"output": "", "exit_code": 1}), Outcome.UNKNOWN),
        (
            ran("grep -rn TODO src", {"output": "grep: src: No such file or directory", "exit_code": 2}),
            Outcome.FAILED,
        ),
        (ran("python job.py", "finished"), Outcome.UNKNOWN),
        (ran("ls /nope", "ls: cannot access '/nope': No such file or directory"), Outcome.FAILED),
        (ran("git merge x", "Auto-merging a.py\nCONFLICT (content): Merge conflict in a.py"), Outcome.FAILED),
        (ran("curl -s http://x", "curl: (7) Failed to connect to x port 80"), Outcome.FAILED),
        (ran("docker compose up -d", "Error response from daemon: no"), Outcome.FAILED),
        (ran("npx eslint .", "✖ 3 problems (0 errors, 3 warnings)"), Outcome.OK),
        (ran("npx eslint .", "✖ 3 problems (1 error, 2 warnings)"), Outcome.FAILED),
        (ran("ruff check .", "All checks passed!"), Outcome.OK),
        (ran("mix test", "[error] process died\n** (RuntimeError) x\n5 tests, 0 failures"), Outcome.OK),
        (
            ran("pytest", "not ok here is only prose\n3 passed in 0.1s\nFAILED a.py::test_x - no"),
            Outcome.FAILED,
        ),
        (ran("cat run.log", "a line\n" * 20 + "exit status 1"), Outcome.OK),
        (row("Read", {"file_path": "run.log"}, "a line\n" * 99 + "Command exited with code 1"), Outcome.OK),
        (row("Read", {"file_path": "run.log"}, "a line\n" * 99 + "Command timed out after 3s"), Outcome.OK),
        (ran("go run .", "boom\nexit status 1"), Outcome.FAILED),
        (ran("pytest", "=== no tests ran in 0.01s ==="), Outcome.UNKNOWN),
        (
            ran("go test ./a -run X", "testing: warning: no tests to run\nok  \ta\t0.1s [no tests to run]"),
            Outcome.UNKNOWN,
        ),
        (row("Read", {"file_path": "a.py"}, "raise ValueError('failed')\n" * 9), Outcome.OK),
        (row("mcp__tracker__get", {"id": "A-1"}, '{"id": "A-1", "status": "error budget"}'), Outcome.OK),
    ],
)
def test_an_outcome_is_never_better_than_what_was_read(result: Summary, outcome: Outcome) -> None:
    assert result.facts.outcome is outcome


@pytest.mark.parametrize(
    "said",
    [
        "The user doesn't want to proceed with this tool use. The tool use was rejected.",
        "User rejected the command",
        "exec command rejected by user",
    ],
)
def test_a_refusal_is_no_failure(said: str) -> None:
    result = row("Edit", {"file_path": "a.py", "old_string": "a", "new_string": "b"}, said, is_error=True)
    assert result.facts.outcome is Outcome.DECLINED
    assert result.facts.first_error == ""


def test_a_refusal_quotes_what_was_said_instead() -> None:
    said = "The user doesn't want to proceed with this tool use. To tell you how, the user said:\nuse the other file"
    assert (
        row("Write", {"file_path": "a"}, said, is_error=True).summary
        == "declined by the user: use the other file"
    )


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        ("Command timed out after 2m 0s", Outcome.INTERRUPTED),
        ("partial\n\nCommand aborted", Outcome.INTERRUPTED),
        ("[Request interrupted by user for tool use]", Outcome.INTERRUPTED),
        ("Command running in background with ID: b1", Outcome.RUNNING),
        ("Wall time: 10 seconds\nProcess running with session ID 4\nOutput:\nstarting", Outcome.RUNNING),
        ("Command still running (session s1, pid 9)", Outcome.RUNNING),
    ],
)
def test_a_stop_and_a_run_that_goes_on_are_told_apart(said: str, outcome: Outcome) -> None:
    assert ran("npm start", said).facts.outcome is outcome


@pytest.mark.parametrize("name", ["shows no errors", "counts 0 failures", "warning: old flag", "test passed"])
def test_a_failing_tests_own_name_does_not_excuse_it(name: str) -> None:
    result = ran("prove -v", f"1..3\nok 1 - a\nnot ok 2 - {name}\nok 3 - c")
    assert result.facts.outcome is Outcome.FAILED
    assert result.facts.first_error.startswith(name)


def test_a_run_in_the_background_keeps_its_handle() -> None:
    said = "Command running in background with ID: be61. Output is being written to: /tmp/x/be61.output."
    result = ran("npm start", said)
    assert result.summary == "still running as be61, no output yet"
    assert result.keys == ("be61", "/tmp/x/be61.output")


def test_a_test_script_with_exit_status_0_and_no_count_is_not_said_to_have_passed() -> None:
    result = ran(
        "python test_x.py",
        "<returncode>0</returncode>\n<output>\nrows: 3\nmore rows: 5\n" + "x\n" * 200 + "</output>",
    )
    assert result.facts.outcome is Outcome.OK
    assert "passed" not in result.summary


def test_numbers_counted_in_a_part_of_a_log_are_not_given() -> None:
    result = ran("prove -v", "1..90000\n" + "\n".join(f"ok {n} - case number {n}" for n in range(1, 90_001)))
    assert result.facts.kind is Kind.TEST_LOG
    assert result.facts.passed is None
    assert result.facts.outcome is Outcome.UNKNOWN


def test_an_edit_without_a_confirmation_is_not_called_done() -> None:
    result = row("edit", {"path": "a.py", "oldText": "a", "newText": "b"}, "hmm")
    assert result.facts.outcome is Outcome.UNKNOWN
    assert result.summary == "change not confirmed: hmm"
