"""Search hits and listings: how many, where most of them are, and the first ones."""

from __future__ import annotations

import re
from collections import Counter

from pipelines.l1.case import Case, Finding
from pipelines.l1.wording import clip, count, listing, one_line, short_path

PER_FILE = 2
"""Places of one file among the keys."""
_HIT = re.compile(r"((?:[A-Za-z]:)?[^:\n]{1,300}?):(\d{1,7}):(.*)")
_CONTEXT = re.compile(r"[\w@+~./ -]{1,300}?-(\d{1,7})-")
_NUMBERED = re.compile(r"(\d{1,7}):(.*)")
_FILE_HIT = re.compile(r"((?:\.{0,2}/)?[\w@+~.-]{1,100}(?:/[\w@+~.\[\]()-]{1,120})*\.\w{1,10}):(.*)")
_PATH = re.compile(r"(?:[A-Za-z]:)?[\w@+~./\\\[\](){} -]{1,400}")
_NOTHING = re.compile(r"(?:No (?:matches|files|results|matching files|content|hits)(?: were)?(?: found)?|"
                      r"0 (?:matches|results|files)|Nothing found|No results?\b)",
                      re.IGNORECASE)  # fmt: skip
_FOUND = re.compile(r"Found (\d{1,9}) (?:total )?(\w{1,20})[^\n]{0,300}$")
_LONG_LIST = re.compile(
    r"([dlcbps-])[rwxsStT-]{9}[.+@]?\s+\d+\s+\S+\s+\S+\s+[\d,.]+\w?\s+"
    r"(?:[A-Z][a-z]{2}\s+\d{1,2}\s+[\d:]{4,5}|\d{1,2}\s+[A-Z][a-z]{2}\s+[\d:]{4,5}|"
    r"\d{4}-\d\d-\d\d\s+\d\d:\d\d(?::[\d.]+\s+[+-]\d{4})?)\s+(\S.*)$"
)


def read_search(case: Case) -> Finding:
    """Say how much was found and where."""
    lines = [line for line in case.view.telling if line.strip() != "--"]
    about = _about(case)
    if not lines or _NOTHING.match(case.text[:60]):
        return Finding(parts=(f"no match{about}",), complete=True)
    said = _FOUND.match(lines[0][:400])
    if said:
        lines = lines[1:] or lines
    if any(_LONG_LIST.match(line[:500]) for line in lines[:5]):
        return _long_listing(lines)
    if _is_column_list(case, lines):
        return _column_list(lines)
    hits = [hit for line in lines if (hit := _HIT.match(line[:600])) and not hit[1].strip().isdigit()]
    context = sum(bool(_CONTEXT.match(line[:600])) for line in lines)
    if hits and len(hits) * 2 >= len(lines) - context:
        return _located(case, hits, about)
    numbered = [hit for line in lines if (hit := _NUMBERED.match(line[:600].strip()))]
    context = sum(bool(re.match(r"\d{1,7}-", line)) for line in lines)
    if numbered and len(numbered) * 2 >= len(lines) - context:
        return _in_one_file(case, numbered, about)
    filed = [hit for line in lines if (hit := _FILE_HIT.match(line[:600]))]
    if len(filed) * 2 >= len(lines):
        return _by_file(case, [(hit[1], hit[2]) for hit in filed], about)
    if all(_PATH.fullmatch(line.strip()[:400]) and " " not in line.strip()[:60] for line in lines[:50]):
        return _paths(case, lines, said[1] if said else "")
    first = one_line(_first_with(lines, case.request.pattern or _searched(case)), 120)
    total = case.view.line_count if case.view.partial else len(lines)
    return Finding(
        parts=(
            f"{count(total, 'line')}{about}: {first}",
            f"last: {one_line(lines[-1], 60)}" if len(lines) > 1 else "",
        )
    )


def _is_column_list(case: Case, lines: list[str]) -> bool:
    shell = case.request.shell
    return bool(
        shell
        and shell.parts
        and all(part.program in ("ls", "dir") for part in shell.parts)
        and not any("-l" in word for part in shell.parts for word in part.words)
        and any(re.search(r"\S(?:\t|  )\s*\S", line) for line in lines)
    )


