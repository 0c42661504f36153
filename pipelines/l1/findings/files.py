"""Files that were read: how much of them, and what they define."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pipelines.l1.case import Case, Finding
from pipelines.l1.findings.symbols import symbols_in
from pipelines.l1.kinds import json_of
from pipelines.l1.request import Request
from pipelines.l1.view import without_gutter
from pipelines.l1.wording import clip, count, listing, one_line

FEW_HEADINGS = 2
"""Prose with at most this many headings is told by its first sentence too."""
MIN_SPACES = 3
_WINDOW_HEAD = re.compile(r"\[File: ([^\n]{1,400}) \((\d{1,9}) lines total\)\]\n")
_VIEW_HEAD = re.compile(
    r"Here's the result of running `cat -n` on [^\n]{1,400}:\n|<file>\n|<content>\n|<path>[^\n]{0,400}</path>\n"
)
_MORE = re.compile(
    r"^(?:\((?:\d{1,9} more lines (?:above|below)|File has more lines[^\n]{0,200})\)|"
    r"[. ]{0,4}\(?\d{1,9} more lines not shown[^\n]{0,200}|<response clipped>[^\n]{0,600})\n?",
    re.MULTILINE,
)
_SED = re.compile(r"(\d{1,9}),(\d{1,9})p")
_FRAME = re.compile(
    r"\W{0,40}$|\s*(?:import\b|from \S+ import\b|package \S+;?$|using \S+;|use [\w:]+;|#include\b|#!|</|<!DOCTYPE)|"
    r"\W{0,8}(?:Copyright|SPDX-|Licensed under|All rights reserved|eslint-disable|-\*- )"
)
"""Lines that many files share: brackets, imports, licences."""
_COMMENT = re.compile(r"\s*(?://|#+\s|/\*|\*+/?\s|--\s|;+\s|<!--|\"\"\"|''')\s?")


def read_file(case: Case) -> Finding:
    """Say which part of a file was shown and what it defines."""
    shown = _shown(case)
    symbols = [] if case.view.partial else symbols_in(shown.lines, shown.path)
    names = _top_names(symbols, shown.lines)
    if not names:
        parts = [f"{shown.span}: {_content(case, shown.lines, shown.body)}"]
    elif _is_prose(shown.path):
        parts = [f"{shown.span}: {listing(names, len(names), 150)}"]
        if len(names) <= FEW_HEADINGS:
            parts.append(next((one_line(line, 150) for line in shown.lines if _is_sentence(line)), ""))
    else:
        parts = [f"{shown.span}; defines {listing(names, len(names), 130)}"]
    keys = tuple(f"{name}:{shown.first + at}" for name, at in symbols[:10])
    return Finding(parts=tuple(parts), keys=keys, symbols=tuple(names[:4]))


def _is_sentence(line: str) -> bool:
    return line[:1].isalpha() and line.count(" ", 0, 200) > MIN_SPACES


def whole_file(case: Case) -> str:
    """Return all lines of a small file on one line, without a gutter, blank lines and the marks of comments."""
    shown = _shown(case)
    lines = (_COMMENT.sub("", line).strip() for line in shown.lines)
    return one_line(f"{shown.span}: {'; '.join(line for line in lines if line)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shown:
    """The lines that a read shows, and where in the file they stand."""

    path: str
    body: str
    lines: list[str]
    first: int
    span: str


def _shown(case: Case) -> _Shown:
    path = file_path(case.request)
    text, total = case.view.text, 0
    if found := _WINDOW_HEAD.match(text):
        text, total = text[found.end() :], int(found[2])
        path = path or found[1]
    elif found := _VIEW_HEAD.match(text):
        text = text[found.end() :]
    body, numbered = without_gutter(_MORE.sub("", text))
    lines = [line[:400] for line in body.split("\n")]
    while lines and not lines[-1].strip():
        lines.pop()
    amount = len(lines) if not case.view.partial else case.view.line_count
    first = numbered or case.request.first_line or _sed_start(case.request) or 1
    span = f"lines {first}–{first + amount - 1}" if first > 1 else count(amount, "line")
    if first > 1 and amount == 1:
        span = f"line {first}"
    if total and total > amount:
        span += f" of {total}"
    return _Shown(path=path, body=body, lines=lines, first=first, span=span)


def file_path(request: Request) -> str:
    """Return the file that a read or a shell reader is about."""
    if request.path:
        return request.path
    for part in request.shell.parts if request.shell else ():
        for word in reversed(part.words[1:]):
            if not word.startswith("-") and re.search(r"\w\.\w{1,8}$|/", word) and not _SED.fullmatch(word):
                return word
        for word in part.words[1:]:
            if part.program == "git" and (found := re.fullmatch(r"[^\s:]{1,200}:(\S{1,300})", word)):
                return found[1]
    return ""


def _sed_start(request: Request) -> int | None:
    found = _SED.search(request.command[:2_000]) if "sed" in request.command[:2_000] else None
    return int(found[1]) if found else None


def _is_prose(path: str) -> bool:
    return path.lower().endswith(
        (".md", ".mdx", ".rst", ".txt", ".adoc", ".yaml", ".yml", ".toml", ".ini", ".cfg")
    )


def _top_names(symbols: list[tuple[str, int]], lines: list[str]) -> list[str]:
    if not symbols:
        return []
    indents = [len(lines[at]) - len(lines[at].lstrip()) for _, at in symbols]
    outer = min(indents)
    top = [name for (name, _), indent in zip(symbols, indents, strict=True) if indent == outer]
    rest = [name for (name, _), indent in zip(symbols, indents, strict=True) if indent > outer]
    return list(dict.fromkeys([*top, *rest]))


def _content(case: Case, lines: list[str], body: str) -> str:
    document = json_of(body.strip())
    if isinstance(document, dict):
        return f"JSON with {listing(map(str, document), len(document), 120)}"
    if isinstance(document, list):
        return f"JSON list of {len(document)}"
    failure = case.failures.first if case.failures.strong and case.counts is not None else ""
    if failure:
        return f"log of a failed run: {clip(failure, 120)}"
    if len(lines) > 1 and isinstance(entry := json_of(lines[0].strip()), dict):
        return f"JSON lines with {listing(map(str, entry), len(entry), 110)}"
    told = [line for line in lines if len(line.strip()) > 3]
    told = [line for line in told if not _FRAME.match(line)] or told
    telling = [one_line(_COMMENT.sub("", line), 120) for line in told]
    if not telling:
        return "nothing but blank lines"
    return telling[0] if len(telling) == 1 else f"{telling[0]} … {clip(telling[-1], 60)}"
