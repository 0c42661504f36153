from __future__ import annotations

import time

import pytest

from tests.unit.l1.calls import ran

LOGS = {
    "pytest -q": (
        (
            "=== FAILURES ===\n___ test_rounds ___\n>       assert total() == 8\n"
            "E AssertionError: assert 7 == 8\n\n"
            "tests/test_cart.py:61: AssertionError\n=== 1 failed, 13 passed in 0.31s ==="
        ),
        "test_rounds",
        "tests/test_cart.py:61",
        "assert 7 == 8",
    ),
    "python -m unittest": (
        (
            "E\n====\nERROR: tests.test_x (unittest.loader._FailedTest.tests.test_x)\n----\n"
            "ImportError: Failed to import test module: tests.test_x\nTraceback (most recent call last):\n"
            '  File "/r/tests/test_x.py", line 3, in <module>\n    import nope\n'
            "ModuleNotFoundError: No module named 'nope'\n\n\n----\nRan 1 test in 0.000s\n\n"
            "FAILED (errors=1)\n"
        ),
        "tests.test_x",
        "/r/tests/test_x.py:3",
        "No module named 'nope'",
    ),
    "go test ./...": (
        (
            "--- FAIL: TestResume (0.00s)\n    --- FAIL: TestResume/empty (0.00s)\n"
            "        resume_test.go:40: got 3, want 4\nFAIL\nFAIL\texample.org/cmd\t0.01s"
        ),
        "TestResume/empty",
        "resume_test.go:40",
        "got 3, want 4",
    ),
    "npx jest": (
        (
            "FAIL src/cart.test.ts\n  cart\n    ✓ adds (2 ms)\n    ✕ rounds totals (5 ms)\n\n"
            "  ● cart › rounds totals\n\n"
            "    expect(received).toBe(expected) // Object.is equality\n\n    Expected: 8.49\n"
            "    Received: 8.4915\n\n"
            "    > 11 |     expect(total()).toBe(8.49)\n\n"
            "      at run (node_modules/jest/build/run.js:3:1)\n"
            "      at Object.<anonymous> (src/cart.test.ts:11:21)\n\n"
            "Tests:       1 failed, 1 passed, 2 total\n"
        ),
        "cart › rounds totals",
        "src/cart.test.ts:11",
        "Expected: 8.49, Received: 8.4915",
    ),
    "npx vitest run": (
        (
            "   × cart > rounds totals 3ms\n     → expected 8.4915 to be 8.49\n\n"
            " FAIL  src/cart.test.ts > cart > rounds totals\nAssertionError: expected 8.4915 to be 8.49\n"
            " ❯ src/cart.test.ts:11:21\n\n      Tests  1 failed | 1 passed (2)\n"
        ),
        "cart > rounds totals",
        "src/cart.test.ts:11",
        "expected 8.4915 to be 8.49",
    ),
    "cargo test": (
        (
            "test cart::rounds ... FAILED\n\nfailures:\n\n---- cart::rounds stdout ----\n"
            "thread 'cart::rounds' panicked at src/lib.rs:10:5:\nassertion `left == right` failed\n"
            "  left: 3\n right: 4\n\n"
            "test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; "
            "0 filtered out; finished in 0.00s\n"
        ),
        "cart::rounds",
        "src/lib.rs:10",
        "left: 3",
    ),
    "bundle exec rspec": (
        (
            "Failures:\n\n  1) Cart rounds totals\n     Failure/Error: expect(cart.total).to eq(8.49)\n\n"
            "       expected: 8.49\n            got: 8.4915\n\n       (compared using ==)\n"
            "     # ./spec/cart_spec.rb:12:in `block'\n\n2 examples, 1 failure\n"
        ),
        "Cart rounds totals",
        "./spec/cart_spec.rb:12",
        "expected: 8.49, got: 8.4915",
    ),
    "vendor/bin/phpunit": (
        (
            "There was 1 failure:\n\n1) Tests\\CartTest::testRounds\n"
            "Failed asserting that 8.4915 matches 8.49.\n\n"
            "/app/tests/CartTest.php:22\n\nFAILURES!\nTests: 2, Assertions: 2, Failures: 1.\n"
        ),
        "Tests\\CartTest::testRounds",
        "/app/tests/CartTest.php:22",
        "Failed asserting",
    ),
    "mvn test": (
        (
            "[ERROR] org.ex.CartTest.rounds  Time elapsed: 0.01 s  <<< FAILURE!\n"
            "org.opentest4j.AssertionFailedError: expected: <8.49> but was: <8.4915>\n"
            "\tat org.ex.CartTest.rounds(CartTest.java:14)\n\n"
            "[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0\n[INFO] BUILD FAILURE\n"
        ),
        "org.ex.CartTest.rounds",
        "CartTest.java:14",
        "expected: <8.49>",
    ),
    "./gradlew test": (
        (
            "> Task :test FAILED\n\nCartTest > rounds() FAILED\n"
            "    org.opentest4j.AssertionFailedError: expected: <8.49> but was: <8.4915>\n"
            "        at org.ex.CartTest.rounds(CartTest.java:14)\n\n2 tests completed, 1 failed\n"
        ),
        "CartTest > rounds()",
        "CartTest.java:14",
        "expected: <8.49>",
    ),
    "npx mocha": (
        (
            "  cart\n    ✔ adds\n    1) rounds totals\n\n  1 passing (5ms)\n  1 failing\n\n  1) cart\n"
            "       rounds totals:\n\n      AssertionError: expected 8.4915 to equal 8.49\n"
            "      at Context.<anonymous> (test/cart.test.js:11:25)\n"
        ),
        "cart rounds totals",
        "test/cart.test.js:11",
        "expected 8.4915 to equal 8.49",
    ),
    "node --test": (
        (
            "TAP version 13\nnot ok 1 - rounds totals\n  ---\n  duration_ms: 1.2\n"
            "  location: '/r/test/cart.test.js:4:1'\n"
            "  failureType: 'testCodeFailure'\n  error: 'Expected values to be strictly equal'\n"
            "  ...\n1..1\n# fail 1\n"
        ),
        "rounds totals",
        "/r/test/cart.test.js:4",
        "Expected values to be strictly equal",
    ),
    "mix test": (
        (
            "  1) test rounds totals (CartTest)\n     test/cart_test.exs:8\n     Assertion with == failed\n"
            "     left:  8.4915\n     right: 8.49\n\n2 tests, 1 failure\n"
        ),
        "rounds totals",
        "test/cart_test.exs:8",
        "Assertion with == failed",
    ),
    "dotnet test": (
        (
            "  Failed Shop.CartTests.Rounds [12 ms]\n  Error Message:\n"
            "   Assert.Equal() Failure: Values differ\n"
            "Expected: 8.49\nActual:   8.4915\n  Stack Trace:\n"
            "     at Shop.CartTests.Rounds() in /r/CartTests.cs:line 14\n\n"
            "Failed!  - Failed:     1, Passed:     1, Skipped:     0, Total:     2, Duration: 12 ms\n"
        ),
        "Shop.CartTests.Rounds",
        "/r/CartTests.cs:14",
        "Values differ",
    ),
    "ctest --output-on-failure && ./run_tests": (
        (
            "[ RUN      ] Cart.Rounds\ncart_test.cc:12: Failure\n"
            "Expected equality of these values:\n  total()\n"
            "[  FAILED  ] Cart.Rounds (0 ms)\n[  PASSED  ] 1 test.\n[  FAILED  ] 1 test, listed below:\n"
            "[  FAILED  ] Cart.Rounds\n\n 1 FAILED TEST\n"
        ),
        "Cart.Rounds",
        "cart_test.cc:12",
        "",
    ),
}


@pytest.mark.parametrize("command", LOGS)
def test_a_failing_test_is_named_with_its_message_and_its_place(command: str) -> None:
    log, name, place, message = LOGS[command]
    found = ran(command, log)
    assert name in found.summary
    assert message in found.summary
    assert found.keys[0] == name
    assert place in found.keys


@pytest.mark.parametrize("command", LOGS)
def test_a_place_is_among_the_keys_only_once(command: str) -> None:
    keys = ran(command, LOGS[command][0]).keys
    assert not [key for key in keys if any(other != key and other.startswith(f"{key}:") for other in keys)]


def test_a_run_with_thousands_of_failures_is_read_quickly() -> None:
    log = "".join(f"--- FAIL: TestA{n} (0.00s)\n    a_test.go:{n}: got {n}\n" for n in range(20_000))
    started = time.perf_counter()
    found = ran("go test ./...", log)
    assert time.perf_counter() - started < 0.5
    assert found.keys[:1] == ("TestA0",)
    assert "a_test.go:0" in found.keys
