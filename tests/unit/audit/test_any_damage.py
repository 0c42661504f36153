from __future__ import annotations

import json
from dataclasses import fields, replace
from datetime import UTC, timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.audit import events
from pipelines.audit.events import Event
from pipelines.audit.verify import verify
from tests.unit.audit.exports import lines_of, run, with_head
from tests.unit.audit.making import KEY, RING, START, STRANGER, chain

ROWS = chain(6)
POINT = events.checkpoint(events.head_of(ROWS[-1]), now=START, key=KEY)
PLAIN = chain(6, key=None)
PLAIN_POINT = events.checkpoint(events.head_of(PLAIN[-1]), now=START, key=KEY)
SIGNABLE = st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(max_size=9)
JSON_VALUES = SIGNABLE | st.integers() | st.floats()
ODD = JSON_VALUES | st.binary(max_size=70) | st.lists(st.integers(), max_size=2)
PLAUSIBLE: dict[str, st.SearchStrategy[Any]] = {
    "agent": st.sampled_from(["bob", "alice ", "Alice", ""]),
    "sequence": st.integers(-2, 9),
    "event_id": st.uuids().map(str),
    "event_type": st.sampled_from(["offloaded", "deleted", "expired", "offloadeD"]),
    "actor": st.text(max_size=20),
    "outcome": st.sampled_from(["denied", "OK", ""]),
    "payload": st.dictionaries(st.text(max_size=9), JSON_VALUES, max_size=3),
    "timestamp": st.datetimes(timezones=st.just(UTC)).map(events.time_text),
    "prev_hash": st.binary(min_size=32, max_size=32),
    "key_id": st.sampled_from([STRANGER.key_id, "", KEY.key_id[:-1]]),
    "signature": st.binary(min_size=64, max_size=64),
}
NAMES = [field.name for field in fields(Event)]


def same(one: Any, two: Any) -> bool:
    return type(one) is type(two) and one == two


@st.composite
def changed(draw: st.DrawFn, rows: list[Event]) -> list[Event]:
    place, name = draw(st.integers(0, len(rows) - 1)), draw(st.sampled_from(NAMES))
    old = getattr(rows[place], name)
    value = draw((PLAUSIBLE[name] | ODD).filter(lambda new: not same(new, old)))
    return [*rows[:place], replace(rows[place], **{name: value}), *rows[place + 1 :]]


@st.composite
def shuffled(draw: st.DrawFn) -> list[Event]:
    """Rows of the same chain, some left out, moved or there twice."""
    rows = draw(st.lists(st.sampled_from(ROWS), max_size=8).filter(lambda rows: rows != ROWS))
    return list(rows)


@st.composite
def enriched(draw: st.DrawFn) -> list[Event]:
    """The chain with one more row, signed by the stranger, by nobody, or cut out of another chain."""
    place = draw(st.integers(0, len(ROWS)))
    before = events.head_of(ROWS[place - 1]) if place else None
    key = draw(st.sampled_from([STRANGER, None]))
    added = chain(1, key=key, previous=before)[0]
    foreign = replace(chain(place + 1, agent="bob")[place], agent="alice")
    return [*ROWS[:place], draw(st.sampled_from([added, foreign])), *ROWS[place:]]


def found_by_both(rows: list[Event], *, signed: bool = True) -> bool:
    point = POINT if signed else PLAIN_POINT
    report = verify(rows, RING, checkpoints=[point], must_be_signed=signed)
    code, alone = run(lines_of(rows, [point]), *([] if signed else ["--allow-unsigned"]))
    if all(row.agent == "alice" for row in rows):  # an export has one chain, a table can have more
        assert {row["kind"] for row in alone["breaks"]} >= {str(found.kind) for found in report.breaks}
    return not report.holds and code != 0


@given(changed(ROWS))
@settings(max_examples=200)
def test_any_change_of_any_field_is_found_by_both(rows: list[Event]) -> None:
    assert found_by_both(rows)


@given(changed(PLAIN))
@settings(max_examples=100)
def test_any_change_of_an_unsigned_row_is_found_by_both_before_a_checkpoint(rows: list[Event]) -> None:
    assert found_by_both(rows, signed=False)


@given(shuffled())
@settings(max_examples=150)
def test_any_row_removed_moved_or_repeated_is_found_by_both(rows: list[Event]) -> None:
    assert found_by_both(rows)


@given(enriched())
@settings(max_examples=40)
def test_any_row_added_is_found_by_both(rows: list[Event]) -> None:
    assert found_by_both(rows)


@given(st.data())
@settings(max_examples=150)
def test_any_damage_to_the_lines_of_an_export_is_found(data: st.DataObject) -> None:
    lines = with_head(ROWS)
    places = st.integers(0, len(lines) - 1)
    act = data.draw(st.sampled_from(["drop", "copy", "swap", "cut", "edit"]))
    one, two = data.draw(places), data.draw(places)
    damaged = list(lines)
    if act == "drop":
        del damaged[one]
    elif act == "copy":
        damaged.insert(two, lines[one])
    elif act == "swap":
        damaged[one], damaged[two] = damaged[two], damaged[one]
    elif act == "cut":
        damaged[one:] = [lines[one][: data.draw(st.integers(0, len(lines[one]) - 2))]]
    else:
        line = json.loads(lines[one])
        line[data.draw(st.sampled_from(sorted(line)))] = data.draw(JSON_VALUES)
        damaged[one] = json.dumps(line, separators=(",", ":")).encode() + b"\n"
    assert (run(damaged)[0] == 0) == (damaged == lines)


@given(st.lists(st.tuples(st.text(max_size=9), SIGNABLE), max_size=5), st.integers(0, 4))
@settings(max_examples=60)
def test_nothing_good_is_reported(payloads: list[tuple[str, Any]], since: int) -> None:
    rows: list[Event] = []
    for number, (text, value) in enumerate(payloads):
        event = events.append(
            events.head_of(rows[-1]) if rows else None,
            agent="alice",
            event_id=f"00000000-0000-4000-8000-{number:012x}",
            event_type="imported",
            actor=text,
            outcome="ok",
            payload={"text": text, "value": value, "list": [value, text]},
            now=START + timedelta(days=number),
            key=KEY,
        )
        rows.append(event)
    points = [events.checkpoint(events.head_of(row), now=START, key=KEY) for row in rows]
    assert verify(rows, RING, checkpoints=points, must_be_signed=True).holds
    assert run(lines_of(rows, points))[0] == 0
    since = min(since, len(rows))
    head = events.head_of(rows[since - 1]) if since else None
    later = verify(rows[since:], RING, checkpoints=points, since=[head] if head else [], must_be_signed=True)
    assert later.holds
    assert run(lines_of(rows[since:], points[since:], since=head))[0] == 0
