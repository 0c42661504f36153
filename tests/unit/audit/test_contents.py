from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from pipelines.audit import events
from pipelines.audit.contents import Life, StoredContent, check_blobs
from pipelines.audit.events import Event
from tests.unit.audit.making import KEY, START

ONE, TWO = "1" * 64, "2" * 64


def history(*acts: tuple[str, dict[str, Any]], outcome: str = "ok") -> list[Event]:
    made: list[Event] = []
    for number, (event_type, payload) in enumerate(acts):
        previous = events.head_of(made[-1]) if made else None
        made.append(
            events.append(
                previous,
                agent="alice",
                event_id=str(UUID(int=number)),
                event_type=event_type,
                actor="alice",
                outcome=outcome,
                payload=payload,
                now=START,
                key=KEY,
            )
        )
    return made


def ref(sha256: str, namespace: str = "auto", size_bytes: int = 5) -> dict[str, Any]:
    return {"content_sha256": sha256, "namespace": namespace, "size_bytes": size_bytes}


def stored(sha256: str) -> StoredContent:
    return StoredContent(agent="alice", content_sha256=sha256, actual_sha256=sha256, size_bytes=5)


def found(rows: list[Event], *blobs: StoredContent) -> list[tuple[str, str, int | None]]:
    report = check_blobs(rows, blobs)
    assert report.holds == (not report.failures)
    return [(str(item.kind), item.content_sha256, item.sequence) for item in report.failures]


def test_contents_that_are_as_recorded_hold() -> None:
    rows = history(
        ("offloaded", ref(ONE)), ("imported", {"refs": [ref(TWO)]}), ("dereferenced", ref("3" * 64))
    )
    assert found(rows, stored(ONE), stored(TWO)) == []
    assert check_blobs(rows, [stored(ONE), stored(TWO)]).blobs_checked == 2


def test_a_content_that_went_without_an_event_is_missing() -> None:
    assert found(history(("offloaded", ref(ONE)))) == [("missing", ONE, 1)]


@pytest.mark.parametrize("event_type", ["expired", "deleted"])
def test_a_content_that_went_leaves_a_row_that_says_so(event_type: str) -> None:
    rows = history(("offloaded", ref(ONE)), (event_type, ref(ONE)))
    gone = replace(stored(ONE), actual_sha256=None, gone_why=event_type)
    assert found(rows, gone) == []
    assert found(rows) == [("missing", ONE, 1)]
    assert found(rows, stored(ONE)) == [("end", ONE, 1)]
    assert found(rows, replace(gone, gone_why="reclaimed")) == [("end", ONE, 1)]
    assert found(rows, replace(gone, size_bytes=6)) == [("size", ONE, 1)]


def test_when_a_content_went_is_compared_where_the_event_tells_it() -> None:
    rows = history(("offloaded", ref(ONE)), ("expired", {**ref(ONE), "gone_at": "2026-01-01"}))
    gone = replace(stored(ONE), actual_sha256=None, gone_why="expired")
    assert found(rows, replace(gone, gone_at="2026-01-01")) == []
    assert found(rows, replace(gone, gone_at="2026-01-02")) == [("end", ONE, 1)]


def test_how_long_a_namespace_keeps_a_content_is_compared() -> None:
    rows = history(("offloaded", {**ref(ONE), "ttl_seconds": 60, "expires_at": 160, "stored_at": 100}))
    kept = Life(ttl_seconds=60, expires_at=160, stored_at=100)
    assert found(rows, replace(stored(ONE), lives={"auto": kept})) == []
    for other in (
        replace(kept, ttl_seconds=None, expires_at=None),
        replace(kept, ttl_seconds=61, expires_at=161),
        replace(kept, stored_at=101),
    ):
        assert found(rows, replace(stored(ONE), lives={"auto": other})) == [("life", ONE, 1)]
    assert found(rows, replace(stored(ONE), lives={"b": kept})) == [("unkept", ONE, 1), ("unasked", ONE, 1)]


def test_a_content_stays_as_long_as_one_namespace_keeps_it() -> None:
    rows = history(("offloaded", ref(ONE, "a")), ("offloaded", ref(ONE, "b")), ("deleted", ref(ONE, "a")))
    assert found(rows) == [("missing", ONE, 2)]


def test_a_content_that_was_stored_again_must_be_there() -> None:
    rows = history(("offloaded", ref(ONE)), ("deleted", ref(ONE)), ("offloaded", ref(ONE)))
    assert found(rows) == [("missing", ONE, 3)]


def test_a_refused_act_changes_nothing() -> None:
    rows = history(("offloaded", ref(ONE)))
    refused = replace(history(("deleted", ref(ONE)), outcome="denied")[0], sequence=2)
    assert found([*rows, refused]) == [("missing", ONE, 1)]


def test_altered_unreadable_and_resized_contents_are_found() -> None:
    rows = history(("offloaded", ref(ONE)))
    assert found(rows, replace(stored(ONE), actual_sha256=TWO)) == [("altered", ONE, 1)]
    assert found(rows, replace(stored(ONE), actual_sha256=None, size_bytes=None)) == [("altered", ONE, 1)]
    assert found(rows, replace(stored(ONE), size_bytes=6)) == [("size", ONE, 1)]


def test_a_content_swapped_together_with_its_hash_is_found() -> None:
    rows = history(("offloaded", ref(ONE)))
    assert found(rows, stored(TWO)) == [("unrecorded", TWO, None), ("missing", ONE, 1)]


def test_another_agents_content_does_not_stand_in() -> None:
    rows = history(("offloaded", ref(ONE)))
    assert found(rows, replace(stored(ONE), agent="bob")) == [("unrecorded", ONE, None), ("missing", ONE, 1)]


def test_odd_payloads_name_no_content() -> None:
    odd: list[dict[str, Any]] = [{}, {"refs": "x"}, {"refs": [1, None, {}]}, {"content_sha256": 5}]
    assert found(history(*(("offloaded", payload) for payload in odd))) == []
