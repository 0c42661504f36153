"""Exceptions with their stack: the error that ended the run and the place it came from."""

from __future__ import annotations

import re
from dataclasses import dataclass

_FRAME = re.compile(r'\s{0,40}File "([^"]{1,400})", line (\d{1,7})(?:, in (\S{1,120}))?')
_JAVA_FRAME = re.compile(r"\s{1,40}at ([\w.$<>]{1,300})\(([\w.$-]{1,200}:\d{1,7})\)")
_NODE_FRAME = re.compile(
    r"\s{1,40}at (?:(?:async )?([\w.$<>\[\] ]{1,200}) \()?((?:file://)?[^()\s]{1,400}:\d{1,7}:\d{1,7})\)?"
)
_GO_FRAME = re.compile(r"\s{1,8}(\S{1,400}\.go:\d{1,7})")
_ERROR_LINE = re.compile(
    r"(?:Uncaught |Unhandled |Exception in thread \S{1,100} |Caused by: )?"
    r"(?:[\w.$]{1,200}(?:Error|Exception|Failure|Exit|Interrupt|Warning|Panic)|"
    r"panic)\b(?: \[\w{1,60}\])?(?::.{0,2000}|\s*$)"
)
_PANICKED = re.compile(r"thread '[^'\n]{1,200}' (?:\(\d+\) )?panicked at (?:'(.{1,400})', )?(\S{1,300}?):?$")
FOREIGN = (
    "site-packages",
    "dist-packages",
    "/lib/python",
    "node_modules",
    "node:internal",
    "/usr/local/go/",
    "<frozen",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """The exception that ended a run."""

    error: str
    place: str = ""
    """The innermost frame in the project's own files, such as `app.py:12 in load`."""


def read_trace(lines: list[str]) -> Trace | None:
    """Return the exception that a stack trace in these lines ends with; the last one when there are several."""
    starts = [place for place, line in enumerate(lines) if "Traceback (most recent call last" in line[:200]]
    if starts:
        trace = python_trace(lines, starts[-1])
        if trace:
            return trace
    return _other(lines)


def python_trace(lines: list[str], start: int) -> Trace | None:
    """Return the exception of the Python traceback whose heading is line `start`, or None when it is cut."""
    place = own = ""
    for line in lines[start + 1 : start + 2_000]:
        short = re.sub(r"^[\s|E>+-]{0,20}(?=\S)", "", line[:2_000]) if line[:1] in "|E+" else line[:2_000]
        frame = _FRAME.match(short)
        if frame:
            place = f"{frame[1]}:{frame[2]}" + (
                f" in {frame[3]}" if frame[3] and frame[3] != "<module>" else ""
            )
            own = own if any(mark in frame[1] for mark in FOREIGN) else place
        elif short and not short[0].isspace() and place:
            return Trace(error=short.strip(), place=own or place)
    return None


def _other(lines: list[str]) -> Trace | None:
    found: Trace | None = None
    for index, line in enumerate(lines):
        short = line[:2_000]
        panicked = _PANICKED.match(short)
        if panicked:
            following = lines[index + 1].strip() if index + 1 < len(lines) else ""
            return Trace(error=f"panicked: {panicked[1] or following}", place=panicked[2].rstrip(":"))
        if "goroutine " in short and index and (error := _line_before(lines, index, "panic:")):
            return Trace(error=error, place=_frame_after(lines, index, _GO_FRAME, 1))
        if not _ERROR_LINE.match(short.lstrip()):
            continue
        following = lines[index + 1] if index + 1 < len(lines) else ""
        if not (_JAVA_FRAME.match(following) or _NODE_FRAME.match(following)):
            continue
        if found is None or short.startswith("Caused by: "):
            place = _frame_after(lines, index, _JAVA_FRAME, 2) or _frame_after(lines, index, _NODE_FRAME, 2)
            found = Trace(error=short.strip(), place=place)
    return found


def _frame_after(lines: list[str], index: int, pattern: re.Pattern[str], group: int) -> str:
    first = ""
    for line in lines[index + 1 : index + 40]:
        found = pattern.match(line[:800])
        if not found:
            continue
        first = first or found[group]
        if not any(mark in line for mark in FOREIGN):
            return found[group]
    return first


def _line_before(lines: list[str], index: int, start: str) -> str:
    return next(
        (line.strip() for line in reversed(lines[max(index - 20, 0) : index]) if line.startswith(start)), ""
    )
