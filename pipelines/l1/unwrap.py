"""Host wrappers around an output taken off: exit status, time-outs, refusals, and what the host cut."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from pipelines.l1.cuts import NOTHING_CUT, Cut, cut_in
from pipelines.l1.gojson import as_log, is_event_stream
from pipelines.l1.hostwords import DECLINED, INTERRUPTED, RUNNING, SILENT

HEAD = 4_000
TAIL = 1_500

_EXIT_HEAD = re.compile(r"\s{0,8}(?:Error: )?Exit code:? (-?\d{1,10})\b\n?")
_HOST_TAIL = re.compile(r"^\(?(?:Command|Process) exited with code (-?\d{1,10})\.?\)?\s*\Z", re.MULTILINE)
_OWN_TAIL = re.compile(
    r"^\[?(?:(?:The )?(?:command|process|script|program) )?(?:(?:completed|finished|exited|terminated|failed|ended) )?"
    r"\(?(?:with )?(?:exit|return)[ _]?(?:code|status):? ?(-?\d{1,10})[.)\]]{0,3}\s*\Z",
    re.IGNORECASE | re.MULTILINE,
)
MESSAGE = 400
"""Characters up to which a result of a tool that runs nothing may be a host's message and no content."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A result's text without its host's wrapper, and what the wrapper said."""

    text: str
    exit_status: int | None = None
    declined: bool = False
    interrupted: bool = False
    running: bool = False
    error_flag: bool = False
    clean_flag: bool = False
    """The host said in words or by a flag that the call went well."""
    cut: Cut = NOTHING_CUT
    """What the host left out or keeps elsewhere."""
    reason: str = ""
    """What the person said when refusing."""


def read_result(
    result: Any, text: str, *, error: str, is_error: bool | None, runs: bool = True, own_words: bool = True
) -> Reading:
    """Take the host's wrapper off a result's text.

    `result` is the value as posted, `text` the same flattened. `runs` tells whether the tool runs something, so
    that the end of a text can be a host's word and no content; `own_words` whether a program's own last words,
    such as `exit status 1`, tell how it ended. Knows the wrappers of Claude Code, Codex, pi,
    OpenClaw, OpenHands, SWE-agent, mini-swe-agent and Gemini CLI; what it does not know stays in the text.
    """
    reading = Reading(
        text=text, error_flag=bool(is_error) or bool(error.strip()), clean_flag=is_error is False
    )
    if isinstance(result, dict):
        reading = _from_fields(result, reading)
    for taking_off in _WRAPPERS:
        reading = taking_off(reading)
    if error.strip() and error.strip() not in reading.text[:20_000]:
        reading = replace(reading, text=f"{error.strip()}\n{reading.text}" if reading.text else error.strip())
    reading = _with_endings(reading, runs=runs, own_words=own_words)
    return replace(reading, cut=cut_in(reading.text))


def _from_fields(result: dict[str, Any], reading: Reading) -> Reading:
    details = result.get("metadata") if isinstance(result.get("metadata"), dict) else result
    ran = "output" in result or "stdout" in result or "stderr" in result
    status = _status(details) if isinstance(details, dict) and ran else None
    flagged = (
        result.get("isError") is True or result.get("is_error") is True or result.get("success") is False
    )
    clean = result.get("isError") is False or result.get("success") is True
    text = next((result[k] for k in ("output", "stdout") if isinstance(result.get(k), str)), None)
    if text is not None:
        text = "\n".join(t for t in (text, result.get("stderr")) if isinstance(t, str) and t)
    else:
        text = _fields_as_text(result)
    return replace(
        reading,
        text=reading.text if text is None else text,
        exit_status=status,
        interrupted=result.get("interrupted") is True or result.get("timed_out") is True,
        running=bool(result.get("backgroundTaskId")) or result.get("status") == "running",
        error_flag=reading.error_flag or flagged,
        clean_flag=reading.clean_flag or clean,
    )


def _fields_as_text(result: dict[str, Any]) -> str | None:
    """Read the fields that a host hands its hooks in place of text: hits, changed files, fetched pages."""
    names = result.get("filenames")
    if isinstance(names, list) and all(isinstance(name, str) for name in names):
        content = result.get("content")
        tail = "\n(Results are truncated)" if result.get("truncated") is True else ""
        return (content if isinstance(content, str) and content else "\n".join(names)) + tail
    path = result.get("filePath")
    if isinstance(path, str) and ("structuredPatch" in result or "newString" in result):
        return (
            f"File {'created' if result.get('type') == 'create' else 'updated'} successfully: {path[:1_000]}"
        )
    if isinstance(result.get("result"), str) and ("url" in result or "durationMs" in result):
        return str(result["result"])
    return None


