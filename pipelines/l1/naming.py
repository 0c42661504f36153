"""The call in one line, as a person would name it."""

from __future__ import annotations

import json
import re
from typing import Any

from pipelines.l1.patches import FileChange, signed
from pipelines.l1.plans import plan_words
from pipelines.l1.request import Request
from pipelines.l1.scripts import without_scripts
from pipelines.l1.splitting import split_commands
from pipelines.l1.tools import Role, bare_name, server_name
from pipelines.l1.wording import clip, one_line, short_path
from pipelines.records import Act

LIMIT = 150
_CD = re.compile(r"^\s*cd\s+(?:\"[^\"\n]{1,400}\"|'[^'\n]{1,400}'|[^\s;&|]{1,400})\s*(?:&&|;|\n)\s*")
_NOISE = re.compile(
    r"\s+2>&1\b|\s+2>\s?/dev/null|\s*\|\s*(?:cat|(?:head|tail)(?:\s+-[\w]{1,8}){0,2}(?:\s+\d{1,6})?)\s*$"
)
_LONG_PATH = re.compile(r"(?<![\w.:/-])/(?:[\w.@+-]{1,120}/){3,40}[\w.@+*-]{0,120}")


def tool_call_line(request: Request) -> str:
    """Return the call in one line of at most 150 characters, from the parameters alone."""
    writer = _WRITERS.get(request.role)
    line = writer(request) if writer else ""
    return clip(one_line(line or _generic(request), 600), LIMIT)


def command_line(text: str) -> str:
    """Return a shell text as one line: folder changes, stream joins, here-document bodies and paging left out."""
    for _ in range(3):
        found = _CD.match(text[:1_000])
        if not found or found.end() >= len(text.rstrip()):
            break
        text = text[found.end() :]
    text = without_scripts(text[:40_000])
    for _ in range(4):
        shorter = _NOISE.sub("", text)
        if shorter == text:
            break
        text = shorter
    lines = [line.strip() for line in text.split("\n") if line.strip() and not line.lstrip().startswith("#")]
    text = " ; ".join(line.rstrip("\\").rstrip() for line in lines) if _separate(lines) else " ".join(lines)
    return _LONG_PATH.sub(lambda found: short_path(found[0], 44), one_line(text, 1_000))


def _separate(lines: list[str]) -> bool:
    return (
        len(lines) > 1
        and len(split_commands("\n".join(lines[:40]))) > 1
        and not any('-c "' in line for line in lines[:3])
    )


def _shell(request: Request) -> str:
    if request.changes:
        return _patch(request)
    line = command_line(request.command)
    shell = request.shell
    if shell is None or shell.telling is None or (len(line) <= LIMIT and "<<…" not in line):
        return line
    place = shell.parts.index(shell.telling)
    if place == 0 or shell.telling.act is Act.RUN:
        return line
    return "… && " + command_line(_quoted(shell.telling.words))


def _quoted(words: tuple[str, ...]) -> str:
    """Write words as a command again; a message that a here-document gives stands as its first line."""
    shown = []
    for word in words:
        if word.startswith("$(cat <<"):
            word = next((line for line in word.split("\n")[1:] if line.strip()), "…")
        plain = word and not set(word) & set(" \t\n'\"$|&;<>()")
        shown.append(word if plain else '"' + word.split("\n")[0].replace('"', "'") + '"')
    return " ".join(shown)


def _output(request: Request) -> str:
    target = request.text("task_id", "bash_id", "shell_id", "agentId", "sessionId") or str(
        request.params.get("session_id", "")
    )
    action = request.text("action")
    return " ".join(
        part for part in (bare_name(request.tool_name), action, target, one_line(request.command, 60)) if part
    )


def _span(request: Request) -> str:
    if request.first_line is None:
        return ""
    if request.last_line is None:
        return f":{request.first_line}"
    return f":{request.first_line}-{request.last_line}"


def _read(request: Request) -> str:
    return f"Read {short_path(request.path)}{_span(request)}" if request.path else ""


def _edit(request: Request) -> str:
    if not request.path and not request.changes:
        return ""
    path = request.path or request.changes[0].path
    added = sum(change.added for change in request.changes)
    removed = sum(change.removed for change in request.changes)
    amount = f" ({signed(added, removed)})" if added or removed else ""
    return f"Edit {short_path(path)}{amount}"


