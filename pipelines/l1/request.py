"""The call as asked: its role, and the command, path, pattern or address in parameters of any shape."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

from pipelines.l1.commands import ShellCall, read_shell
from pipelines.l1.patches import FileChange, first_new_line, line_changes, read_patch
from pipelines.l1.tools import ACTS, Role, act_by_verb, bare_name, role_of
from pipelines.l1.wording import words
from pipelines.records import Act

COMMAND_KEYS = words("command cmd script code commands shell_command CommandLine input keystrokes chars")
PATH_KEYS = words(
    "file_path path filePath filename file absolute_path notebook_path target_file filepath relative_workspace_path "
    "file_name AbsolutePath TargetFile uri dir_path directory dir folder paths files"
)
PATTERN_KEYS = words(
    "pattern query regex search_term search Query glob glob_pattern q search_query file_name name term symbol"
)
OLD_KEYS = words("old_string old_str oldText old_text search oldString old_code TargetContent")
NEW_KEYS = words(
    "new_string new_str newText new_text replace newString text new_source insert_text code_edit replacement "
    "ReplacementContent file_text"
)
EDITOR_ROLES = {"view": Role.READ, "create": Role.WRITE, "str_replace": Role.EDIT, "insert": Role.EDIT,
                "undo_edit": Role.EDIT}  # fmt: skip
MAX_TEXT = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What was asked for, independent of the tool's maker."""

    tool_name: str
    role: Role
    act: Act
    params: dict[str, Any]
    free_text: str = ""
    """Parameters that are one text and no object."""
    command: str = ""
    shell: ShellCall | None = None
    path: str = ""
    pattern: str = ""
    url: str = ""
    changes: tuple[FileChange, ...] = ()
    first_line: int | None = None
    last_line: int | None = None

    def text(self, *keys: str) -> str:
        """Return the first of these parameters that is a non-empty text."""
        return next((v for k in keys if isinstance(v := self.params.get(k), str) and v.strip()), "")


def read_request(tool_name: str, params: Any) -> Request:
    """Read a tool name and its parameters; parameters may be an object, a JSON text, a plain text or nothing."""
    fields, free_text = _fields(params)
    request = Request(
        tool_name=tool_name, role=role_of(tool_name), act=Act.RUN, params=fields, free_text=free_text
    )
    request = replace(request, role=_role(request))
    command = _command(request) if request.role in (Role.SHELL, Role.PATCH, Role.OUTPUT) else ""
    request = replace(
        request,
        command=command,
        path=_first_text(fields, PATH_KEYS)
        if request.role not in (Role.SHELL, Role.AGENT, Role.PLAN)
        else "",
        pattern=_first_text(fields, PATTERN_KEYS),
        url=_first_text(fields, ("url", "URL", "uri", "link", "address")),
    )
    first, last = _line_range(fields)
    request = replace(request, first_line=first, last_line=last)
    if request.role is Role.SHELL and command:
        shell = read_shell(command)
        patch = shell.patch
        return replace(request, shell=shell, act=shell.act, changes=tuple(read_patch(patch)) if patch else ())
    act = ACTS[request.role]
    if request.role is Role.OTHER:
        act = act_by_verb(tool_name)
    if request.role in (Role.EDIT, Role.WRITE, Role.PATCH):
        request = replace(request, changes=tuple(_changes(request)))
    return replace(request, act=act)


def _fields(params: Any) -> tuple[dict[str, Any], str]:
    if isinstance(params, dict):
        return {str(key): value for key, value in params.items()}, ""
    if isinstance(params, str):
        if params.lstrip().startswith("{") and len(params) <= MAX_TEXT:
            try:
                loaded = json.loads(params)
            except (ValueError, RecursionError):
                loaded = None
            if isinstance(loaded, dict):
                return loaded, ""
        return {}, params[:MAX_TEXT]
    if isinstance(params, list) and params and all(isinstance(item, str) for item in params):
        return {"command": params}, ""
    return ({} if params is None else {"value": params}), ""