def _status(fields: dict[str, Any]) -> int | None:
    for key in ("exit_code", "exitCode", "returncode", "return_code", "exit_status", "returnCode", "code"):
        value = fields.get(key)
        if isinstance(value, int) and not isinstance(value, bool) and -(2**31) <= value < 2**32:
            return value
    return None


def _codex_json(reading: Reading) -> Reading:
    text = reading.text
    if (
        not text.startswith('{"')
        or not re.match(r'\{"(?:output|returncode|stdout|exit_code)"', text)
        or len(text) > 4 << 20
    ):
        return reading
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        return reading
    if not isinstance(fields, dict) or not isinstance(fields.get("output", fields.get("stdout")), str):
        return reading
    return _from_fields(fields, reading)


def _codex_header(reading: Reading) -> Reading:
    found = re.match(
        r"(?:Chunk ID: \S{1,40}\n)?(?:(?:Exit code: (-?\d{1,10})|Wall time: [^\n]{1,60}|"
        r"Process exited with code (-?\d{1,10})|"
        r"Process running with session ID (\S{1,40})|Original token count: \d{1,12}|"
        r"Total output lines: \d{1,12})\n){1,6}"
        r"Output:\n?",
        reading.text[:HEAD],
    )
    if not found:
        return reading
    status = found[1] or found[2]
    return replace(
        reading,
        text=reading.text[found.end() :],
        exit_status=int(status) if status else reading.exit_status,
        running=bool(found[3]) or reading.running,
    )


def _codex_sandbox(reading: Reading) -> Reading:
    found = re.match(
        r"(?:exec_command failed|failed in sandbox)[^\n]{0,200}?exit code: (-?\d{1,10}), stdout: ",
        reading.text[:HEAD],
    )
    if not found:
        return reading
    out, mark, err = reading.text[found.end() :].rpartition(", stderr: ")
    text = "\n".join(part for part in (out, err) if part.strip()) if mark else err
    return replace(reading, text=text, exit_status=int(found[1]))


def _mini_tags(reading: Reading) -> Reading:
    found = re.match(
        r"\s{0,8}(?:<exception>[^<]{0,2000}</exception>\s{0,8})?"
        r"<returncode>\s{0,4}(-?\d{1,10})\s{0,4}</returncode>\s{0,8}",
        reading.text[:HEAD],
    )
    if not found:
        return reading
    text = reading.text[found.end() :]
    text = re.sub(r"<warning>.{0,2000}?</warning>\s{0,8}", "", text, count=1, flags=re.DOTALL)
    text = re.sub(r"</?output(?:_head|_tail)?>\n?", "", text)
    return replace(reading, text=text, exit_status=int(found[1]))


def _gemini_fields(reading: Reading) -> Reading:
    if not re.match(r"(?:Command: [^\n]|Output: )", reading.text[:20]):
        return reading
    begin = re.search(r"^(?:Output|Stdout): ?", reading.text[:HEAD], re.MULTILINE)
    if not begin:
        return reading
    rest = reading.text[begin.end() :]
    tail = re.search(
        r"^(?:Error|Stderr): (.{0,4000}?)\n(?:Exit Code: (-?\d{1,10}|"
        r"\(none\))\n)?(?:Signal: .{0,40}\n)?", rest[-6_000:],
        re.MULTILINE | re.DOTALL,
    )  # fmt: skip
    if not tail:
        return reading
    body = rest[: max(len(rest) - 6_000, 0) + tail.start()].rstrip("\n")
    trouble = "" if tail[1].strip() in ("(none)", "") else tail[1].strip()
    body = "" if body.strip() == "(empty)" else body
    digits = (tail[2] or "").lstrip("-").isdigit()
    return replace(
        reading,
        text="\n".join(t for t in (body, trouble) if t),
        exit_status=int(tail[2]) if tail[2] and digits else reading.exit_status,
    )


