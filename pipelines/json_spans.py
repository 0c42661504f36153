"""Where the values of a JSON text stand in it, so that a part can be given out exactly as it was stored."""

from __future__ import annotations

from collections.abc import Iterable
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any

from pipelines import rawjson

Location = tuple[int | str, ...]
Span = tuple[int, int]


class _Wanted:
    """A value on the way to wanted ones: the next keys and indices, and its own span once it is seen."""

    __slots__ = ("children", "span")

    def __init__(self) -> None:
        self.children: dict[int | str, _Wanted] = {}
        self.span: Span = (0, 0)


def spans(text: str, locations: Iterable[Location]) -> list[Span]:
    """Return (start, end) of the value at each location: `text[start:end]` is its JSON exactly as written.

    A location is the keys and indices that lead to a value of `rawjson.parse(text)`; () is the whole value.
    Of a key that is there twice the last counts, as in parsing. Linear in the text, however many locations
    and however deep; nesting that the parser takes may still raise RecursionError here.
    """
    root = _Wanted()
    wanted = []
    for location in locations:
        at = root
        for key in location:
            at = at.children.setdefault(key, _Wanted())
        wanted.append(at)
    _walk(text, 0, root)
    return [one.span for one in wanted]


def _walk(text: str, start: int, wanted: _Wanted | None) -> int:
    """Note the spans wanted in the value at `start`; return where the value ends."""
    start = rawjson.skip_space(text, start)
    opening = text[start]
    if wanted is None or not wanted.children or opening not in "{[":
        end = rawjson.parse_value(text, start)[1]
    else:
        end = _walk_children(text, start, wanted.children, closing="}" if opening == "{" else "]")
    if wanted is not None:
        wanted.span = (start, end)
    return end


def _walk_children(text: str, start: int, children: dict[Any, _Wanted], *, closing: str) -> int:
    at = rawjson.skip_space(text, start + 1)
    index = 0
    while text[at] != closing:
        key: int | str = index
        if closing == "}":
            key, at = scanstring(text, at + 1, True)
            at = rawjson.skip_space(text, at) + 1
        at = rawjson.skip_space(text, _walk(text, at, children.get(key)))
        index += 1
        if text[at] == ",":
            at = rawjson.skip_space(text, at + 1)
    return at + 1
