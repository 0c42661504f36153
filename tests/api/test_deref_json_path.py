from __future__ import annotations

import json
from typing import Any

import pytest

from canvases.models import SignedEvent
from pipelines import tokens
from tests.conftest import Api, pair

TEXT = """{"items": [
  {"name": "caf\\u00e9", "price": 1.10, "id": 12345678901234567890123},
  {"name": "\\ud800", "price": 1e2, "name": "last"},
  {"price": 10000000000000000.1}
], "total": 3.0, "flag": true, "empty": {}}"""


@pytest.fixture
def reader(alice: Api) -> Any:
    """Post a result and read parts of it."""

    def read(result: Any, path: str, **query: Any) -> Any:
        body = f'{{"tool_pairs":[{{"tool_name":"get","tool_call_id":"c","result":{result}}}]}}'
        ref = alice.post("sessions/s1/tool-pairs", body).json()["refs"][0]["ref_id"]
        return alice.get("deref", ref_id=ref, json_path=path, **query)

    return read


def content(answer: Any) -> str:
    assert answer.status_code == 200, answer.content
    return str(answer.json()["items"][0]["content"])


@pytest.mark.parametrize("posted", [TEXT, json.dumps(TEXT), json.dumps([{"type": "text", "text": TEXT}])])
@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("$.items[0].name", '"caf\\u00e9"'),
        ("$.items[0].price", "1.10"),
        ("$['items'][0]['id']", "12345678901234567890123"),
        ("$.items[1].price", "1e2"),
        ("$.items[1].name", '"last"'),
        ("$.items[1]", '{"name": "\\ud800", "price": 1e2, "name": "last"}'),
        ("$.items[-1].price", "10000000000000000.1"),
        ("$.total", "3.0"),
        ("$", TEXT),
        ("$.items[?@.id == 12345678901234567890123].price", "1.10"),
        ("$.items[?count(@.*) == 3].id", "12345678901234567890123"),
        ("$[?count(@) == 1 && @ == 3]", "3.0"),
        ("$.items[0][?@ > 1 && @ < 2]", "1.10"),
        ("$[?@ == true]", "true"),
    ],
)
def test_one_value_is_given_as_it_is_spelled(reader: Any, posted: str, path: str, found: str) -> None:
    assert content(reader(posted, path)) == found


def test_several_values_come_as_a_list_with_their_paths_a_line_each(reader: Any) -> None:
    found = content(reader(TEXT, "$..price"))
    assert found.splitlines() == [
        "[",
        """{"path":"$['items'][0]['price']","value":1.10},""",
        """{"path":"$['items'][1]['price']","value":1e2},""",
        """{"path":"$['items'][2]['price']","value":10000000000000000.1}""",
        "]",
    ]
    assert len(json.loads(found)) == 3


def test_a_part_is_paged_and_searched_like_any_text(reader: Any) -> None:
    posted = json.dumps({"rows": [{"n": n, "text": f"row {n}"} for n in range(500)], "other": "x" * 1000})
    whole = content(reader(posted, "$.rows[*].text", max_tokens=16_000))
    assert len(json.loads(whole)) == 500
    parts, offset = [], 0
    while offset is not None:
        item = reader(posted, "$.rows[*].text", offset=offset, max_tokens=300).json()["items"][0]
        assert tokens.count(item["content"]) <= 300
        parts.append(item["content"])
        offset = item["next_offset"]
    assert "".join(parts) == whole
    assert content(reader(posted, "$.rows[*].text", grep="row 77")).startswith("79:")
    assert content(reader(posted, "$.rows[*].text", lines="3", limit=20)) == """{"path":"$['rows'][1"""


@pytest.mark.parametrize(
    ("posted", "path", "words"),
    [
        (TEXT, "items", "not a JSONPath such as $.items[0].name: expected root, found name, at character 0"),
        (TEXT, "$.items[", "at its end"),
        (TEXT, "$[?search(@, 'x')]", "length(), count() and value()"),
        (TEXT, "$[?@ == 1e999999]", "number out of range"),
        (TEXT, "$." + "a" * 500, "at most 500 characters"),
        (TEXT, "$[?" + "(" * 400, "not a JSONPath"),
        (TEXT, "$.items[0].nam", "finds nothing; $['items'][0] is an object with 'name', 'price', 'id'"),
        (TEXT, "$.items[3]", "finds nothing; $['items'] is a list of 3"),
        (TEXT, "$.total[0:2]", "finds nothing; $['total'] is a number"),
        (TEXT, "$.items[0].name[0:2]", "finds nothing; $['items'][0]['name'] is a string"),
        (TEXT, "$[?@ == 1]", "finds nothing"),
        (TEXT, "$.empty.x", "is an empty object"),
        ('"plain words"', "$.a", "needs a JSON result, and this one is not"),
        ('"{\\"a\\": NaN}"', "$.a", "NaN is not JSON"),
        (json.dumps("[" * 100_000), "$..a", "nested too deeply"),
        ("[" * 700 + "]" * 700, "$" + "[0]" * 160 + "..*", "nested too deeply"),
        (json.dumps([[list(range(100))] * 50] * 50), "$..*..*..zz", "more than 500000 values"),
        (json.dumps([list(range(300))] * 300), "$[?count($..*) > 0]", "more than 500000 values"),
        (json.dumps([list(range(300))] * 300), "$..*", "more than 10000 values"),
        (json.dumps(["x" * 40] * 9000), "$[*,*]", "more than 10000 values"),
        (json.dumps(["x" * 4_000_000, "y"]), "$[0,0,0,0,0,0,0,0,0]", "more than 33554432 characters"),
    ],
)
def test_what_cannot_be_read_says_why(reader: Any, posted: str, path: str, words: str) -> None:
    answer = reader(posted, path)
    assert answer.status_code == 422
    assert words in answer.json()["detail"]
    assert len(answer.json()["detail"]) < 1_000


def test_of_several_results_one_without_the_value_says_so(alice: Api) -> None:
    alice.pairs(
        pair({"a": 1}, tool_call_id="c"), pair("no json", tool_call_id="c"), pair({}, tool_call_id="c")
    )
    items = alice.get("deref", session_id="s1", tool_call_id="c", json_path="$.a").json()["items"]
    assert [item["content"] for item in items] == ["1", None, None]
    assert "not" in items[1]["error"]
    assert "an empty object" in items[2]["error"]


def test_a_refusal_that_tells_of_the_content_is_a_read_too(reader: Any, alice: Api) -> None:
    before = SignedEvent.objects.count()
    reader(TEXT, "$.items[0].nam")
    kinds = SignedEvent.objects.order_by("pk").values_list("event_type", flat=True)[before:]
    assert list(kinds) == ["offloaded", "dereferenced"]
