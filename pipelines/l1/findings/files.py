"""Files that were read: how much of them, and what they define."""

from __future__ import annotations

import re

from pipelines.l1.case import Case, Finding
from pipelines.l1.findings.symbols import symbols_in
from pipelines.l1.kinds import json_of
from pipelines.l1.request import Request
from pipelines.l1.view import without_gutter
from pipelines.l1.wording import clip, count, listing, one_line

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
_COMMENT = re.compile(r"\s*(?://|#+\s|/\*|\*|--|;|<!--|\"\"\"|''')\s?")


def read_file(case: Case) -> Finding:
    """Say which part of a file was shown and what it defines."""
    path = file_path(case.request)
    text, total = case.view.text, 0
    if found := _WINDOW_HEAD.match(text):
        text, total = text[found.end() :], int(found[2])
        path = path or found[1]
    elif found := _VIEW_HEAD.match(text):
        text = text[found.end() :]
    text = _MORE.sub("", text)
    body, first = without_gutter(text)
    lines = [line[:400] for line in body.split("\n")]
    while lines and not lines[-1].strip():
        lines.pop()
    shown = len(lines) if not case.view.partial else case.view.line_count
    first = first or case.request.first_line or _sed_start(case.request) or 1
    span = f"lines {first}–{first + shown - 1}" if first > 1 else count(shown, "line")
    if first > 1 and shown == 1:
        span = f"line {first}"
    if total and total > shown:
        span += f" of {total}"
    symbols = [] if case.view.partial else symbols_in(lines, path)
    names = _top_names(symbols, lines)
    if names:
        parts = [
            f"{span}; defines {listing(names, len(names), 130)}"
            if not _is_prose(path)
            else f"{span}: {listing(names, len(names), 150)}"
        ]
    else:
        parts = [f"{span}: {_content(case, lines, body)}"]
    keys = tuple(f"{name}:{first + at}" for name, at in symbols[:10])
    return Finding(parts=tuple(parts), keys=keys, symbols=tuple(names[:4]))


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
    telling = [one_line(_COMMENT.sub("", line), 120) for line in lines if len(line.strip()) > 3]
    if not telling:
        return "nothing but blank lines"
    return telling[0] if len(telling) == 1 else f"{telling[0]} … {clip(telling[-1], 60)}"