def _tags(reading: Reading) -> Reading:
    text = reading.text
    if text.startswith("<tool_use_error>"):
        return replace(reading, text=text[16:].replace("</tool_use_error>", "", 1), error_flag=True)
    if text.startswith(("<error>", "ERROR:\n")):
        body = text[7:].replace("</error>", "", 1)
        return replace(reading, text=body.strip("\n"), error_flag=True)
    if "<retrieval_status>" in text[:200] or text.startswith(("<status>", "<task_id>")):
        return _task_output(reading)
    found = re.match(r"(?:OBSERVATION:\n|EXECUTION RESULT of \[\w{1,60}\]:\n)", text[:120])
    return replace(reading, text=text[found.end() :]) if found else reading


def _task_output(reading: Reading) -> Reading:
    head = reading.text[:HEAD]
    status = re.search(r"<status>(\w{1,30})</status>", head)
    code = re.search(r"<exit_code>(-?\d{1,10})</exit_code>", head)
    body = re.search(r"<(?:output|stdout)>\n?(.*?)(?:</(?:output|stdout)>\s*(?:<stderr>\n?(.*?)</stderr>\s*)?\Z|\Z)",
                     reading.text[:400_000], re.DOTALL)  # fmt: skip
    word = status[1] if status else ""
    return replace(
        reading,
        text="\n".join(part for part in (body[1], body[2]) if part).strip("\n") if body else reading.text,
        exit_status=int(code[1]) if code else reading.exit_status,
        running=word in ("running", "pending") or "not_ready" in head[:200] or reading.running,
        error_flag=reading.error_flag or word == "failed",
        interrupted=reading.interrupted or word in ("killed", "cancelled", "stopped"),
        clean_flag=reading.clean_flag or word == "completed",
    )


def _editor_tail(reading: Reading) -> Reading:
    tail = reading.text[-TAIL:]
    found = re.search(
        r"\(Open file: [^\n]{0,400}\)\s{0,4}\(Current directory: [^\n]{0,400}\)\s{0,4}(?:bash-\$)?\s*\Z", tail
    )
    if found:
        return replace(reading, text=reading.text[: len(reading.text) - len(tail) + found.start()].rstrip())
    found = re.search(r"\n?(?:\[(?:Python Interpreter|Current working directory|Command finished|The command completed)"
                      r"[^\n]{0,400}\]\s{0,4}){1,4}\Z", tail)  # fmt: skip
    if not found:
        return reading
    code = re.search(r"exit code (-?\d{1,10})", found[0])
    status = int(code[1]) if code else reading.exit_status
    return replace(
        reading,
        text=reading.text[: len(reading.text) - len(tail) + found.start()],
        exit_status=status if status is None or status >= 0 else None,
        running=reading.running or (status is not None and status == -1),
    )


def _with_endings(reading: Reading, *, runs: bool, own_words: bool) -> Reading:
    text = reading.text
    head, tail = text[:HEAD].lstrip(), text[-TAIL:]
    if any(mark.match(head) for mark in DECLINED):
        said = re.search(r"the user said:\s{0,8}(.{1,1000})", head, re.DOTALL)
        return replace(reading, declined=True, reason=said[1].strip() if said else "")
    if not runs and len(text) > MESSAGE:
        return reading
    status = reading.exit_status
    if status is None:
        text, status = _exit_mark(text, own_words=own_words)
    last = "\n".join(tail.rstrip().split("\n")[-3:])
    silent = text.startswith("Your command ran successfully and did not produce any output")
    return replace(
        reading,
        text="" if silent or text.strip() in SILENT else text,
        exit_status=status,
        clean_flag=reading.clean_flag or silent,
        running=reading.running or any(m.match(head) or m.search(last) for m in RUNNING),
        interrupted=reading.interrupted
        or any(m.match(head) or m.match(last.split("\n")[-1]) for m in INTERRUPTED),
    )


def _exit_mark(text: str, *, own_words: bool) -> tuple[str, int | None]:
    """Split an exit status off the beginning or the end of a text."""
    found = _EXIT_HEAD.match(text)
    if found:
        return text[found.end() :], int(found[1])
    tail = text[-TAIL:]
    for mark in (_HOST_TAIL, _OWN_TAIL) if own_words else (_HOST_TAIL,):
        found = mark.search(tail)
        if found:
            return text[: len(text) - len(tail) + found.start()], int(found[1])
    return text, None


def _go_events(reading: Reading) -> Reading:
    return replace(reading, text=as_log(reading.text)) if is_event_stream(reading.text) else reading


_WRAPPERS: tuple[Callable[[Reading], Reading], ...] = (
    _codex_json,
    _codex_header,
    _codex_sandbox,
    _mini_tags,
    _gemini_fields,
    _tags,
    _editor_tail,
    _go_events,
)
