from __future__ import annotations

import pytest

from pipelines.l1 import summarise
from pipelines.records import Outcome, ToolCall


def shell(command: str, result: object, **more: object) -> ToolCall:
    return ToolCall(tool_name="Bash", params={"command": command}, result=result, **more)  # type: ignore[arg-type]


def test_the_only_failing_line_in_the_middle_of_a_long_log_is_in_the_summary() -> None:
    lines = [f"ok {n} - case number {n}" for n in range(1, 401)]
    lines[200] = "not ok 201 - refuses an expired token"
    row = summarise(shell("./run-cases.sh | cat", "\n".join([*lines, "done, all ok"])))
    assert row.facts.outcome is Outcome.FAILED
    assert "refuses an expired token" in row.summary


@pytest.mark.parametrize(
    "call",
    [
        shell("pytest -q", "all good, ok", is_error=True),
        shell("pytest -q", "12 passed in 0.3s", error="worker died"),
        shell("pytest -q", {"stdout": "12 passed in 0.3s", "stderr": "", "exit_code": 1}),
        shell("make", "ok\nExit code 2"),
        shell("go test ./...", "ok  \ta/b\t0.1s\nFAIL\ta/c [build failed]\nok  \ta/d\t0.2s"),
    ],
)
def test_a_failed_run_is_never_summarised_as_success(call: ToolCall) -> None:
    row = summarise(call)
    assert row.facts.outcome is Outcome.FAILED
    assert row.facts.first_error
    assert not row.summary.startswith(("ok", "passed"))