def _write(request: Request) -> str:
    if not request.path:
        return ""
    lines = sum(change.added for change in request.changes)
    return f"Write {short_path(request.path)}" + (
        f" ({lines} {'line' if lines == 1 else 'lines'})" if lines else ""
    )


def _patch(request: Request) -> str:
    if not request.changes:
        return ""
    words = {"add": "new ", "delete": "delete "}
    names = ", ".join(words.get(c.verb, "") + short_path(c.path, 40) for c in _distinct(request.changes)[:4])
    more = len(_distinct(request.changes)) - 4
    amount = signed(sum(c.added for c in request.changes), sum(c.removed for c in request.changes))
    return f"Patch {clip(names, 110)}{f' and {more} more' if more > 0 else ''} ({amount})"


def _distinct(changes: tuple[FileChange, ...]) -> list[FileChange]:
    return list({change.path: change for change in changes}.values())


def _search(request: Request) -> str:
    if not request.pattern:
        return ""
    verb = "Grep" if request.role is Role.GREP else "Glob"
    place = f" in {short_path(request.path)}" if request.path and request.path != request.pattern else ""
    kind = request.text("glob", "include", "type", "file_pattern", "includePattern")
    quoted = f'"{clip(one_line(request.pattern), 70)}"' if verb == "Grep" else clip(request.pattern, 70)
    return f"{verb} {quoted}{place}" + (f" ({clip(kind, 30)})" if kind and kind != request.pattern else "")


def _list(request: Request) -> str:
    return f"List {short_path(request.path or '.')}"


def _web_search(request: Request) -> str:
    return f'Web search "{one_line(request.pattern, 110)}"' if request.pattern else ""


def _web_fetch(request: Request) -> str:
    return f"Fetch {request.url}" if request.url else ""


def _plan(request: Request) -> str:
    words = plan_words(request)
    return f"{bare_name(request.tool_name)}: {words}" if words else ""


def _agent(request: Request) -> str:
    aim = request.text(
        "description", "task_name", "title", "prompt", "task", "message", "instructions", "goal"
    )
    kind = request.text("subagent_type", "agent_type", "agent", "mode")
    return (
        f"{bare_name(request.tool_name)}: {one_line(aim, 110)}" + (f" ({kind})" if kind else "")
        if aim
        else ""
    )


def _ask(request: Request) -> str:
    asked = request.params.get("questions")
    question = request.text("question", "text", "message", "summary")
    if not question and isinstance(asked, list) and asked and isinstance(asked[0], dict):
        question = str(asked[0].get("question", ""))
    return f"Ask: {one_line(question, 130)}" if question else ""


def _generic(request: Request) -> str:
    server = server_name(request.tool_name)
    name = one_line(bare_name(request.tool_name), 60) or "tool"
    line = f"{server} {name}" if server else name
    if request.free_text:
        return f"{line} {one_line(request.free_text, 200)}"
    words = [
        f"{key}={_value(value)}"
        for key, value in list(request.params.items())[:12]
        if value not in (None, "", [], {})
    ]
    return " ".join([line, *words])


def _value(value: Any) -> str:
    if isinstance(value, str):
        text = one_line(value, 60)
        return f'"{text}"' if " " in text or not text else short_path(text, 60)
    if isinstance(value, dict | list):
        if isinstance(value, list) and len(value) <= 4 and all(isinstance(v, str | int) for v in value):
            return ",".join(one_line(str(v), 30) for v in value)
        return f"[{len(value)}]" if isinstance(value, list) else "{…}"
    return json.dumps(value) if isinstance(value, bool | int | float) else "…"


_WRITERS = {
    Role.SHELL: _shell,
    Role.OUTPUT: _output,
    Role.READ: _read,
    Role.EDIT: _edit,
    Role.WRITE: _write,
    Role.PATCH: _patch,
    Role.GREP: _search,
    Role.GLOB: _search,
    Role.LIST: _list,
    Role.WEB_SEARCH: _web_search,
    Role.WEB_FETCH: _web_fetch,
    Role.PLAN: _plan,
    Role.AGENT: _agent,
    Role.ASK: _ask,
}
