from __future__ import annotations

import pytest

from tests.unit.l1.calls import ran

RUNS = {
    "pytest": ("pytest", "=== 2 failed, 40 passed, 1 skipped in 3.10s ===", 40, 2),
    "pytest with errors": ("pytest -q", "1 passed, 2 errors in 0.1s", 1, 2),
    "pytest dots": ("pytest -q", "..F.s   [100%]", 3, 1),
    "unittest": ("python -m unittest", "F..\nRan 3 tests in 0.001s\n\nFAILED (failures=1)", 2, 1),
    "unittest ok": ("python -m unittest", "...\nRan 3 tests in 0.001s\n\nOK (skipped=1)", 2, 0),
    "go -v": ("go test -v ./a", "--- PASS: TestA (0.0s)\n--- FAIL: TestB (0.0s)\nFAIL\nFAIL\ta\t0.1s", 1, 1),
    "go subtests": (
        "go test -v .",
        "--- FAIL: TestA (0s)\n    --- FAIL: TestA/x (0s)\n    --- PASS: TestA/y (0s)\nFAIL",
        1,
        1,
    ),
    "go -json": (
        "go test -json ./a",
        '{"Action":"pass","Package":"a","Test":"TestA"}\n{"Action":"fail","Package":"a","Test":"TestB"}',
        1,
        1,
    ),
    "jest": ("npx jest", "Test Suites: 1 failed, 1 total\nTests:       1 failed, 7 passed, 8 total", 7, 1),
    "vitest": ("npx vitest run", " Test Files  1 passed (1)\n      Tests  4 passed (4)", 4, 0),
    "mocha": ("npx mocha", "  5 passing (8ms)\n  1 pending\n  2 failing", 5, 2),
    "cargo": (
        "cargo test",
        "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured\ntest result: ok. 2 passed; 0 failed; 0 ignored",
        5,
        0,
    ),
    "nextest": (
        "cargo nextest run",
        "     Summary [   0.1s] 4 tests run: 3 passed, 1 failed, 0 skipped",
        3,
        1,
    ),
    "maven": (
        "mvn test",
        (
            "[INFO] Tests run: 4, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 1 s\n"
            "[ERROR] Tests run: 10, Failures: 1, Errors: 1, Skipped: 2"
        ),
        6,
        2,
    ),
    "gradle": ("./gradlew test", "10 tests completed, 3 failed", 7, 3),
    "rspec": ("bundle exec rspec", "4 examples, 1 failure, 1 pending", 2, 1),
    "minitest": ("rake test", "5 runs, 9 assertions, 1 failures, 1 errors, 0 skips", 3, 2),
    "exunit": ("mix test", "14 doctests, 106 tests, 2 failures", 118, 2),
    "phpunit": ("vendor/bin/phpunit", "Tests: 6, Assertions: 9, Failures: 1, Errors: 2.", 3, 3),
    "phpunit ok": ("vendor/bin/phpunit", "OK (6 tests, 9 assertions)", 6, 0),
    "ctest": ("ctest", "50% tests passed, 1 tests failed out of 2", 1, 1),
    "googletest": ("./build/unit_test", "[  PASSED  ] 7 tests.\n[  FAILED  ] 2 tests, listed below:", 7, 2),
    "dotnet": ("dotnet test", "Failed!  - Failed:     1, Passed:     4, Skipped:     0, Total:     5", 4, 1),
    "tap": ("prove -v", "1..3\nok 1 - a\nnot ok 2 - b\nok 3 - c", 2, 1),
    "playwright": (
        "npx playwright test",
        "Running 3 tests\n  1 failed\n    a.spec.ts:9 › two\n  2 passed (4.1s)",
        2,
        1,
    ),
    "deno": ("deno test", "a ... ok (3ms)\nFAILED | 4 passed | 1 failed (10ms)", 4, 1),
    "bun": ("bun test", " 7 pass\n 0 fail\n 9 expect() calls", 7, 0),
    "node": ("node --test", "ok 1 - a\nok 2 - b\n# tests 2\n# pass 2\n# fail 0", 2, 0),
}


@pytest.mark.parametrize("runner", RUNS)
def test_a_runners_own_count_is_read(runner: str) -> None:
    command, log, passed, failed = RUNS[runner]
    facts = ran(command, log).facts
    assert (facts.passed, facts.failed) == (passed, failed)


def test_packages_are_no_tests() -> None:
    result = ran("go test ./...", "ok  \ta/b\t0.1s\nok  \ta/c\t(cached)\n?   \ta/d\t[no test files]")
    assert result.facts.passed is None
    assert result.summary == "2 packages passed"


REASONS = {
    "pytest": (
        "pytest",
        "a.py::test_y FAILED\nE       assert 1 == 2\nFAILED a.py::test_y - assert 1 == 2\n1 failed in 0.1s",
        "a.py::test_y: assert 1 == 2",
    ),
    "unittest": (
        "python -m unittest",
        (
            'FAIL: test_add (t.T)\n----\nTraceback (most recent call last):\n  File "t.py", line 5, in test_add\n'
            "AssertionError: 3 != 4\n\nRan 1 test in 0.0s\n\nFAILED (failures=1)"
        ),
        "test_add: AssertionError: 3 != 4",
    ),
    "go without -v": (
        "go test ./a",
        "--- FAIL: TestA (0.00s)\n    a_test.go:9: got 1, want 2\nFAIL\nFAIL\ta\t0.1s\nFAIL",
        "TestA: got 1, want 2",
    ),
    "go -v": (
        "go test -v ./a",
        (
            "=== RUN   TestA\n    a_test.go:7: warning: slow\n    a_test.go:9: got 1, want 2\n"
            "--- FAIL: TestA (0.00s)\nFAIL"
        ),
        "TestA: got 1, want 2",
    ),
    "jest": (
        "npx jest",
        "FAIL src/b.test.ts\n  ● Sum › adds\n\n    expect(received).toBe(expected)\n\nTests: 1 failed, 1 total",
        "Sum › adds: expect(received).toBe(expected)",
    ),
    "cargo": (
        "cargo test",
        (
            "test a::breaks ... FAILED\n\nthread 'a::breaks' panicked at src/lib.rs:10:9:\nboom at last\n\n"
            "test result: FAILED. 0 passed; 1 failed; 0 ignored"
        ),
        "a::breaks: boom at last",
    ),
    "maven": (
        "mvn test",
        (
            "[ERROR] a.BTest.adds  Time elapsed: 0.01 s  <<< FAILURE!\norg.x.AssertionFailedError: expected: <3>\n"
            "[ERROR] Tests run: 1, Failures: 1, Errors: 0, Skipped: 0"
        ),
        "a.BTest.adds: org.x.AssertionFailedError: expected: <3>",
    ),
    "phpunit": (
        "phpunit",
        (
            "There was 1 failure:\n\n1) Tests\\Sum::testAdd\nFailed asserting that 3 matches 4.\n\n"
            "Tests: 1, Assertions: 1, Failures: 1."
        ),
        "Tests\\Sum::testAdd: Failed asserting that 3 matches 4.",
    ),
    "mocha": (
        "npx mocha",
        "    1) adds\n\n  0 passing (8ms)\n  1 failing\n\n  1) Sum\n       adds:\n      AssertionError: 3 == 4",
        "Sum adds: AssertionError: 3 == 4",
    ),
}


@pytest.mark.parametrize("runner", REASONS)
def test_the_first_failing_test_is_named_with_its_reason(runner: str) -> None:
    command, log, reason = REASONS[runner]
    result = ran(command, log)
    assert result.facts.first_error == reason
    assert reason in result.summary
