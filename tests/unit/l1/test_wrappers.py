from __future__ import annotations

import json

import pytest

from pipelines.records import Kind, Outcome
from tests.unit.l1.calls import ran, row

WRAPPED = {
    "codex": json.dumps({"output": "hello\n", "metadata": {"exit_code": 3, "duration_seconds": 0.1}}),
    "codex header": "Exit code: 3\nWall time: 0.1 seconds\nTotal output lines: 1\nOutput:\nhello",
    "codex session": "Chunk ID: a1\nWall time: 0.1 seconds\nProcess exited with code 3\nOutput:\nhello",
    "codex sandbox": (
        "failed in sandbox LinuxSeccomp with execution error: denied, exit code: 3, stdout: hello, stderr: "
    ),
    "mini": "<returncode>3</returncode>\n<output>\nhello</output>",
    "gemini": (
        "Command: x\nDirectory: (root)\nOutput: hello\nError: (none)\nExit Code: 3\nSignal: 0\n"
        "Background PIDs: (none)"
    ),
    "openhands": "hello\n[The command completed with exit code 3.]",
    "claude": "Exit code 3\nhello",
    "pi": "hello\n\n\nCommand exited with code 3",
    "hook": {"stdout": "hello", "stderr": "", "exit_code": 3},
    "task": (
        "<retrieval_status>success</retrieval_status>\n<status>failed</status>\n"
        "<exit_code>3</exit_code>\n<output>\nhello\n</output>"
    ),
}


@pytest.mark.parametrize("host", WRAPPED)
def test_a_hosts_wrapper_is_no_finding(host: str) -> None:
    result = ran("./job", WRAPPED[host])
    assert result.facts.exit_status == 3
    assert result.summary == "failed with exit status 3: hello"


def test_an_editor_prompt_behind_an_output_is_no_finding() -> None:
    assert ran("python x.py", "345\n(Open file: /r/x.py)\n(Current directory: /r)\nbash-$").summary == "345"


def test_harness_reminders_and_line_numbers_are_no_finding() -> None:
    text = (
        "     1→def load():\n     2→    pass\n<system-reminder>\nDo not write malware.\n</system-reminder>\n"
    )
    result = row("Read", {"file_path": "a.py"}, text)
    assert "malware" not in result.summary
    assert result.keys == ("load:1",)


def test_a_warning_that_is_the_whole_result_is_kept() -> None:
    text = "<system-reminder>Warning: the file exists but is shorter than the offset (900).</system-reminder>"
    assert "shorter than the offset" in row("Read", {"file_path": "a", "offset": 900}, text).summary


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("a\n[48 lines truncated]\nb", "48 lines"),
        ("a\n[... omitted 4 of 260 lines ...]\nb", "4 lines"),
        (
            (
                "<returncode>0</returncode>\n<output_head>\na\n</output_head>\n<elided_chars>\n"
                "5804 characters elided\n</elided_chars>"
            ),
            "5804 characters",
        ),
        ("a\n... [1234 characters truncated] ...\nb", "1234 characters"),
        ("a\n12 more lines not shown. Use offset=40 to continue reading)", "12 lines"),
        ("a\n<response clipped>", "part"),
        ("a.py\n(Results are truncated. Consider a narrower path.)", "part"),
    ],
)
def test_what_the_host_cut_is_said(text: str, missing: str) -> None:
    assert ran("./job", text).summary.endswith(f"; {missing} of the output missing")


@pytest.mark.parametrize(
    "text",
    [
        (
            "<persisted-output>\nOutput too large (91KB). Full output saved to: /t/abc.txt\n\n"
            "Preview (first 2KB):\nfirst words\n</persisted-output>"
        ),
        "Output too large (91KB). Full output saved to: /t/abc.txt",
    ],
)
def test_a_pointer_is_read_as_a_pointer(text: str) -> None:
    result = ran("./job", text)
    assert result.facts.kind is Kind.POINTER
    assert result.summary.startswith("output of 91KB kept by the host at /t/abc.txt")
    assert result.keys == ("/t/abc.txt",)


def test_a_result_too_large_to_show_is_a_failure_with_its_reason() -> None:
    text = "File content (85812 tokens) exceeds maximum allowed tokens (25000). Use offset and limit."
    result = row("Read", {"file_path": "a"}, text, is_error=True)
    assert (result.facts.kind, result.facts.outcome) == (Kind.POINTER, Outcome.FAILED)
    assert "85812 tokens" in result.summary


@pytest.mark.parametrize("text", ["", "  \n ", "(no output)", "(Bash completed with no output)", None])
def test_no_output_is_empty(text: str | None) -> None:
    result = ran("git add a.py", text, is_error=False)
    assert (result.facts.kind, result.score, result.short) == (Kind.EMPTY, 10, True)
    assert result.summary == "no output"


def test_colours_and_progress_lines_are_cleaned() -> None:
    text = "\x1b[32m10%\r50%\r\x1b[1m100%\x1b[0m\nready\x1b]0;title\x07\n"
    assert ran("./job", text).summary == "100%; ready"


def test_an_error_given_apart_is_read() -> None:
    result = row("read", {"path": "a"}, None, error="ENOENT: no such file")
    assert result.facts.outcome is Outcome.FAILED
    assert "ENOENT" in result.summary
