"""RFC 9535 queries on JSON values, with bounded work for any query and any value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import jsonpath
from jsonpath.filter import IntegerLiteral, RelativeFilterQuery, RootFilterQuery
from jsonpath.segments import JSONPathRecursiveDescentSegment, JSONPathSegment
from jsonpath.selectors import IndexSelector, JSONPathSelector, NameSelector

from pipelines.json_spans import Location

MOST_STEPS = 500_000
"""Values that may be looked at for one query: about a second."""
_TOKEN_NAME = re.compile(r"'?\bTOKEN_([A-Z_]+)'?")
_COMPARED_AT_ONCE = 1_000  # characters of text that are compared in about the time of a step


class QueryError(ValueError):
    """The path cannot be read; the text says where and why."""


class TooMuchWork(ValueError):
    """The query would look at more than MOST_STEPS values."""


class Node(jsonpath.JSONPathMatch):
    """A value and the way to it. Knows its parent and keeps no children, so what was passed by is let go."""

    __slots__ = ()

    def new_child(self, obj: object, key: int | str) -> Node:
        return Node(filter_context={}, obj=obj, parent=self, path="", parts=(key,), root=self.root)

    def add_child(self, *children: jsonpath.JSONPathMatch) -> None:
        """Keep nothing."""

    def location(self) -> Location:
        """Return the keys and indices from the root."""
        keys: list[int | str] = []
        at: jsonpath.JSONPathMatch | None = self
        while at is not None:
            keys.extend(at.parts)
            at = at.parent
        return tuple(reversed(keys))


class Query:
    """One path, to be used for one answer: the work of all its runs is counted together."""

    def __init__(self, path: str) -> None:
        """Raises QueryError."""
        self._environment = _Environment()
        try:
            self._path = self._environment.compile(path)
        except jsonpath.JSONPathNameError:
            raise QueryError("its functions are length(), count() and value()") from None
        except jsonpath.JSONPathError as error:
            raise QueryError(_told(error)) from None
        except (RecursionError, ValueError, OverflowError):
            raise QueryError("it is nested too deeply or has a number out of range") from None
        self.segments: tuple[JSONPathSegment, ...] = self._path.segments  # type: ignore[union-attr]

    def nodes(self, value: Any, *, segments: int | None = None) -> Iterator[Node]:
        """Yield the nodes of the query (or of its first segments only) in the standard's order.

        Raises TooMuchWork; RecursionError for values nested too deeply to be compared.
        """
        return _run(self.segments[:segments], value, self._environment)


def _told(error: jsonpath.JSONPathError) -> str:
    """Return the library's message without its internal names, and where the error is."""
    words = _TOKEN_NAME.sub(lambda found: found[1].lower().replace("_", " "), str(error.message))
    at = error.token.index if error.token else -1
    return f"{words}, at {'its end' if at < 0 else f'character {at}'}"


class _Path(jsonpath.JSONPath):
    """A path inside a filter, run by counted steps too."""

    __slots__ = ()

    def finditer(self, data: Any, *, filter_context: Any = None) -> Iterable[Node]:
        return _run(self.segments, data, self.env)


class _RelativeQuery(RelativeFilterQuery):
    """A query from `@` that also of a plain value gives a list of nodes, so that `[?@]` and `count(@)` hold."""

    __slots__ = ()

    def evaluate(self, context: Any) -> object:
        return jsonpath.NodeList(self.path.finditer(context.current))


class _Parser(jsonpath.Parser):
    def parse_absolute_query(self, stream: Any) -> Any:
        return RootFilterQuery(_counted(super().parse_absolute_query(stream)))

    def parse_relative_query(self, stream: Any) -> Any:
        return _RelativeQuery(_counted(super().parse_relative_query(stream)))

    def parse_integer_literal(self, stream: Any) -> Any:
        """Keep long integers exact; the library reads them as a float."""
        digits = stream.current().value
        literal = super().parse_integer_literal(stream)
        return IntegerLiteral(value=int(digits)) if digits.lstrip("-").isdecimal() else literal


