"""Scripts and files written into a shell command, told by their size and first telling statement."""

from __future__ import annotations

import re

from pipelines.l1.splitting import split_commands
from pipelines.l1.wording import clip, count, one_line, short_path, words

LONG = 80
"""An inline script of at most this many characters on one line is shown as it is."""
STATEMENT = 90
MAX_SCRIPTS = 10
HEREDOC = re.compile(r"<<-?\s{0,4}(['\"]?)([\w.-]{1,80})\1")
_INLINE = re.compile(
    r"\b(?:python[\d.]{0,6}|pypy3?|node|ruby|perl|php|bun|deno)(?: [^\n\"'|;&]{0,60})? "
    r"(?:-c|-e|-r|-p|-pe|-ne|--eval|eval) ?(?=[\"'])"
)
_JOINT = re.compile(r"\s{0,20}(?:&&|\|\||;|\|)\s{0,20}")
_INTERPRETERS = frozenset(
    words(
        "python python2 python3 pypy node ruby perl php bun deno bash sh zsh psql mysql sqlite3 osascript go"
    )
)
_UNTELLING = re.compile(
    r"\s{0,40}(?:#|//|--|/\*|\*|import\b|from \S{1,80} import\b|(?:const|let|var) .{1,80}= ?require\(|use strict|"
    r"[\"']use |set -|BEGIN\b|package |try:|\W{0,8}$)"
)


def without_scripts(text: str) -> str:
    """Return a shell text with each here-document and each long inline script reduced to a few words."""
    return _without_inline(_without_heredocs(text))


def _without_heredocs(text: str) -> str:
    found = HEREDOC.search(text)
    for _ in range(MAX_SCRIPTS):
        if not found:
            break
        body = text.find("\n", found.end())
        if body < 0:
            break
        end = re.compile(rf"^[\t ]*{re.escape(found[2])}[ \t]*$", re.MULTILINE).search(text, body + 1)
        script, rest = (text[body + 1 : end.start()], text[end.end() :]) if end else (text[body + 1 :], "")
        begin, stop = _segment(text, found.start(), body)
        said = _described(text[begin:stop], script)
        if said:
            head, tail = text[:begin] + said, text[stop:body]
        else:
            head, tail = text[: found.start()] + "<<…", text[found.end() : body]
        text = head + tail + rest
        found = HEREDOC.search(text, len(head))
    return text


def _segment(text: str, at: int, line_end: int) -> tuple[int, int]:
    """Return where the command around a place begins and ends on its line."""
    begin = text.rfind("\n", 0, at) + 1
    for joint in _JOINT.finditer(text, max(begin, at - 2_000), at):
        begin = joint.end()
    following = _JOINT.search(text, at, line_end)
    return begin, following.start() if following else line_end


def _described(command: str, script: str) -> str:
    commands = split_commands(command)
    if len(commands) != 1 or not commands[0].words:
        return ""
    one, amount = commands[0], count(_lines(script), "line")
    program = one.words[0].rsplit("/", 1)[-1]
    if program in ("cat", "tee"):
        target = next(iter(one.writes), "") or next((w for w in one.words[1:] if w[:1] != "-"), "")
        verb = "append to" if ">>" in command or "-a" in one.words else "write"
        return f"{verb} {short_path(target)} from a heredoc ({amount})" if target else ""
    if re.sub(r"\.\d{1,3}$", "", program) in _INTERPRETERS:
        shown = " ".join(short_path(word, 40) for word in (program, *one.words[1:4]))
        return f"{shown} ({amount}): {_statement(script)}"
    return ""


def _without_inline(text: str) -> str:
    found = _INLINE.search(text)
    for _ in range(MAX_SCRIPTS):
        if not found:
            break
        quote, start = text[found.end()], found.end() + 1
        end = text.find(quote, start)
        while quote == '"' and end > 0 and text[end - 1] == "\\":
            end = text.find(quote, end + 1)
        if end < 0:
            end = len(text)
        script = text[start:end].replace('\\"', '"')
        at = end + 1
        if "\n" in script.strip() or len(script) > LONG:
            said = f"({count(_lines(script), 'line')}): {_statement(script)}"
            text = f"{text[: found.end()].rstrip()} {said}{text[end + 1 :]}"
            at = found.end() + len(said)
        found = _INLINE.search(text, at)
    return text


def _lines(script: str) -> int:
    return len(script.strip("\n").split("\n"))


def _statement(script: str) -> str:
    """Return the first line that does something, else the first that is not blank."""
    lines = [line for line in script[:20_000].split("\n") if line.strip()]
    first = next((line for line in lines if not _UNTELLING.match(line[:200])), lines[0] if lines else "")
    return clip(one_line(first, 400), STATEMENT)
