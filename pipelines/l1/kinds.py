"""What a result is, by its tool, its command and its look."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Any

from pipelines.l1.case import Case
from pipelines.l1.flags import SHELLS
from pipelines.l1.tools import Role
from pipelines.l1.wording import words
from pipelines.records import Act, Kind

MAX_JSON = 4 << 20
READERS = frozenset(
    words("cat head tail nl sed bat less more awk tac view open goto scroll_up scroll_down Get-Content")
)
SEARCHERS = frozenset(
    words(
        "grep egrep fgrep rg ag ack find fd fdfind ls tree dir locate search_dir search_file find_file zgrep ll "
        "Select-String Get-ChildItem ast-grep"
    )
)
DIFFERS = re.compile(r"git (?:-\S+ )*(?:diff|show|format-patch|stash show)\b|diff\b|gh pr diff\b")
INSTALLERS = re.compile(
    r"(?:npm|pnpm|yarn|bun|pip3?|uv|poetry|apt|apt-get|brew|gem|bundle|cargo|composer|go (?:get|mod|install)|"
    r"conda|mix deps)\b"
)
_DIFF = re.compile(r"^(?:diff --git a/|--- \S.{0,400}\n\+\+\+ \S|\*\*\* Begin Patch)", re.MULTILINE)
_HTML = re.compile(r"\s{0,40}(?:<\?xml[^>]{0,200}\?>\s{0,40})?<(?:!doctype html|html|head|body|svg|div|rss|"
                   r"feed|urlset|table)\b",
                   re.IGNORECASE)  # fmt: skip
_BY_ROLE = {
    Role.PLAN: Kind.PLAN,
    Role.AGENT: Kind.AGENT,
    Role.EDIT: Kind.EDIT,
    Role.WRITE: Kind.EDIT,
    Role.PATCH: Kind.EDIT,
    Role.READ: Kind.FILE,
    Role.GREP: Kind.SEARCH,
    Role.GLOB: Kind.SEARCH,
    Role.LIST: Kind.SEARCH,
    Role.WEB_SEARCH: Kind.WEB,
    Role.WEB_FETCH: Kind.WEB,
}


def kind_of(case: Case) -> Kind:
    """Return the kind of a result."""
    role, text = case.request.role, case.text
    if case.reading.declined:
        return Kind.TEXT
    if case.media and len(re.sub(r"\[[^\]\n]{1,200}\]", "", text).strip()) < 80:
        return Kind.IMAGE if any(part.media_type.startswith("image") for part in case.media) else Kind.BINARY
    if role is Role.PLAN:
        return Kind.PLAN
    if not text:
        return Kind.EMPTY
    if case.reading.cut.pointer:
        return Kind.POINTER
    if is_binary(text):
        return Kind.BINARY
    if role in _BY_ROLE:
        kind = _BY_ROLE[role]
        return Kind.HTML if kind is Kind.WEB and _HTML.match(text[:500]) else kind
    if role is Role.SHELL:
        return _of_shell(case)
    return _by_look(case) or (Kind.SHELL if role is Role.OUTPUT else Kind.TEXT)


def is_binary(text: str) -> bool:
    """Tell whether a text is bytes that were printed: control or replacement characters all over."""
    head = text[:4_000]
    odd = sum(
        1
        for char in head
        if (char < " " and char not in "\t\n\r\x0c\x1b\x08")
        or char == "\ufffd"
        or "\ud800" <= char < "\ue000"
    )
    return odd > max(2, len(head) // 12)


def json_of(text: str) -> Any:
    """Return the JSON document that a text is, or None; large ones are not parsed."""
    return (
        _parsed(text)
        if text[:1] in ("{", "[") and text[-1:] in ("}", "]") and len(text) <= MAX_JSON
        else None
    )


@lru_cache(maxsize=4)
def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def looks_like_json(text: str) -> bool:
    """Tell whether a text begins as a JSON document, whole or cut."""
    return bool(
        re.match(r'(?:\{\s{0,40}"[^"\n]{1,200}"\s{0,4}:|\[\s{0,40}(?:\{\s{0,40}"|\[|"|-?\d|\]))', text[:300])
    )


def _of_shell(case: Case) -> Kind:
    shell = case.request.shell
    if case.request.changes:
        return Kind.EDIT
    if shell is None or shell.telling is None:
        return _by_look(case) or Kind.SHELL
    line = " ".join(shell.telling.words)[:400]
    if shell.act is Act.TEST:
        return Kind.TEST_LOG
    if shell.act is Act.VERIFY:
        return Kind.BUILD_LOG
    if re.match(r"git show (?:-\S+ )*[^\s:]+:\S", line):
        return Kind.FILE
    if re.match(r"(?:git|gh) .{0,200}(?:--name-only|--name-status)\b|git ls-files\b", line):
        return Kind.SEARCH
    if re.match(r"(?:edit|insert|create|str_replace) ", line):
        return Kind.EDIT
    if DIFFERS.match(line) and not any(part.program in SEARCHERS for part in shell.parts):
        return Kind.DIFF if _DIFF.search(case.text[:20_000]) else _by_look(case) or Kind.SHELL
    if shell.act is Act.CHANGE and INSTALLERS.match(line):
        return Kind.BUILD_LOG
    if shell.act is Act.EXPLORE:
        programs = [part.program for part in shell.parts]
        if _names_failure_only(case):
            return Kind.SHELL
        if any(program in SEARCHERS for program in programs):
            return Kind.SEARCH
        if all(program in READERS for program in programs) and programs:
            return Kind.FILE
    return _by_look(case) or Kind.SHELL


def _names_failure_only(case: Case) -> bool:
    """Tell whether a looking command only says that it could not look: `ls: /x: No such file or directory`."""
    lines = case.lines
    if not 0 < len(lines) <= 2 or not case.failures.strong:
        return False
    programs = {part.program for part in case.request.shell.parts} if case.request.shell else set()
    own = all(line.split(":", 1)[0].strip() in programs | SHELLS for line in lines)
    return own or case.reading.exit_status not in (None, 0)


def _by_look(case: Case) -> Kind | None:
    text = case.text
    if text in ("{}", "[]"):
        return Kind.JSON
    if looks_like_json(text) and (json_of(text) is not None or case.view.partial or case.reading.cut.missing):
        return Kind.JSON
    if _HTML.match(text[:500]):
        return Kind.HTML
    if case.trace is not None:
        return Kind.TEST_LOG if case.counts is not None else Kind.TRACEBACK
    if case.counts is not None and (case.counts.passed or case.counts.failed):
        return Kind.TEST_LOG
    if _DIFF.search(text[:4_000]):
        return Kind.DIFF
    return None
