"""The tests that failed and the reason of the first one, in the words of each common runner."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipelines.l1.case import Case
from pipelines.l1.tracebacks import python_trace
from pipelines.l1.wording import one_line

LIMIT = 160
LONGEST_HEADING = 240
_NAMES = r"""
\s*--- FAIL: (\S{1,200})
(?:FAILED|ERROR) (\S+(?:::|\.py)\S{0,200})
(\S{1,200}::\S{1,200}) (?:FAILED|ERROR)\b
(?:FAIL|ERROR): ([\w.]{1,120}) \(
test (\S{1,160}) \.\.\. FAILED
not ok \d+ (?:- )?(.{1,120})
\s{0,6}\d{1,4}\) (?:test )?(.{3,120}?)(?: \(\S+\))?:?$
FAIL\s{1,4}\S+\.\w+ > (.{3,160})
(.{1,120}?) \.\.\. FAILED\b
\s*[●✗✕✖✘×] +(.{3,160}?)(?: [(\[]?\d[\d.]* ?m?s[)\]]?)?$
\s*\d+/\d+ Test\s+#\d+: (\S+) .*\*\*\*
\s*Failed (\S{1,200}) \[[<\d]
\[ +FAILED +\] (\S{1,200})
(?:\[ERROR\] )?([\w.$]{1,200}?)(?:\(\S+\))?\s+(?:--? )?Time elapsed: .*<<< (?:FAILURE|ERROR)!
([A-Z]\w{1,80} > .{1,120}?) FAILED$
"""
_BLOCK_HEADING = re.compile(r"_{3,} (?:ERROR at \w+ of )?(\S.{0,160}?) _{3,}$")
"""What pytest prints over each failure; in short logs it is all that names the test."""
_NAME_PATTERNS = tuple(re.compile(line) for line in _NAMES.strip("\n").split("\n"))
_MESSAGE = re.compile(
    r"error|assert|expected|got\b|want|panic|fail|not |left:|timed? ?out|match|raise|exception|undefined|"
    r"invalid|missing",
    re.IGNORECASE,
)
_NO_MESSAGE = re.compile(
    r".{1,160} \.\.\. (?:ok|FAIL|ERROR|skipped)\b|"
    r"\s*--- (?:PASS|FAIL|SKIP)|FAIL\b|ok\s|PASS\b|[=\-_]{3,}|Ran \d|\s*\d+ (?:passed|failed|failing|passing|tests)|"
    r"\s*at |(?:FAILED|ERROR) |not ok|exit status|\s*\d{1,4}\) |=== |failures:|\s*Error Message:|\s*Stack|note: |"
    r"\s*(?:failureType|duration_ms|location|type|code|name|operator|stack):|\d{1,3}% tests|"
    r"The following tests|\s*\d{1,6} - \S|Errors while running|"
    r"ImportError: Failed to import test module"
)
_BARE = re.compile(r"(?:Error: )?expect\(")
"""An assertion's own text; the values that follow say more."""
_EXPECTED = re.compile(r"expected\b", re.IGNORECASE)
_ACTUAL = re.compile(r"\s{0,40}(?:got|received|actual|but was)\b", re.IGNORECASE)
_NUMBERED = re.compile(r"\s{0,6}\d{1,4}\) ")
_CONTINUED = re.compile(
    r"\s{2,24}(?!Failure/Error|\*\* |\S{1,160}:\d{1,6}$|Error\b|[\w.]{1,80}(?:Error|Exception):)(\S.{0,160}?)(:?)$"
)
_END = re.compile(r"\s*--- (?:PASS|FAIL|SKIP)|FAIL\s|ok\s|={10,}|not ok|ok \d")
_GO_LINE = re.compile(
    r"\s{2,24}\S{1,200}_test\.go:\d{1,7}: (.{1,400})|\s{2,24}(?:Error|Messages):\s+(.{1,400})"
)
_ASIDE = re.compile(r"(?:warn|note|info|debug)", re.IGNORECASE)
LABEL = re.compile(
    r"^\s*(?:--- FAIL: |E {2,}|E\t|E (?=[\w.]{0,120}(?:Error|Exception|assert))|> |\[ERROR\] +|"
    r"✘ |✗ |✕ |✖ |× |● |→ |Failure/Error: )"
)
"""What stands before the words of a failure line."""


def failing_tests(case: Case) -> list[str]:
    """Return the names of the tests that failed, in order; of nested ones the innermost."""
    names: dict[str, None] = {}
    for line in case.failures.strong:
        found = next((hit for pattern in _NAME_PATTERNS if (hit := pattern.match(line))), None)
        name = one_line(found[1].strip().rstrip(":,─ "), 90) if found else ""
        if name and _NUMBERED.match(line):
            name = one_line(f"{name} {_continued(case.lines, line)}", 90)
        if name and not name.isdigit() and not name.startswith("in "):
            names.setdefault(name)
    if not names:
        headings = (_BLOCK_HEADING.match(line[:LONGEST_HEADING]) for line in case.lines)
        names = dict.fromkeys(one_line(hit[1], 90) for hit in headings if hit)
    return [name for name in names if not any(_holds(other, name) for other in names)]


def _holds(other: str, name: str) -> bool:
    return other.startswith(f"{name}/") or other.endswith((f" › {name}", f" > {name}"))


def _continued(lines: list[str], heading: str) -> str:
    """Return the rest of a test's name that mocha prints on the lines below, the last of which ends in a colon."""
    at = next((at for at, line in enumerate(lines) if line.strip() == heading), len(lines))
    words: list[str] = []
    for line in lines[at + 1 : at + 6]:
        found = _CONTINUED.match(line[:240])
        if not found:
            break
        words.append(found[1])
        if found[2]:
            return " ".join(words)
    return ""


def message_of(case: Case, name: str) -> str:
    """Return why a test failed: what its runner prints beside, after or before its name; empty when nowhere."""
    start = name.rstrip("…")[:60]
    return (
        _pytest(case, start)
        or _rust(case, start)
        or _in_own_block(case.view.telling, name)
        or _after(case.lines, start)
    )


def _pytest(case: Case, name: str) -> str:
    if "::" not in name and ".py" not in name and "[" not in name and not name.startswith("test"):
        return ""
    raised = [line[1:] for line in case.failures.strong if re.match(r"E\s{1,12}\S", line)]
    if raised:
        named = next((line for line in raised if re.search(r"[Ee]rror\b|assert", line)), raised[0])
        return one_line(named, LIMIT)
    for line in case.failures.strong:
        if name in line and " - " in line:
            return one_line(line.split(" - ", 1)[1], LIMIT)
    return ""


def _rust(case: Case, name: str) -> str:
    lines = case.lines
    for at, line in enumerate(lines):
        if " panicked at " in line and f"'{name}'" in line:
            more = (part.strip() for part in lines[at + 2 : at + 5] if part.startswith("  "))
            return one_line(" ".join([*lines[at + 1 : at + 2], *more]), LIMIT)
    return ""


def _in_own_block(lines: list[str], name: str) -> str:
    """Return the message that `go test -v` prints under `=== NAME` of a test, before its verdict."""
    told: list[str] = []
    inside = False
    for line in lines:
        if line.startswith("=== ") or re.match(r"\s*--- ", line):
            inside = line.endswith(f" {name}") and line.startswith("=== ")
        elif inside and (found := _GO_LINE.match(line)):
            told.append(found[1] or found[2])
    telling = [text for text in told if _MESSAGE.search(text) and not _ASIDE.match(text)]
    return one_line((telling or told or [""])[0], LIMIT)


def _after(lines: list[str], name: str) -> str:
    """Return the first telling line after one that names the test; later mentions are tried when it has none."""
    for place in mentions(lines, name):
        for at, line in enumerate(lines[place + 1 : place + 40], start=place + 1):
            if "Traceback (most recent call" in line:
                trace = python_trace(lines, at)
                return one_line(trace.error, LIMIT) if trace else ""
            if _END.match(line):
                break
            if _NO_MESSAGE.match(line):
                continue
            text = LABEL.sub("", line, count=1).strip()
            if len(text) > 5 and _MESSAGE.search(text):
                return one_line(_with_values(_without_place(text), lines[at + 1 : at + 7]), LIMIT)
    return ""


def _with_values(text: str, following: list[str]) -> str:
    """Put what was expected and what came beside each other where they stand on lines of their own."""
    if _BARE.match(text):
        at = next((at for at, line in enumerate(following) if _EXPECTED.match(line.lstrip())), None)
        if at is None:
            return text
        text, following = following[at].strip(), following[at + 1 :]
    if following and _EXPECTED.match(text) and _ACTUAL.match(following[0][:80]):
        return f"{text[:70]}, {following[0][:80].strip()}"
    return text


def mentions(lines: list[str], name: str) -> Iterator[int]:
    """Yield the first five lines that hold a test's name, else those that hold its first word."""
    first_word = re.split(r" [›>] | ", name)[0]
    found = [at for at, line in enumerate(lines) if name in line]
    yield from (found or [at for at, line in enumerate(lines) if first_word in line])[:5]


def _without_place(text: str) -> str:
    found = re.match(r"(?:\S{1,120}\.\w{1,8}:\d{1,7}:(?:\d{1,6}:)? )(.{8,})", text)
    return found[1] if found else text
