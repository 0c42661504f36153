from __future__ import annotations

import random
from typing import Any

import pytest

from canvases.reading import json_path
from canvases.reading.json_query import Query
from pipelines import rawjson
from pipelines.readback import ReadError

CHANCE = random.Random(5)
DOCUMENTS = [
    '{"a": [1, {"b": 2, "a": "x"}], "b": {"a": null, "c": [1, [2]]}}',
    "[]",
    '"s"',
    "1",
    '[[1, 2, 3, [4]], true, false, 0, 1, 1.0, "2", "x", {"a": []}]',
]


def values(path: str, document: Any) -> list[Any]:
    return [node.obj for node in Query(path).nodes(document)]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("$[?@]", [0, False, None, "", [], {}, True, 1.0]),
        ("$[?!@]", []),
        ("$[?@ == 0]", [0]),
        ("$[?@ == 1]", [1.0]),
        ("$[?@ == true]", [True]),
        ("$[?@ < 1]", [0]),
        ("$[?@ <= 'a']", [""]),
        ("$[?@ != null]", [0, False, "", [], {}, True, 1.0]),
        ("$[?@ == $[4]]", [[]]),
        ("$[?@.x == $.y]", [0, False, None, "", [], {}, True, 1.0]),
        ("$[?length(@) == 0]", ["", [], {}]),
        ("$[?count(@) == 1]", [0, False, None, "", [], {}, True, 1.0]),
        ("$[1:4]", [False, None, ""]),
        ("$[::-3]", [1.0, [], False]),
        ("$[-1]", [1.0]),
        ("$[8]", []),
    ],
)
def test_filters_tell_values_apart_as_the_standard_does(path: str, expected: list[Any]) -> None:
    found = values(path, [0, False, None, "", [], {}, True, 1.0])
    assert [(type(value), value) for value in found] == [(type(value), value) for value in expected]


def test_equality_goes_by_json_types_all_the_way_down() -> None:
    document = {"rows": [{"v": [1, {"k": True}]}, {"v": [1, {"k": 1}]}, {"v": [True, {"k": True}]}]}
    assert values("$.rows[?@.v == $.rows[0].v]", document) == [{"v": [1, {"k": True}]}]


def test_descendants_come_each_before_its_children_and_lists_in_order() -> None:
    document = {"a": [{"n": 1}, {"n": 2, "a": [{"n": 3}]}], "n": 0}
    assert values("$..n", document) == [0, 1, 2, 3]
    assert values("$..[?@.n].n", document) == [1, 2, 3]


def test_any_path_on_any_document_is_answered_or_refused() -> None:
    answered = 0
    for _ in range(3_000):
        path = "$" + "".join(segment(2) for _ in range(CHANCE.randint(0, 3)))
        for document in DOCUMENTS:
            try:
                rawjson.parse(json_path.select(document, json_path.parse(path)))
                answered += 1
            except ReadError:
                continue
    assert answered > 1_000


def segment(depth: int) -> str:
    if CHANCE.random() < 0.4:
        return CHANCE.choice([".a", ".b", ".*", "..a", "..*"])
    selectors = ",".join(selector(depth) for _ in range(CHANCE.randint(1, 2)))
    return f"{CHANCE.choice(['', '', '..'])}[{selectors}]"


def selector(depth: int) -> str:
    plain = ["'a'", '"b"', "0", "-1", "*", "1:", ":-1", "::-1", "::0", ":2:1"]
    return f"?{expression(depth)}" if depth and CHANCE.random() < 0.5 else CHANCE.choice(plain)


def expression(depth: int) -> str:
    kind = CHANCE.randint(0, 3)
    if kind == 0:
        return CHANCE.choice(["", "!"]) + query(depth)
    if kind == 1 and depth:
        return f"({expression(depth - 1)} {CHANCE.choice(['&&', '||'])} {expression(depth - 1)})"
    return f"{operand(depth)} {CHANCE.choice(['==', '!=', '<', '<=', '>', '>='])} {operand(depth)}"


def operand(depth: int) -> str:
    literals = ["1", '"x"', "null", "true", "1.5", "-2", "12345678901234567890", "1e400"]
    functions = [f"{name}({query(depth)})" for name in ("length", "count", "value")]
    return CHANCE.choice([query(depth), *literals, *functions])


def query(depth: int) -> str:
    return CHANCE.choice("@@$") + "".join(segment(depth - 1) for _ in range(CHANCE.randint(0, 2)) if depth)
