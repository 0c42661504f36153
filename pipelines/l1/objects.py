"""What a call was about: paths as given, names of tests, packages and queries, most telling first."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from pipelines.l1.case import Case, Finding
from pipelines.l1.commands import Part, paths_in
from pipelines.l1.flags import SELECTING_FLAGS
from pipelines.l1.tools import Role
from pipelines.l1.wording import unique
from pipelines.records import Act

LIMIT = 8
WIDTH = 200
_INSTALLS = {"install", "add", "get", "i", "remove", "uninstall", "update", "upgrade"}
_ID_KEYS = (
    "id",
    "issueId",
    "issue_id",
    "identifier",
    "reservation_id",
    "user_id",
    "key",
    "name",
    "title",
    "number",
    "skill",
    "expression",
)


def objects_of(case: Case, finding: Finding) -> tuple[str, ...]:
    """Return at most 8 things that a call was about, most telling first."""
    return unique(_objects(case, finding), LIMIT, WIDTH)


def _objects(case: Case, finding: Finding) -> Iterator[str]:
    request = case.request
    if request.changes:
        yield from dict.fromkeys(change.path for change in request.changes)
    if request.role in (Role.GREP, Role.WEB_SEARCH):
        yield request.pattern
    yield request.path
    yield request.url
    if request.role in (Role.GLOB, Role.LIST):
        yield request.pattern
    if request.shell is not None and not request.changes:
        yield from _of_shell(case)
    if request.role is Role.AGENT:
        yield request.text("description", "task_name", "title")
    if request.role is Role.OTHER:
        yield from (value for key in _ID_KEYS if isinstance(value := request.params.get(key), str))
        yield from (
            v
            for k, v in request.params.items()
            if isinstance(v, str) and k.lower().endswith("id") and len(v) <= 60
        )
        yield request.pattern
    yield from finding.symbols


def _of_shell(case: Case) -> Iterator[str]:
    shell = case.request.shell
    if shell is None or shell.telling is None:
        return
    same = [part for part in shell.parts if part.act is shell.act]
    for part in same:
        yield from _of_part(part)
    for part in same:
        yield from part.command.writes


def _of_part(part: Part) -> Iterator[str]:
    words = part.words
    if part.act in (Act.TEST, Act.VERIFY):
        for flag, value in pairwise(words):
            if flag in SELECTING_FLAGS and flag not in ("-tags", "-m"):
                yield value
        yield from (
            word.split("=", 1)[1]
            for word in words
            if word.startswith(("-run=", "-k=", "--filter=", "--grep="))
        )
        yield from paths_in(words[1:])
    elif part.act is Act.CHANGE and any(word in _INSTALLS for word in words[1:3]):
        place = next(at for at, word in enumerate(words) if word in _INSTALLS)
        yield from (word for word in words[place + 1 :] if not word.startswith("-"))
    elif part.program in ("grep", "egrep", "fgrep", "rg", "ag", "ack"):
        plain = [word for word in words[1:] if not word.startswith("-") and not word.isdigit()]
        yield from plain[:1]
        yield from paths_in(tuple(plain[1:])) or plain[1:2]
    elif part.program == "git" and "commit" in words[:4]:
        message = next(
            (words[at + 1] for at, word in enumerate(words[:-1]) if word in ("-m", "-am", "--message")), ""
        )
        yield (
            message.split("\n")[0]
            if not message.startswith("$(")
            else next((line for line in message.split("\n")[1:] if line.strip()), "")
        )
    else:
        yield from paths_in(words[1:])