def _role(request: Request) -> Role:
    role, fields = request.role, request.params
    command = fields.get("command")
    name = bare_name(request.tool_name).lower()
    if isinstance(command, str) and command in EDITOR_ROLES and ("path" in fields or role is Role.EDIT):
        return EDITOR_ROLES[command]
    if role is Role.SHELL and isinstance(command, list) and command[:1] == ["apply_patch"]:
        return Role.PATCH
    if role is Role.OTHER and _first_text(fields, ("command", "cmd", "shell_command", "CommandLine")):
        return Role.SHELL
    if (
        role is Role.OTHER
        and isinstance(command, list)
        and command
        and all(isinstance(w, str) for w in command)
    ):
        return Role.SHELL
    if role is Role.EDIT and name in ("insert", "replace") and not fields and not request.free_text:
        return Role.OTHER
    if role is Role.READ and name in ("open", "goto") and request.text("url"):
        return Role.WEB_FETCH
    if role is Role.GLOB and name == "find" and not fields:
        return Role.OTHER
    return role


def _command(request: Request) -> str:
    for key in COMMAND_KEYS:
        value = request.params.get(key)
        if isinstance(value, str) and value.strip():
            return value[:MAX_TEXT]
        if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
            return _joined(value)
    action = request.params.get("action")
    if isinstance(action, dict):
        return _command(replace(request, params=action))
    return request.free_text


def _joined(words: list[str]) -> str:
    """Write an argument list as shell text; the script of `bash -lc` stands alone."""
    if len(words) >= 3 and words[0].rsplit("/", 1)[-1] in ("bash", "sh", "zsh") and words[1].startswith("-"):
        return words[2][:MAX_TEXT]
    if words[0] == "apply_patch" and len(words) > 1:
        return words[1][:MAX_TEXT]
    quoted = (word if word and not set(word) & set(" \t\n'\"\\$|&;<>()*?#`") else "'" + word.replace("'", "'\\''") + "'"
              for word in words)  # fmt: skip
    return " ".join(quoted)[:MAX_TEXT]


def _first_text(fields: dict[str, Any], keys: tuple[str, ...]) -> str:
    for key in keys:
        value = fields.get(key)
        if isinstance(value, str) and value.strip():
            return value.strip()[:2_000]
        if isinstance(value, list) and value and isinstance(value[0], str):
            return value[0][:2_000]
        if (
            isinstance(value, list)
            and value
            and isinstance(value[0], dict)
            and isinstance(value[0].get("path"), str)
        ):
            return str(value[0]["path"])[:2_000]
    return ""


def _line_range(fields: dict[str, Any]) -> tuple[int | None, int | None]:
    span = fields.get("view_range")
    if isinstance(span, list) and len(span) == 2 and all(isinstance(n, int) for n in span):
        return span[0], span[1] if span[1] > 0 else None
    first = next(
        (
            fields[k]
            for k in ("offset", "start_line", "line_number", "startLine", "StartLine", "line")
            if _whole(fields.get(k))
        ),
        None,
    )
    last = next((fields[k] for k in ("end_line", "endLine", "EndLine") if _whole(fields.get(k))), None)
    limit = fields.get("limit")
    if _whole(limit) and last is None:
        start = max(first or 1, 1)
        return start, start + limit - 1  # type: ignore[operator]
    return first, last


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**9


def _changes(request: Request) -> list[FileChange]:
    fields = request.params
    if request.role is Role.PATCH:
        return read_patch(
            request.command or request.text("patch", "diff", "input", "patchText") or request.free_text
        )
    if request.role is Role.WRITE:
        text = request.text("content", "file_text", "text", "contents", "CodeContent", "new_content")
        change = FileChange(path=request.path, verb="write", added=_lines(text), new_text=text[:20_000])
        return [change] if request.path else []
    pairs = fields.get("edits")
    steps = [step for step in pairs if isinstance(step, dict)] if isinstance(pairs, list) else [fields]
    change = FileChange(path=request.path)
    for step in steps[:200]:
        old = _first_text_raw(step, OLD_KEYS)
        new = _first_text_raw(step, NEW_KEYS)
        added, removed = line_changes(old, new) if old and new else (_lines(new), _lines(old))
        change.added += added
        change.removed += removed
        change.new_text += new[:20_000]
        change.first_new = change.first_new or first_new_line(old, new)
    if not (change.added or change.removed or change.path):
        return []
    diff = request.text("diff", "patch")
    return read_patch(diff) or [change] if diff else [change]


def _first_text_raw(fields: dict[str, Any], keys: tuple[str, ...]) -> str:
    return next((v[:MAX_TEXT] for k in keys if isinstance(v := fields.get(k), str) and v), "")


def _lines(text: str) -> int:
    return text.count("\n") + (0 if not text or text.endswith("\n") else 1)
