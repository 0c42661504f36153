"""Failure lines: which lines of an output say that something went wrong, and which of them to quote first."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

LIMIT = 160
SCAN = 400
"""Characters of a line that are looked at."""

_QUICK = re.compile(
    r"fail|error|exception|panic|fatal|not ok|traceback|assert|undefined|cannot|can't|could not|couldn't|denied|"
    r"no such|not found|unable|invalid|refused|✗|✕|✖|✘|×|segmentation|core dumped|killed|timed out|abort|"
    r"unexpected|expected|no module|ignored by|fehler|错误|失败|异常|エラー|失敗|오류|실패|erreur|ошибка|\berr\b|problem|missing|unresolved|"
    r"^e  |^e\t|multiple |unknown|ambiguous|^\s+\d+\) test",
    re.IGNORECASE,
)
STRONG: tuple[re.Pattern[str], ...] = tuple(re.compile(p) for p in (
    r"(?:FAILED|ERROR) \S+(?:::|\.py)\S*",
    r"\S+(?:::\S+|\.py\S*) (?:FAILED|ERROR)\b",
    r"(?:FAIL|ERROR): \S",
    r"\s*--- FAIL: ",
    r"FAIL(?:\t|\s{2,}| )\S+",
    r"FAIL\s*$",
    r".{1,200}\.\.\. ?(?:FAILED|FAIL|ERROR|failed|fail)\b",
    r"not ok \d",
    r"test \S{1,200} \.\.\. FAILED",
    r"test result: FAILED",
    r"\s*[✗✕✖✘×] \S",
    r"\s*(?:●|FAIL) .{1,200} › ",
    r"\s{1,6}\d{1,4}\) (?:test |\S.{1,200}$)",
    r"\[(?:ERROR|FAIL(?:ED|URE)?)\]",
    r".{0,200}\b(?:Tests?|tests?) (?:run: \d+, )?(?:Failures?|failed)\b.{0,6}[1-9]",
    r"(?:=+ )?.{0,80}\b[1-9]\d{0,6} (?:failed|failures?|failing|errors?)\b(?! allowed)",
    r".{0,80}\bfailures?: ?[1-9]",
    r"E\s{2,}\S",
    r"Traceback \(most recent call last\)",
    r"panic: |fatal error: |goroutine \d+ \[running\]",
    r"thread '[^'\n]{1,200}' (?:\(\d+\) )?panicked at",
    r"Exception in thread ",
    r"(?:BUILD|Build|COMPILATION|Compilation|TEST|Tests?) (?:FAILED|FAILURE|failed|ERROR)\b",
    r"FAILURE: Build failed",
    r"\S{1,300}[:(]\d{1,7}(?:[:,]\d{1,7})?\)?:? (?:fatal )?(?:error|Error|ERROR)\b",
    r"(?:error|ERROR)(?:\[\w{1,20}\]| TS\d{3,6})?: \S",
    r"\S{1,300} - error TS\d",
    r"(?:npm (?:ERR!|error)|yarn error|pnpm ERR|ERR_PNPM|error Command failed)",
    r"make(?:\[\d+\])?: \*\*\* ",
    r"(?:fatal|FATAL): \S",
    r"(?:bash|sh|zsh|/bin/\w{1,10}|-bash|dash): (?:line \d+: |\d+: )?.{1,200}: (?:command not found|not found|No such file|Permission denied|syntax error)",
    r"\S{1,100}: .{0,300}(?:No such file or directory|Permission denied|command not found|cannot access .{1,200})",
    r"(?:Segmentation fault|Aborted|Killed|Bus error|Illegal instruction)\b",
    r"\(?[A-Za-z_][\w.]{0,120}(?:Error|Exception|Failure|Panic)\b(?:: |$| \[)",
    r"(?:Uncaught|Unhandled) ",
    r"Caused by: ",
    r"\*\* \(\w{1,200}\)",
    r"(?:✘ )?\[(?:ERROR|error)\] ",
    r"=== (?:FAILURES|ERRORS) ===|=+ (?:FAILURES|ERRORS) =+",
    r"(?:error|Error)\s+.{1,200}\s{2,}\S",
    r"\s*\d{1,6}:\d{1,6}\s+error\s+\S",
    r"\S{1,300}:\d{1,7}:\d{1,7}: [A-Z]{1,4}\d{2,5} ",
    r"\S{1,300}\.go:\d{1,7}:\d{1,7}: \S",
    r"(?:\S{1,200}: )?No module named \S",
    r"The following paths are ignored by",
    r"error: Failed to|Failed to find expected lines|Invalid patch hunk",
))  # fmt: skip
"""Lines that state a failure in a log, whatever else the log says; matched at the line's start."""

