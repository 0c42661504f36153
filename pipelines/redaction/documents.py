"""Secrets in JSON: by the name of a member, by a label beside a value, and inside texts. All else stays as written."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pipelines import rawjson
from pipelines.redaction.named import header_secrets
from pipelines.redaction.names import Telling, telling
from pipelines.redaction.patterns import Found
from pipelines.redaction.values import Place, is_secret

_TOKEN = re.compile(r'"((?:[^"\\]++|\\.)*+)"|[{}\[\],:]|[^\s"{}\[\],:]++', re.DOTALL)
_ESCAPE = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.", re.DOTALL
)
_LABELS = frozenset({"name", "key", "variable", "header", "field", "param", "id"})
_LABELLED = frozenset({"value", "val", "content", "default"})


@dataclass(slots=True)
class _Level:
    """An object or array that is open."""

    is_object: bool
    key: str = ""
    """The name under which the next value stands; of an array the array's own."""
    awaits_key: bool = False
    label: Telling | None = None
    label_name: str = ""
    labelled: tuple[int, int] | None = None
    """The inside of the text that an object's label tells of."""


def document(text: str, within: Callable[[str], list[Found]]) -> list[Found] | None:
    """Return the secrets in a JSON text, None when it is not JSON. `within` finds those of a plain text."""
    try:
        rawjson.parse(text)
    except rawjson.JsonSyntaxError:
        return None
    return list(_walk(text, within))


def _walk(text: str, within: Callable[[str], list[Found]]) -> Iterator[Found]:
    levels = [_Level(is_object=False)]
    for token in _TOKEN.finditer(text):
        level = levels[-1]
        first = text[token.start()]
        if first in "{[":
            levels.append(
                _Level(is_object=first == "{", key="" if first == "{" else level.key, awaits_key=first == "{")
            )
        elif first in "}]":
            levels.pop()
            if level.labelled is not None and level.label is not None:
                yield from _labelled(text, level)
        elif first == ",":
            level.awaits_key = level.is_object
        elif first == '"':
            if level.awaits_key:
                level.key, level.awaits_key = _plain(token[1]), False
                yield from _inside(token, within)
            else:
                yield from _text(token, level, within)
        elif first.isdecimal() or first == "-":
            told = telling(level.key)
            if told and told.kind == "password" and is_secret(token[0], told, Place.LINE):
                yield Found(*token.span(), told.kind, is_number=True)


def _text(token: re.Match[str], level: _Level, within: Callable[[str], list[Found]]) -> Iterator[Found]:
    start, end = token.span(1)
    value = _plain(token[1])
    told = telling(level.key)
    if told is not None:
        if told.kind in ("authorization", "cookie"):
            spans = [Found(*span, told.kind) for span in header_secrets(value, told, level.key)]
            yield from _mapped(token, spans)
        elif is_secret(value, told, Place.FIELD):
            yield Found(start, end, told.kind)
            return
    key = level.key.lower()
    if key in _LABELS and len(value) < 200 and (label := telling(value)):
        level.label, level.label_name = label, value
    elif key in _LABELLED:
        level.labelled = (start, end)
    yield from _inside(token, within)


def _labelled(text: str, level: _Level) -> Iterator[Found]:
    """Yield the value of `{"name": "API_TOKEN", "value": "…"}`."""
    if level.label is None or level.labelled is None:
        return
    start, end = level.labelled
    value = _plain(text[start:end])
    if level.label.kind in ("authorization", "cookie"):
        if next(header_secrets(value, level.label, level.label_name), None):
            yield Found(start, end, level.label.kind)
    elif is_secret(value, level.label, Place.FIELD):
        yield Found(start, end, level.label.kind)


def _inside(token: re.Match[str], within: Callable[[str], list[Found]]) -> Iterator[Found]:
    found = within(_plain(token[1])) if len(token[1]) >= 8 else []
    yield from _mapped(token, found)


def _mapped(token: re.Match[str], found: list[Found]) -> Iterator[Found]:
    """Turn places in what a JSON string says into places in how it is written."""
    if not found:
        return
    raw, at = token[1], token.start(1)
    if "\\" not in raw:
        yield from (Found(at + one.start, at + one.end, one.kind) for one in found)
        return
    longer = [(escape.start(), len(escape[0])) for escape in _ESCAPE.finditer(raw)]
    wanted = sorted({place for one in found for place in (one.start, one.end)})
    written: dict[int, int] = {}
    shift = index = 0
    for place in wanted:
        while index < len(longer) and longer[index][0] - shift < place:
            shift += longer[index][1] - 1
            index += 1
        written[place] = place + shift
    yield from (Found(at + written[one.start], at + written[one.end], one.kind) for one in found)


def _plain(raw: str) -> str:
    return str(json.loads(f'"{raw}"', strict=False)) if "\\" in raw else raw
