"""Names that a piece of code or prose defines: functions, classes, headings, keys."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

_WORDS = (
    r"(?:export\s+|default\s+|declare\s+|pub(?:\([a-z]{1,10}\))?\s+|public\s+|private\s+|protected\s+|internal\s+|static\s+|final\s+|"
    r"abstract\s+|sealed\s+|async\s+|unsafe\s+|extern\s+|override\s+|open\s+|data\s+|inline\s+|const\s+(?=fn|enum)){0,5}"
    r"(?P<word>def|class|function\*?|func|fun|fn|interface|type|struct|enum|trait|impl|module|namespace|defmodule|defp?|defmacro|"
    r"record|protocol|extension|object|macro_rules!|CREATE TABLE|describe|it|test|sub|proc)\s+"
)
_DEFINES = re.compile(
    r"(?P<indent>[ \t]{0,12})" + _WORDS + r"(?:\([^)\n]{0,80}\)\s{0,3})?(?P<name>[A-Za-z_$][\w.:!?$-]{0,80})"
)
_ARROW = re.compile(r"(?P<indent>[ \t]{0,4})(?:export\s+)?(?:const|let|"
                    r"var)\s+(?P<name>[A-Za-z_$][\w$]{0,80})\s*(?::[^=\n]{1,120})?=\s*"
                    r"(?:async\s*)?(?:\(|function|[\w$]{1,40}\s*=>|\{|class\b)")  # fmt: skip
_C_FUNCTION = re.compile(
    r"(?P<indent>)(?:[A-Za-z_][\w:<>,*&]{0,60}[\s*&]+){1,5}(?P<name>[A-Za-z_][\w:~]{0,80})\([^;\n]{0,200}$"
)
_METHOD = re.compile(r"(?P<indent>[ \t]{2,8})(?:(?:public|private|protected|static|async|get|set|override|"
                     r"readonly)\s+){0,4}"
                     r"(?P<name>[A-Za-z_$][\w$]{1,60})\([^()\n]{0,160}\)\s*(?::[^={\n]{1,80})?\{\s*$")  # fmt: skip
_CONSTANT = re.compile(r"(?P<indent>)(?P<name>[A-Z][A-Z0-9_]{3,60})\s{0,4}(?::[^=\n]{1,60})?=")
_HEADING = re.compile(r"#{1,4}\s+(.{1,120})")
_PROSE = {
    "is",
    "the",
    "a",
    "an",
    "of",
    "for",
    "to",
    "and",
    "that",
    "in",
    "this",
    "with",
    "or",
    "as",
    "will",
    "are",
    "should",
    "can",
}
_CONTROL = _PROSE | {
    "if",
    "for",
    "while",
    "switch",
    "catch",
    "return",
    "else",
    "function",
    "constructor",
    "elif",
    "sizeof",
    "with",
}
PROSE = {".md", ".mdx", ".rst", ".txt", ".adoc"}
DATA = {
    ".json",
    ".yaml",
    ".yml",
    ".toml",
    ".ini",
    ".cfg",
    ".lock",
    ".csv",
    ".tsv",
    ".env",
    ".jsonl",
    ".xml",
    ".html",
}


def symbols_in(lines: list[str], path: str = "", limit: int = 60) -> list[tuple[str, int]]:
    """Return (name, line index) of what the lines define, outermost first within reading order."""
    suffix = PurePosixPath(path).suffix.lower()
    if suffix in PROSE:
        return [
            (found[1].strip(" #*`"), at)
            for at, line in enumerate(lines)
            if (found := _HEADING.match(line[:200]))
        ][:limit]
    if suffix in (".yaml", ".yml", ".toml", ".ini", ".cfg"):
        pattern = re.compile(r"(?:\[{1,2}([\w.\"-]{1,80})\]{1,2}|([A-Za-z_][\w-]{0,60}):)")
        return [
            (found[1] or found[2], at)
            for at, line in enumerate(lines)
            if (found := pattern.match(line[:200]))
        ][:limit]
    if suffix in DATA:
        return []
    defined: list[tuple[str, int]] = []
    for at, line in enumerate(lines):
        name = _defined(line[:300], suffix)
        if name and name not in _CONTROL:
            defined.append((name, at))
            if len(defined) >= limit:
                break
    return defined


def _defined(line: str, suffix: str) -> str:
    if hit := _DEFINES.match(line):
        if hit["word"] in (
            "type",
            "it",
            "test",
            "describe",
            "package",
            "object",
            "sub",
            "record",
            "module",
            "extension",
        ) and suffix in (".py", ".txt", ""):
            return ""
        return hit["name"].rstrip(":.")
    if hit := (_ARROW.match(line) or _METHOD.match(line) or _CONSTANT.match(line)):
        return hit["name"]
    if suffix in (".c", ".h", ".cc", ".cpp", ".hpp", ".cxx", ".java", ".cs", ".m", ".pony") and (
        hit := _C_FUNCTION.match(line)
    ):
        return hit["name"]
    return ""
