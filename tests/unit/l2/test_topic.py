from __future__ import annotations

import pytest

from pipelines.l2.node import Node
from pipelines.l2.topic import FAILING_ENDS, how_it_ended, topic
from tests.unit.l2.making import BEGIN


def node(k: int, act: str, **fields: object) -> Node:
    return Node(k=k, lo=k, hi=k, act=act, updated=BEGIN, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("ends", "words"),
    [
        (["done"], "delivered"),
        (["blocked"], "not delivered"),
        (["done", "blocked"], "delivered, then one delivery failed"),
        (["blocked", "done"], "delivered"),
    ],
)
def test_a_stretch_that_delivered_is_never_said_not_to_have(ends: list[str], words: str) -> None:
    stretch = [node(place, "deliver", status=status) for place, status in enumerate(ends, 1)]
    assert how_it_ended(stretch) == words
    assert (words in FAILING_ENDS) == ("done" not in ends)


def test_what_was_only_read_beside_an_edit_is_not_said_to_be_changed() -> None:
    stretch = [node(1, "change", edits=1, calls=3, objects=(("notes.jsonl", 2), ("app.py", 1)))]
    assert "changed" not in topic(stretch, {})
    assert "app.py" in topic(stretch, {})