WEAK: tuple[re.Pattern[str], ...] = tuple(re.compile(p, re.IGNORECASE) for p in (
    r".{0,120}\b(?:error|fatal|critical|severe|exception)\b ?[:\]!]",
    r".{0,40}\b(?:failed|failure|cannot|can't|could not|couldn't|unable to)\b \S",
    r".{0,120}(?:错误|失败|异常|エラー|失敗|오류|실패)",
    r"(?:错误|fehler|erreur|ошибка|error)\b",
    r".{0,80}(?:was not found|not recognized|is not defined|does not exist|permission denied|timed out|no such )",
    r".{0,120}\bFAIL(?:ED|URE)?\b",
))  # fmt: skip
"""Lines that tell of a failure unless the log closes with a count of none."""

HARMLESS = re.compile(
    r".{0,200}?(?:\b0 (?:failed|failures?|failing|errors?)\b|\bno (?:errors?|failures?|issues|problems)\b|\bfailed[:=] ?0\b|"
    r"failures?[:=] ?0\b|errors?[:=] ?0\b|\b0 problems\b|error handling|errors?\.(?:py|go|js|ts|rs)\b.{0,40}(?:ok|passed|PASSED)|"
    r"without (?:any )?errors?|(?:warning|warn)(?::|\b.{0,40}\bdeprecat)|xfail|expected fail|\.\.\. ?ok$|\bPASS(?:ED)?\b|"
    r"DeprecationWarning|FutureWarning|UserWarning|Debugger|bootloader)",
    re.IGNORECASE,
)
_PASSED_LINE = re.compile(
    r"\s*(?:ok \d|ok\s+\S+\s|--- PASS|✓|✔|√|PASS\b|\[ +OK|\S+ PASSED|test .{1,200} \.\.\. ok)"
)
_HEADING = re.compile(
    r"Traceback \(most|=+ (?:FAILURES|ERRORS|short test)|(?:FAIL|FAILED|FAILURES?!?|ERRORS?)\s*$|goroutine \d|=== (?:FAILURES|ERRORS)|"
    r"(?:exit status|FAIL\t|FAIL  )|\[[\w:.-]{1,40}\] ERROR task failed|test result: FAILED|.{0,40}\b\d+ (?:failed|failures?|failing|errors?)\b|BUILD FAILED|"
    r"FAILURE: Build|\[ERROR\] (?:Tests run|Failures:|Errors:|There are)|npm (?:ERR!|error) (?:code|path|errno|A complete)|make(?:\[\d+\])?: \*\*\*|"
    r"\s*E\s+$|not ok|=+ .{0,100} =+$|Failed tests:|failures:$"
)
"""Failure lines that only announce a failure which another line names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failures:
    """The failure lines of an output."""

    strong: tuple[str, ...] = ()
    weak: tuple[str, ...] = ()

    @property
    def first(self) -> str:
        """The first line that names a failure, cut to 160 characters; empty when there is none."""
        for lines in (self.strong, self.weak):
            named = next((line for line in lines if not _HEADING.match(line)), "")
            if named:
                return named[:LIMIT]
        headings = (*self.strong, *self.weak)
        return next((line for line in headings if len(line) > 6), "".join(headings[:1]))[:LIMIT]


def read_failures(lines: list[str], *, limit: int = 60) -> Failures:
    """Find the failure lines of an output, in order, each trimmed."""
    strong: list[str] = []
    weak: list[str] = []
    for line in _suspects(lines):
        if len(strong) >= limit:
            break
        if any(pattern.match(line) for pattern in STRONG):
            if not HARMLESS.match(line) or re.search(
                r"\b[1-9]\d* (?:failed|failures?|failing|errors?)\b", line
            ):
                strong.append(line.strip())
        elif len(weak) < limit and not HARMLESS.match(line) and any(p.match(line) for p in WEAK):
            weak.append(line.strip())
    return Failures(strong=tuple(strong), weak=tuple(weak))


def _suspects(lines: list[str]) -> Iterator[str]:
    for line in lines:
        short = line[:SCAN]
        if _QUICK.search(short) and not _PASSED_LINE.match(short):
            yield short.rstrip()