def _counted(query: Any) -> _Path:
    return _Path(env=query.path.env, segments=query.path.segments)


class _Environment(jsonpath.JSONPathEnvironment):
    """The standard without `match` and `search`: a pattern can take any time on a text made for it."""

    parser_class = _Parser

    def __init__(self) -> None:
        super().__init__(strict=True, filter_caching=False)
        self.steps = 0

    def setup_function_extensions(self) -> None:
        super().setup_function_extensions()
        del self.function_extensions["match"], self.function_extensions["search"]

    def count(self, steps: int) -> None:
        self.steps += steps
        if self.steps > MOST_STEPS:
            raise TooMuchWork

    def compare(self, left: object, operator: str, right: object) -> bool:
        """Compare as the standard does: by JSON types, true never equal to 1, and only like with like in order."""
        if operator in ("&&", "||"):
            return super().compare(left, operator, right)
        left, right = _one(left), _one(right)
        if operator in ("==", "!="):
            return self._same(left, right) == (operator == "==")
        if operator in (">", ">="):
            left, right = right, left
        return self._below(left, right) or (operator in ("<=", ">=") and self._same(left, right))

    def _same(self, left: Any, right: Any) -> bool:
        self.count(1)
        if left is right:
            return True
        if isinstance(left, bool) or isinstance(right, bool):
            return False
        if isinstance(left, str) and isinstance(right, str):
            self.count(min(len(left), len(right)) // _COMPARED_AT_ONCE)
        elif isinstance(left, list) and isinstance(right, list):
            return len(left) == len(right) and all(map(self._same, left, right))
        elif isinstance(left, dict) and isinstance(right, dict):
            return left.keys() == right.keys() and all(self._same(left[key], right[key]) for key in left)
        return bool(left == right)

    def _below(self, left: Any, right: Any) -> bool:
        if isinstance(left, str) and isinstance(right, str):
            self.count(min(len(left), len(right)) // _COMPARED_AT_ONCE)
            return left < right
        return _is_number(left) and _is_number(right) and bool(left < right)


def _one(value: object) -> object:
    """Return what a side of a comparison stands for; a query that found nothing stands for nothing."""
    return jsonpath.UNDEFINED if isinstance(value, jsonpath.NodeList) else value


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _run(segments: tuple[JSONPathSegment, ...], value: Any, environment: Any) -> Iterator[Node]:
    root = Node(filter_context={}, obj=value, parent=None, path="", parts=(), root=value)
    environment.count(1)
    nodes: Iterator[Node] = iter([root])
    for segment in segments:
        if isinstance(segment, JSONPathRecursiveDescentSegment):
            nodes = _descendants(nodes, environment)
        nodes = _selected(segment.selectors, nodes, environment)
    return nodes


def _selected(
    selectors: tuple[JSONPathSelector, ...], nodes: Iterator[Node], environment: _Environment
) -> Iterator[Node]:
    for node in nodes:
        for selector in selectors:
            one = isinstance(selector, NameSelector | IndexSelector)
            environment.count(1 if one else 1 + _size(node.obj))
            if isinstance(node.obj, dict | list):  # the library slices strings too
                yield from selector.resolve(node)  # type: ignore[misc]


def _descendants(nodes: Iterator[Node], environment: _Environment) -> Iterator[Node]:
    """Yield each node and all below it, each before its children, without recursion."""
    for node in nodes:
        waiting = [node]
        while waiting:
            one = waiting.pop()
            yield one
            environment.count(1 + _size(one.obj))
            if isinstance(one.obj, dict):
                children = [one.new_child(value, key) for key, value in one.obj.items()]
            elif isinstance(one.obj, list):
                children = [one.new_child(value, index) for index, value in enumerate(one.obj)]
            else:
                continue
            waiting.extend(child for child in reversed(children) if isinstance(child.obj, dict | list))


def _size(value: object) -> int:
    return len(value) if isinstance(value, dict | list) else 0
