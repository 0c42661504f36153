"""Calls that ask this server for something it stored, seen by their tool name, command or address."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from urllib.parse import parse_qs, urlsplit

from pipelines.l1.commands import Part
from pipelines.l1.request import Request, read_request
from pipelines.l1.wording import one_line

REF_ID = re.compile(r"\bofl_[A-Z2-7]{13}\b")
MOST_REFS = 20
_OWN_TOOL = re.compile(r"(?:.*[\W_])?(memory_deref|offload_search|canvas_read)", re.IGNORECASE | re.DOTALL)
_ADDRESS = re.compile(r"/api/v1/(?:deref\?|refs/ofl_[A-Z2-7]{13}/raw)")
_COMMAND = re.compile(r"(?:\S*/)?(?:manage\.py|offload)")
_FETCHERS = {"curl", "wget", "http", "https", "xh", "curlie"}
_FILTERS = {"jq", "head", "tail", "grep", "egrep", "rg", "sed", "cat", "cut", "less", "json_pp", "json.tool"}
_OPTION = re.compile(r"--(lines|grep|offset|json[-_]path)(?:=|\s+)(\S{1,80})")
_MOST_CHARACTERS = 20_000
_PART_WIDTH = 60


class Asked(StrEnum):
    """What a call asks for."""

    RESULT = "result"  # a stored result or a part of it
    SEARCH = "search"  # the places of a word in what is stored
    CANVAS = "canvas"  # a canvas


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call that may be a read-back; only its answer tells."""

    asked: Asked
    ref_ids: tuple[str, ...]
    """The refs that the call names."""
    own_words: bool
    """The call names this server's own tool, command or address, not only a ref."""
    part: str = ""
    """Which part of the result was asked for: `lines 10-60`; empty for its beginning."""
    canvas: str = ""


def read_call(tool_name: str, params: Any) -> Call | None:
    """Return what a call asks this server for; None for any other call, and for one that does more than read."""
    request = read_request(tool_name[:300], params)
    words = "\n".join(_texts(request))[:_MOST_CHARACTERS]
    ref_ids = tuple(dict.fromkeys(REF_ID.findall(words)))[:MOST_REFS]
    own_tool = _OWN_TOOL.fullmatch(request.tool_name)
    if own_tool:
        asked = {"offload_search": Asked.SEARCH, "canvas_read": Asked.CANVAS}
        return Call(
            asked=asked.get(own_tool[1].lower(), Asked.RESULT),
            ref_ids=ref_ids,
            own_words=True,
            part=_part(request.params),
            canvas=one_line(_plain(request.params, "filename", "canvas", "number"), _PART_WIDTH),
        )
    if request.shell is not None:
        readers = [part for part in request.shell.parts if _reads(part)]
        if not readers or not all(_reads(part) or _filters(part) for part in request.shell.parts):
            return None
        return Call(asked=Asked.RESULT, ref_ids=ref_ids, own_words=True, part=_part(_options(words)))
    if _ADDRESS.search(request.url):
        return Call(asked=Asked.RESULT, ref_ids=ref_ids, own_words=True, part=_part(_options(request.url)))
    named = tuple(dict.fromkeys(text for text in _texts(request) if REF_ID.fullmatch(text)))
    if named:
        part = _part(request.params)
        return Call(asked=Asked.RESULT, ref_ids=named[:MOST_REFS], own_words=False, part=part)
    return None


def _texts(request: Request) -> Iterator[str]:
    """Yield the texts among the parameters, those in lists too."""
    yield from filter(None, (request.free_text, request.command))
    for value in request.params.values():
        yield from (item for item in (value if isinstance(value, list) else [value]) if isinstance(item, str))


def _reads(part: Part) -> bool:
    """Say whether a command reads from this server and writes nothing elsewhere."""
    if part.command.writes:
        return False
    words = part.words
    if part.program in _FETCHERS:
        return any(_ADDRESS.search(word) for word in words[1:])
    places = [place for place, word in enumerate(words[:3]) if _COMMAND.fullmatch(word)]
    return bool(places) and words[places[0] + 1 : places[0] + 2] == ("deref",)


def _filters(part: Part) -> bool:
    """Say whether a command only shows or cuts what the one before it gives it."""
    return part.program in _FILTERS and part.command.before == "|" and not part.command.writes


def _options(words: str) -> dict[str, Any]:
    """Return the options in an address or after a command."""
    found: dict[str, Any] = {name.replace("-", "_"): value for name, value in _OPTION.findall(words)}
    for address in _ADDRESS.finditer(words):
        try:
            query = urlsplit(re.split(r"[\s'\"]", words[address.start() :], maxsplit=1)[0]).query
            found.update({name: values[0] for name, values in parse_qs(query, max_num_fields=30).items()})
        except ValueError:
            continue
    return found


def _part(options: dict[str, Any]) -> str:
    """Say which part of a result the options ask for."""
    said = [
        f"{words} {text}"
        for name, words in (
            ("json_path", "at"),
            ("lines", "lines"),
            ("grep", "grep"),
            ("offset", "from character"),
        )
        if (text := _plain(options, name)) and (name, text) != ("offset", "0")
    ]
    return one_line(", ".join(said), _PART_WIDTH)


def _plain(options: dict[str, Any], *names: str) -> str:
    values = (options.get(name) for name in names)
    return next(
        (str(v) for v in values if isinstance(v, str | int) and not isinstance(v, bool) and v != ""), ""
    )
