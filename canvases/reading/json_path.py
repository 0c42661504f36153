"""A part of a JSON text, chosen by a JSONPath and given exactly as the text has it."""

from __future__ import annotations

import json
from itertools import islice
from typing import Any

from canvases.reading.json_query import MOST_STEPS, Node, Query, QueryError, TooMuchWork
from pipelines import json_spans, rawjson
from pipelines.json_spans import Location, Span
from pipelines.readback import ReadError

LONGEST_PATH = 500
MOST_VALUES = 10_000
MOST_CHARACTERS = 32 * 2**20
"""Of all values found together: nested ones are given each with what is in it."""
_KEYS_TOLD = 20
_KEY_CHARACTERS = 60
_NESTED = "json_path cannot be used here: the JSON is nested too deeply; read it with grep or offset"


def parse(path: str) -> Query:
    """Read a JSONPath (RFC 9535). Raises ReadError that says what is wrong where."""
    if len(path) > LONGEST_PATH:
        raise ReadError(f"json_path must have at most {LONGEST_PATH} characters")
    try:
        return Query(path)
    except QueryError as error:
        raise ReadError(f"json_path is not a JSONPath such as $.items[0].name: {error}") from None


def is_document(text: str) -> bool:
    """Say whether a text is a JSON object or array."""
    if text.lstrip()[:1] not in ("{", "["):
        return False
    try:
        rawjson.parse(text)
    except rawjson.JsonSyntaxError:
        return False
    return True


def select(text: str, query: Query) -> str:
    """Return the JSON of what a path finds, each value spelled exactly as in `text`.

    One value is given as it is. Of several the answer is a list, a line for each: its normalized path and
    the value, in the order of the standard. Raises ReadError when the text is not JSON, when nothing is
    found (it says as far as what the path leads), or when the work or the answer would be too large.
    """
    try:
        value = rawjson.parse(text)
    except rawjson.JsonSyntaxError as error:
        raise ReadError(f"json_path needs a JSON result, and this one is not: {error}") from None
    try:
        locations = [node.location() for node in islice(query.nodes(value), MOST_VALUES + 1)]
        if not locations:
            raise ReadError(f"json_path finds nothing{_hint(value, query)}")
        if len(locations) > MOST_VALUES:
            raise ReadError(f"json_path finds more than {MOST_VALUES} values; ask for fewer")
        return _written(text, locations, json_spans.spans(text, locations))
    except TooMuchWork:
        told = f"json_path would look at more than {MOST_STEPS} values"
        raise ReadError(f"{told}; name more of the way, without .. and *") from None
    except (RecursionError, rawjson.JsonSyntaxError):
        raise ReadError(_NESTED) from None


def _written(text: str, locations: list[Location], spans: list[Span]) -> str:
    if sum(end - start for start, end in spans) > MOST_CHARACTERS:
        raise ReadError(f"json_path finds more than {MOST_CHARACTERS} characters; ask for less")
    if len(spans) == 1:
        return text[slice(*spans[0])]
    rows = [
        f'{{"path":{json.dumps(normalized(location), ensure_ascii=False)},"value":{text[start:end]}}}'
        for location, (start, end) in zip(locations, spans, strict=True)
    ]
    return "[\n" + ",\n".join(rows) + "\n]"


def normalized(location: Location) -> str:
    """Write a location as the standard's normalized path: `$['items'][0]`."""
    return "$" + "".join(f"[{_quoted(key)}]" if isinstance(key, str) else f"[{key}]" for key in location)


def _quoted(key: str) -> str:
    inside = json.dumps(key, ensure_ascii=False)[1:-1].replace('\\"', '"').replace("'", "\\'")
    return f"'{inside}'"


def _hint(value: Any, query: Query) -> str:
    """Say how far the path leads and what is there."""
    try:
        for length in range(len(query.segments) - 1, -1, -1):
            for node in query.nodes(value, segments=length):
                return f"; {_shortened(normalized(node.location()), 200)} is {_described(node)}"
    except TooMuchWork:
        return ""
    return ""


def _described(node: Node) -> str:
    value = node.obj
    if isinstance(value, dict):
        keys = ", ".join(_quoted(_shortened(key, _KEY_CHARACTERS)) for key in islice(value, _KEYS_TOLD))
        more = f" and {len(value) - _KEYS_TOLD} more" if len(value) > _KEYS_TOLD else ""
        return f"an object with {keys}{more}" if value else "an empty object"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, str):
        return "a string"
    return "null" if value is None else "true or false" if isinstance(value, bool) else "a number"


def _shortened(text: str, characters: int) -> str:
    return text if len(text) <= characters else text[: characters - 1] + "…"
