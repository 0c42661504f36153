"""Failure lines: which lines of an output say that something went wrong, and which of them to quote first."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

LIMIT = 160
SCAN = 400
"""Characters of a line that are looked at."""

_QUICK = re.compile(
    r"fail|error|exception|panic|fatal|not ok|traceback|assert|undefined|cannot|can't|could not|couldn't|"
    r"denied|no such|"
    r"not found|unable|invalid|refused|●|✗|✕|✖|✘|×|segmentation|core dumped|killed|timed out|abort|unexpected|expected|"
    r"no module|ignored by|conflict|curl: |fehler|erreur|ошибка|\berr\b|problem|missing|unresolved|"
    r"错误|失败|异常|エラー|失敗|오류|실패|"
    r"^e  |^e\t|multiple |unknown|ambiguous|^\s+\d+\) test|: [A-Z]{1,4}\d{2,5} |\.go:\d",
    re.IGNORECASE,
)

_CERTAIN = r"""
(?:FAILED|ERROR) \S+(?:::|\.py)\S*
\S+(?:::\S+|\.py\S*) (?:FAILED|ERROR)\b
(?:FAIL|ERROR): \S
\s*--- FAIL:[ ]
FAIL(?:\t|\s{2,}| )\S+
FAIL\s*$
not ok \d
\[ +FAILED +\] \S
\s*\d+/\d+ Test\s+#\d+: .*\*\*\*
\s*Failed \S+ \[[<\d]
.{1,200} FAILED$
test \S{1,200} \.\.\. FAILED
test result: FAILED
\s*(?:●|FAIL) .{1,200} ›[ ]
\[(?:ERROR|FAIL(?:ED|URE)?)\]
Traceback \(most recent call last\)
panic: |fatal error: |goroutine \d+ \[running\]
thread '[^'\n]{1,200}' (?:\(\d+\) )?panicked at
Exception in thread[ ]
(?:BUILD|Build|COMPILATION|Compilation|TEST|Tests?) (?:FAILED|FAILURE|failed|ERROR)\b
FAILURE: Build failed
(?:npm (?:ERR!|error)|yarn error|pnpm ERR|ERR_PNPM|error Command failed)
make(?:\[\d+\])?: \*\*\*[ ]
(?:fatal|FATAL): \S
(?:Segmentation fault|Aborted|Killed|Bus error|Illegal instruction)\b
Caused by:[ ]
\*\* \(\w{1,200}\)
=== (?:FAILURES|ERRORS) ===|=+ (?:FAILURES|ERRORS) =+
The following paths are ignored by
CONFLICT \(|Automatic merge failed|curl: \(\d+\)
"""

_LIKELY = r"""
.{1,200}\.\.\. ?(?:FAILED|FAIL|ERROR|failed|fail)\b
\s*[✗✕✖✘×] \S
.{0,200}\b[Tt]ests? (?:run: \d+, )?(?:Failures?|failed)\b.{0,6}[1-9]
(?:=+ )?.{0,80}\b[1-9]\d{0,6} (?:failed|failures?|failing|errors?)\b(?! allowed)
.{0,80}\bfailures?: ?[1-9]
E(?:\s{2,}\S| [\w.]{0,120}(?:Error|Exception|assert)\b)
\S{1,300}[:(]\d{1,7}(?:[:,]\d{1,7})?\)?:? (?:fatal )?(?:error|Error|ERROR)\b
\S{1,300}\.py:\d{1,7}: [A-Za-z_][\w.]{0,120}(?:Error|Exception|Failed)\b
(?:error|ERROR)(?:\[\w{1,20}\]| TS\d{3,6})?: \S
\S{1,300} - error TS\d
(?:\S{1,20}/)?-?(?:ba|z|da|k|)sh: (?:line \d+: |\d+: )?.{1,200}: (?:command not found|not found|No such file)
(?:\S{1,20}/)?-?(?:ba|z|da|k|)sh: (?:line \d+: |\d+: )?.{1,200}: (?:Permission denied|syntax error)
\S{1,100}: .{0,300}(?:No such file or directory|Permission denied|command not found|cannot access .{1,200})
\(?[A-Za-z_][\w.]{0,120}(?:Error|Exception|Failure|Panic)\b(?:: |$| \[)
(?:Uncaught|Unhandled)[ ]
(?:✘ )?\[(?:ERROR|error)\][ ]
(?:error|Error)\s+.{1,200}\s{2,}\S
\s*\d{1,6}:\d{1,6}\s+error\s+\S
\S{1,300}:\d{1,7}:\d{1,7}: [A-Z]{1,4}\d{2,5}[ ]
\S{1,300}\.go:\d{1,7}:\d{1,7}: \S
(?:\S{1,200}: )?No module named \S
Error(?: [\w ]{1,60})?: \S
error: Failed to|Failed to find expected lines|Invalid patch hunk
"""

_WEAK = r"""
.{0,120}\b(?:error|fatal|critical|severe|exception)\b ?[:\]!]
.{0,40}\b(?:failed|failure|cannot|can't|could not|couldn't|unable to)\b \S
.{0,120}(?:错误|失败|异常|エラー|失敗|오류|실패)
(?:错误|fehler|erreur|ошибка|error)\b
.{0,80}(?:was not found|not recognized|is not defined|does not exist|permission denied|timed out|no such )
.{0,120}\bFAIL(?:ED|URE)?\b
"""


def _table(text: str, flags: int = 0) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(line, flags) for line in text.strip("\n").split("\n"))


CERTAIN = _table(_CERTAIN)
"""Lines that state a failure, whatever else they or the log say; matched at the line's start."""
LIKELY = _table(_LIKELY)
"""Lines that state a failure unless they deny it themselves (`0 errors`, `warning: ...`)."""
WEAK = _table(_WEAK, re.IGNORECASE)
"""Lines that tell of a failure unless the log closes with a count of none."""
NUMBERED = re.compile(r"\s{0,6}\d{1,4}\) \S.{1,200}$")
"""A numbered failure; counts where the log speaks of failures at all."""

HARMLESS = re.compile(
    r".{0,200}?(?:\b0 (?:failed|failures?|failing|errors?)\b|\bno (?:errors?|failures?|issues|problems)\b|"
    r"\bfailed[:=] ?0\b|"
    r"failures?[:=] ?0\b|errors?[:=] ?0\b|\b0 problems\b|errors?\.(?:py|go|js|ts|rs)\b.{0,40}(?:ok|passed|PASSED)|"
    r"without (?:any )?errors?|(?:warning|warn)(?::|\b.{0,40}\bdeprecat)|xfail|expected fail|\.\.\. ?ok$|"
    r"\bPASS(?:ED)?\b|"
    r"(?:Deprecation|Future|User)Warning|Debugger|bootloader)",
    re.IGNORECASE,
)
_LIST_HEADING = re.compile(r"\s*[1-9]\d* failing\b|Failures:$|There (?:was|were) \d+ (?:failure|error)")
_COUNTED = re.compile(r"\b[1-9]\d* (?:failed|failures?|failing|errors?)\b")
_PASSED_LINE = re.compile(
    r"\s*(?:ok \d|ok\s+\S+\s|--- PASS|✓|✔|√|PASS\b|\[ +OK|\S+ PASSED|test .{1,200} \.\.\. ok)"
)
_HEADINGS = r"""
Traceback \(most|=+ (?:FAILURES|ERRORS|short test)|=== (?:FAILURES|ERRORS)|=+ .{0,100} =+$
(?:FAIL|FAILED|FAILURES?!?|ERRORS?)\s*$
goroutine \d|exit status|FAIL\t|FAIL  |test result: FAILED|not ok|\s*E\s+$
\[[\w:.-]{1,40}\] ERROR task failed
.{0,40}\b\d+ (?:failed|failures?|failing|errors?)\b
BUILD FAILED|FAILURE: Build|make(?:\[\d+\])?: \*\*\*
\[ERROR\] (?:Tests run|Failures:|Errors:|There are)
npm (?:ERR!|error) (?:code|path|errno|A complete|command failed|Lifecycle)
(?:> )?Task :\S+ FAILED|FAIL\s+\S+\.\w+$|.*<<< (?:FAILURE|ERROR)!
Failed tests:|failures:$|husky - |error: could not compile
"""
COUNT_ONLY = re.compile(
    r"(?=.{0,120}(?:fail|error))[=\-_ ]*(?:\d+ \w+(?:, | and |))+(?: in [\d.]+ ?m?s)?[^=\-_]{0,20}[=\-_ ]*$"
)
"""A closing count of failures (`=== 1 failed, 13 passed in 0.31s ===`): it says how many, not what."""
_HEADING = _table(_HEADINGS)
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
            named = next((line for line in lines if not any(mark.match(line) for mark in _HEADING)), "")
            if named:
                return named[:LIMIT]
        headings = [line for line in (*self.strong, *self.weak) if not COUNT_ONLY.match(line)]
        return next((line for line in headings if len(line) > 6), "".join(headings[:1]))[:LIMIT]


def read_failures(lines: list[str], *, limit: int = 60) -> Failures:
    """Find the failure lines of an output, in order, each trimmed."""
    strong: list[str] = []
    weak: list[str] = []
    numbered = _numbered_from(lines)
    for line, listed in _suspects(lines, numbered):
        if len(strong) >= limit:
            break
        if any(mark.match(line) for mark in CERTAIN) or listed:
            strong.append(line.strip())
        elif HARMLESS.match(line) and not _COUNTED.search(line):
            continue
        elif any(mark.match(line) for mark in LIKELY):
            strong.append(line.strip())
        elif len(weak) < limit and any(mark.match(line) for mark in WEAK):
            weak.append(line.strip())
    return Failures(strong=tuple(strong), weak=tuple(weak))


def _numbered_from(lines: list[str]) -> int:
    """Return the line from which `1) name` stands for a failure; past the end when the log tells of none."""
    heading = next((at for at, line in enumerate(lines) if _LIST_HEADING.match(line[:SCAN])), None)
    if heading is not None:
        return heading
    return 0 if any(_COUNTED.search(line[:SCAN]) for line in lines[-40:]) else len(lines)


def _suspects(lines: list[str], numbered: int) -> Iterator[tuple[str, bool]]:
    for at, line in enumerate(lines):
        short = line[:SCAN]
        listed = at >= numbered and bool(NUMBERED.match(short))
        if listed or (_QUICK.search(short) and not _PASSED_LINE.match(short)):
            yield short.rstrip(), listed