def _column_list(lines: list[str]) -> Finding:
    names = [name for line in lines for name in line.split()]
    return Finding(
        parts=(f"{count(len(names), 'entry', 'entries')}: {listing(names, len(names), 150)}",),
        keys=tuple(names[:10]),
    )


def _about(case: Case) -> str:
    pattern = case.request.pattern or _searched(case)
    return f" for {clip(one_line(pattern), 50)!r}" if pattern else ""


def _first_with(lines: list[str], pattern: str) -> str:
    """Return the first line that holds a plain part of the pattern: with context lines around it is not line one."""
    plain = [part.strip("^$.*\\ ") for part in re.split(r"\\?\|", pattern[:400])]
    plain = [part for part in plain if len(part) > 2]
    return next((line for line in lines if any(part in line for part in plain)), lines[0])


def _searched(case: Case) -> str:
    for part in case.request.shell.parts if case.request.shell else ():
        if part.program in ("grep", "egrep", "fgrep", "rg", "ag", "ack", "zgrep"):
            words = [word for word in part.words[1:] if not word.startswith("-") and not word.isdigit()]
            return words[0] if words else ""
    return ""


def _located(case: Case, hits: list[re.Match[str]], about: str) -> Finding:
    spots: dict[str, list[str]] = {}
    for hit in hits:
        spots.setdefault(hit[1].strip(), []).append(hit[2])
    most = sorted(spots, key=lambda path: -len(spots[path]))
    keys = tuple(f"{short_path(path, 70)}:{number}" for path in most for number in spots[path][:PER_FILE])
    finding = _by_file(case, [(hit[1].strip(), hit[3]) for hit in hits], about)
    return Finding(parts=finding.parts, keys=keys, symbols=finding.symbols)


def _by_file(case: Case, hits: list[tuple[str, str]], about: str) -> Finding:
    files = Counter(path for path, _ in hits)
    names = [
        f"{_tail(path)} ({number})" if number > 1 else _tail(path) for path, number in files.most_common(6)
    ]
    total = f"{'over ' if case.view.partial else ''}{count(len(hits), 'hit')}"
    first = one_line(hits[0][1], 80)
    return Finding(
        parts=(
            f"{total} in {count(len(files), 'file')}{about}",
            listing(names, len(files), 90),
            f"first: {first}",
        ),
        keys=tuple(short_path(path, 78) for path, _ in files.most_common(8)),
        symbols=tuple(list(files)[:3]),
    )


def _in_one_file(case: Case, hits: list[re.Match[str]], about: str) -> Finding:
    numbers = [hit[1] for hit in hits]
    first = one_line(hits[0][2], 90)
    return Finding(
        parts=(
            f"{count(len(hits), 'hit')}{about} at {listing(numbers, len(numbers), 40)}",
            f"first: {first}",
        ),
        keys=tuple(f"{hit[1]}: {one_line(hit[2], 60)}" for hit in hits[:8]),
    )


def _paths(case: Case, lines: list[str], said: str) -> Finding:
    paths = [line.strip() for line in lines]
    total = int(said) if said else case.view.line_count if case.view.partial else len(paths)
    folders = Counter(path.rsplit("/", 1)[0] for path in paths if "/" in path)
    parts = [f"{count(total, 'path')}: {listing([_tail(path) for path in paths], total, 120)}"]
    if len(folders) > 1:
        top, number = folders.most_common(1)[0]
        parts.append(f"most in {short_path(top, 40)} ({number})")
    return Finding(
        parts=tuple(parts),
        keys=tuple(short_path(path, 78) for path in paths[:10]),
        symbols=tuple(paths[:3]),
        complete=total <= 3 and total == len(paths) and len(folders) <= 1,
    )


def _long_listing(lines: list[str]) -> Finding:
    found = [(hit[1], hit[2]) for line in lines if (hit := _LONG_LIST.match(line[:500]))]
    shown = [name + ("/" if kind == "d" else "") for kind, name in found if name not in (".", "..")]
    folders = sum(kind == "d" for kind, name in found if name not in (".", ".."))
    word = f" ({count(folders, 'folder')})" if folders else ""
    return Finding(
        parts=(f"{count(len(shown), 'entry', 'entries')}{word}: {listing(shown, len(shown), 140)}",),
        keys=tuple(shown[:10]),
    )


def _tail(path: str) -> str:
    return path.rstrip("/").rsplit("/", 1)[-1] or path
