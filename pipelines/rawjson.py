"""JSON with the text of chosen values kept as it was received, byte for byte."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, NoReturn

_SPACE = re.compile(r"[ \t\n\r]*")
_LONGEST_EXACT_INTEGER = 4000  # digits; Python refuses to convert more by default


class JsonSyntaxError(ValueError):
    """The text is not JSON."""


def _refuse_constant(name: str) -> NoReturn:
    raise JsonSyntaxError(f"{name} is not JSON; send null or a string instead")


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= _LONGEST_EXACT_INTEGER else float(digits)


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, parse_int=_integer)
_ENCODER = json.JSONEncoder(ensure_ascii=True, sort_keys=True, separators=(",", ":"))
_ORDERED = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"))


def parse(text: str) -> Any:
    """Parse one JSON document. Lone surrogate escapes are kept; NaN and Infinity are refused.

    Raises JsonSyntaxError with the position for anything that is not JSON, nesting too deep included.
    """
    value, end = parse_value(text, 0)
    end = skip_space(text, end)
    if end != len(text):
        raise JsonSyntaxError(f"unexpected text after the JSON value, at character {end}")
    return value


def parse_value(text: str, start: int) -> tuple[Any, int]:
    """Parse the value that begins at or after `start`; return it and the index after it."""
    try:
        return _DECODER.raw_decode(text, skip_space(text, start))
    except RecursionError:
        raise JsonSyntaxError("the JSON is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise JsonSyntaxError(f"{error.msg}, at character {error.pos}") from None


def skip_space(text: str, start: int) -> int:
    """Return the index of the first character at or after `start` that is not JSON white space."""
    match = _SPACE.match(text, start)
    return match.end() if match else start


def members(text: str, start: int = 0) -> Iterator[tuple[str, int, int]]:
    """Yield (key, start, end) of each member of the object at `start`: `text[start:end]` is the value's text.

    Values are checked for syntax, and nothing is kept of them.
    """
    at = _expect(text, start, "{")
    if text[at : at + 1] == "}":
        return
    while True:
        if text[at : at + 1] != '"':
            raise JsonSyntaxError(f"expected a property name in double quotes, at character {at}")
        try:
            key, at = scanstring(text, at + 1, True)
        except json.JSONDecodeError as error:
            raise JsonSyntaxError(f"{error.msg}, at character {error.pos}") from None
        at = _expect(text, at, ":")
        _, end = parse_value(text, at)
        yield key, at, end
        at = skip_space(text, end)
        if text[at : at + 1] == "}":
            return
        at = _expect(text, at, ",")


def document_members(text: str) -> dict[str, tuple[int, int]]:
    """Return the spans of the members of a text that is one object and nothing else."""
    spans = {key: (start, end) for key, start, end in members(text)}
    last = max((end for _, end in spans.values()), default=skip_space(text, 0) + 1)
    end = skip_space(text, skip_space(text, last) + 1)
    if end != len(text):
        raise JsonSyntaxError(f"unexpected text after the JSON value, at character {end}")
    return spans


def elements(text: str, start: int = 0) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of each element of the array at `start`."""
    at = _expect(text, start, "[")
    if text[at : at + 1] == "]":
        return
    while True:
        _, end = parse_value(text, at)
        yield at, end
        at = skip_space(text, end)
        if text[at : at + 1] == "]":
            return
        at = _expect(text, at, ",")


def _expect(text: str, start: int, character: str) -> int:
    at = skip_space(text, start)
    if text[at : at + 1] != character:
        raise JsonSyntaxError(f"expected {character!r}, at character {at}")
    return skip_space(text, at + 1)


def is_object(text: str, start: int = 0) -> bool:
    """Say whether the value at `start` is an object."""
    return text[skip_space(text, start) : skip_space(text, start) + 1] == "{"


def is_array(text: str, start: int = 0) -> bool:
    """Say whether the value at `start` is an array."""
    return text[skip_space(text, start) : skip_space(text, start) + 1] == "["


def dump(value: Any) -> str:
    """Write JSON in ASCII with sorted keys: storable everywhere, equal for equal values."""
    return _ENCODER.encode(value)


def write(value: Any) -> str:
    """Write JSON in ASCII with the keys in the order they have."""
    return _ORDERED.encode(value)
