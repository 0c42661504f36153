"""Names that a later call may need: addresses, hashes, packages, processes, paths, error codes."""

from __future__ import annotations

import re
from itertools import islice

from pipelines.l1.case import Case
from pipelines.l1.findings.places import places
from pipelines.l1.tools import Role
from pipelines.l1.tracebacks import FOREIGN
from pipelines.l1.wording import short_path, words
from pipelines.records import Kind, Outcome

HEAD, TAIL = 16_000, 8_000
PER_KIND = 5
WIDTH = 78
LOOSE = (Kind.SHELL, Kind.BUILD_LOG, Kind.TRACEBACK, Kind.TEXT, Kind.AGENT, Kind.WEB, Kind.DIFF)
"""Kinds whose readers do not themselves name all that the result holds."""
_SYSTEM_CODES = "|".join(
    words(
        "ENOENT EACCES EADDRINUSE ERESOLVE ECONNREFUSED ECONNRESET EPERM EEXIST ETIMEDOUT ENOTFOUND ENOSPC EMFILE "
        "EINTEGRITY ENOTEMPTY EISDIR ENOTDIR EPIPE ETARGET EUNSUPPORTEDPROTOCOL"
    )
)
_CODE = re.compile(
    r"(?<![\w-])((?!SHA|ISO|RFC|UTF|HTTP|CP|LC)[A-Z]{1,5}\d{3,5}|CVE-\d{4}-\d{4,7}|ERR_[A-Z_]{3,40}|"
    rf"{_SYSTEM_CODES})(?![\w-])"
)
_RULE = re.compile(r"\d:? +(?:error|warning):? .{1,300}?(?:  |\[)([\w@/-]{3,60})\]?$")
_EXCEPTION = re.compile(r"(?:\w{1,60}\.){0,8}(\w{1,80}(?:Error|Exception|Failure|Panic|Exit))\b")
_PATTERNS = {
    "package": re.compile(
        r"(?<![\w@/.+-])(@?[\w.-]{1,60}(?:/[\w.-]{1,60})?(?:@|==)\d[\w.+-]{0,30}|"
        r"[A-Za-z][\w.]{0,40}(?:-[A-Za-z][\w.]{0,40}){0,4}-\d{1,6}(?:\.\d{1,8}){1,4}(?![\w.-]))"
    ),
    "hash": re.compile(
        r"(?<![\w-])([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|"
        r"(?=[0-9]{0,60}[a-f])(?=[a-f]{0,60}[0-9])[0-9a-f]{7,64})(?![\w-])"
    ),
    "process": re.compile(r"\b((?:pid|PID)[ :=#]{1,3}\d{2,8})\b"),
    "job": re.compile(r"^\[\d{1,3}\] (\d{2,8})$", re.MULTILINE),
    "address": re.compile(r"(?<![\w/])(https?://[^\s\"'`<>)\]}|,]{4,300})"),
    "port": re.compile(
        r"(?<![\w/])(port[ :=]{1,3}\d{2,5}|(?:localhost|127\.0\.0\.1|0\.0\.0\.0):\d{2,5})\b", re.IGNORECASE
    ),
    "path": re.compile(
        r"(?<![\w/.@+~:-])((?:\.{0,2}/|~/)?[\w@+~.-]{1,80}(?:/[\w@+~.-]{1,100}){1,14}(?::\d{1,7}(?!\d))?)"
    ),
    "bare": re.compile(r"^[ \t]{0,40}([\w@+~.-]{1,40}(?:/[\w@+~.-]{1,40}){1,6})/?[ \t]{0,8}$", re.MULTILINE),
    "ticket": re.compile(
        r"(?<![\w-])((?!UTF|SHA|ISO|RFC|CVE|AES|RSA|MD)[A-Z]{2,10}-\d{1,6}|"
        r"[a-z]{2,20}-[a-z0-9]{2,6}\.\d{1,4})(?![\w-])"
    ),
    "version": re.compile(
        r"(?<![\w./-])([A-Za-z][\w./-]{0,40}:? v?\d{1,4}\.\d{1,4}\.\d{1,6}(?:-[\w.]{1,20})?)(?![\w.:])"
    ),
}
_FILE_NAME = re.compile(r"[\w~-]\.[A-Za-z]\w{0,7}(?::\d{1,7})?$")


def handles(case: Case, kind: Kind, outcome: Outcome, named: tuple[str, ...]) -> list[str]:
    """Return what a later call may need from a result, the most telling kinds first.

    What the command itself says is left out, and so is a path that `named` (the reader's own keys) holds already.
    """
    failed = outcome is Outcome.FAILED
    found = _causes(case) if failed or kind is Kind.BUILD_LOG else []
    loose = kind in LOOSE or (failed and kind is not Kind.TEST_LOG)
    shown = kind is Kind.SEARCH or (kind is Kind.FILE and case.request.role is Role.SHELL)
    if not loose and (named or not shown):
        return found
    if len(case.text) <= WIDTH and not failed and re.fullmatch(r"[\w@+~./:-]{3,78}", case.text):
        found.append(case.text)
    asked = case.request.command
    for name, values in handles_in("\n".join(case.lines or case.view.telling)).items():
        if name == "package":
            values.sort(key=lambda value: re.split(r"@\d|==|-\d", value)[0] not in asked)
        if kind is not Kind.WEB or name == "address":
            new = (v for v in values if v not in asked and not any(_says(key, v) for key in (*named, *found)))
            found += islice(new, PER_KIND)
    return found


def handles_in(text: str) -> dict[str, list[str]]:
    """Return the handles in a text by their kind, each in order and once; of a long text both ends are looked at."""
    if len(text) > HEAD + TAIL:
        text = f"{text[:HEAD]}\n{text[-TAIL:]}"
    found: dict[str, list[str]] = {}
    for name, pattern in _PATTERNS.items():
        values = dict.fromkeys(hit[1].rstrip(".,:;") for hit in pattern.finditer(text))
        if name == "path":
            found[name] = [short_path(value, WIDTH) for value in values if _is_path(value)]
        else:
            found[name] = [value for value in values if len(value) <= WIDTH]
    found["path"] = list(dict.fromkeys([*found["path"], *found.pop("bare")]))
    found["process"] += [f"pid {number}" for number in found.pop("job")]
    return found


def _causes(case: Case) -> list[str]:
    """Return the exception's type, the places of the failure lines and the codes that go with them."""
    lines = [line[:600].rstrip() for line in case.lines[:400]]
    codes = dict.fromkeys(hit[1] for line in lines for hit in _CODE.finditer(line) if case.counts is None)
    codes.update(dict.fromkeys(hit[1] for line in lines if (hit := _RULE.search(line))))
    raised = _EXCEPTION.match(case.trace.error) if case.trace is not None else None
    return [*places(case)[:6], *([raised[1]] if raised else []), *list(codes)[:4]]


def _says(key: str, value: str) -> bool:
    return value.endswith(f"/{key}") or key.startswith(f"{value}:")


def _is_path(value: str) -> bool:
    own = not any(mark in value for mark in FOREIGN) and not value.startswith(("/bin/", "/usr/bin/", "/dev/"))
    return own and (value.startswith(("/", "./", "../", "~/")) or bool(_FILE_NAME.search(value)))
