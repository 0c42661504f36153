from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from pipelines.audit import events
from pipelines.audit.events import Checkpoint, Event
from pipelines.audit.report import ExitCode, Report, exit_code
from pipelines.audit.verify import verify
from pipelines.signing import keys
from tests.unit.audit.making import KEY, PUBLIC, RING, START, STRANGER, chain, kinds


def point(event: Event, key: keys.SigningKey | None = KEY) -> Checkpoint:
    return events.checkpoint(events.head_of(event), now=START, key=key)


def check(rows: list[Event], *points: Checkpoint, must_be_signed: bool = True, **options: Any) -> Report:
    return verify(rows, RING, checkpoints=points, must_be_signed=must_be_signed, **options)


def test_an_empty_chain_holds() -> None:
    report = check([])
    assert (report.rows_checked, report.holds, report.spans) == (0, True, {})


def test_a_good_chain_holds_with_all_its_checkpoints() -> None:
    rows = chain(6)
    report = check(rows, *(point(row) for row in rows))
    assert report.holds
    assert (report.rows_checked, report.spans["alice"].first, report.spans["alice"].last) == (6, 1, 6)
    assert exit_code(report) == ExitCode.HOLDS


def test_the_chains_of_two_agents_do_not_disturb_each_other() -> None:
    alice, bob = chain(3), chain(3, agent="bob")
    mixed = [row for pair in zip(alice, bob, strict=True) for row in pair]
    assert check(mixed, point(bob[-1])).holds


def test_a_changed_row_breaks_the_chain_at_the_next_one_with_expected_and_found() -> None:
    rows = chain(5)
    rows[2] = replace(rows[2], actor="mallory")
    report = check(rows)
    assert kinds(report.breaks) == [("prev_hash", 4)]
    assert kinds(report.signature_failures) == [("signature_wrong", 3)]
    assert report.breaks[0].expected == events.event_hash(rows[2]).hex()
    assert report.breaks[0].found == rows[3].prev_hash.hex()
    assert exit_code(report) == ExitCode.CHAIN_BROKEN


def test_every_break_is_listed_and_each_cause_once() -> None:
    rows = chain(12)
    rows[2] = replace(rows[2], payload={})
    del rows[7]
    rows[9] = replace(rows[9], sequence=99)
    report = check(rows)
    assert kinds(report.breaks) == [
        ("prev_hash", 4),
        ("sequence_gap", 9),
        ("sequence_gap", 99),
        ("sequence_repeated", 12),
    ]
    assert kinds(report.signature_failures) == [("signature_wrong", 3), ("signature_wrong", 99)]


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        (lambda rows: rows[1:], [("sequence_gap", 2)]),
        (lambda rows: rows[:2] + rows[3:], [("sequence_gap", 4)]),
        (lambda rows: [*rows[:3], *rows[2:]], [("sequence_repeated", 3)]),
        (
            lambda rows: [rows[0], rows[2], rows[1], *rows[3:]],
            [("sequence_gap", 3), ("sequence_repeated", 2), ("sequence_gap", 4)],
        ),
    ],
)
def test_removed_repeated_and_swapped_rows_are_told_apart(
    damage: Callable[[list[Event]], list[Event]], expected: list[tuple[str, int]]
) -> None:
    report = check(damage(chain(5)))
    assert kinds(report.breaks) == expected
    assert not report.signature_failures


def test_rows_written_anew_by_who_has_no_key_are_found_though_the_hashes_fit() -> None:
    report = check(chain(3, key=STRANGER))
    assert not report.breaks
    assert kinds(report.signature_failures) == [("key_unknown", number) for number in (1, 2, 3)]
    assert exit_code(report) == ExitCode.SIGNATURES


def test_a_cut_tail_is_seen_by_a_checkpoint_and_by_nothing_else() -> None:
    rows = chain(5)
    assert check(rows[:3]).holds
    report = check(rows[:3], point(rows[3]), point(rows[4]))
    assert kinds(report.breaks) == [("tail_cut", 4), ("tail_cut", 5)]
    assert "ends at 3" in report.breaks[0].found


def test_the_end_that_the_store_states_must_be_the_end_of_the_chain() -> None:
    rows = chain(5)
    ends = [events.head_of(row) for row in rows]
    nothing = replace(ends[0], sequence=0, event_hash=events.GENESIS)
    assert check(rows, heads=[ends[4]]).holds
    assert check([], heads=[nothing]).holds
    assert kinds(check(rows, heads=[ends[3]]).breaks) == [("head", 5)]
    assert kinds(check(rows, heads=[nothing]).breaks) == [("head", 5)]
    assert kinds(check(rows, heads=[replace(ends[4], event_hash=bytes(32))]).breaks) == [("head", 5)]
    assert kinds(check(rows[:3], heads=[ends[4]]).breaks) == [("tail_cut", 5)]
    assert kinds(check([], heads=[ends[4]]).breaks) == [("tail_cut", 5)]
    assert check([], since=[ends[4]], heads=[ends[4]]).holds
    assert kinds(check(rows[3:], since=[ends[2]], heads=[ends[3]]).breaks) == [("head", 5)]


def test_an_agent_whose_rows_are_all_gone_is_a_cut_tail() -> None:
    assert kinds(check([], point(chain(2)[-1])).breaks) == [("tail_cut", 2)]


def test_a_newest_row_that_was_replaced_differs_from_its_checkpoint() -> None:
    rows = chain(3, key=None)
    other = replace(rows[-1], actor="mallory")
    assert check([*rows[:2], other], must_be_signed=False).holds
    report = check([*rows[:2], other], point(rows[-1]), must_be_signed=False)
    assert kinds(report.breaks) == [("checkpoint_mismatch", 3)]


def test_a_checkpoint_of_a_row_that_is_missing_in_the_middle_is_a_mismatch() -> None:
    rows = chain(4)
    report = check([rows[0], *rows[2:]], point(rows[1]))
    assert kinds(report.breaks) == [("sequence_gap", 3), ("checkpoint_mismatch", 2)]


@pytest.mark.parametrize(
    ("edit", "kind"),
    [
        ({"sequence": 9}, "signature_wrong"),
        ({"head_hash": bytes(32)}, "signature_wrong"),
        ({"key_id": STRANGER.key_id}, "key_unknown"),
        ({"signature": None}, "signature_missing"),
    ],
)
def test_a_forged_checkpoint_is_a_signature_failure_and_proves_nothing(
    edit: dict[str, Any], kind: str
) -> None:
    rows = chain(3)
    forged = replace(point(rows[-1]), **edit)
    report = check(rows, forged)
    assert not report.breaks
    assert [str(item.kind) for item in report.signature_failures] == [kind]


def test_an_unsigned_row_is_a_failure_where_rows_must_be_signed() -> None:
    rows = chain(3, key=None)
    assert kinds(check(rows).signature_failures) == [("signature_missing", number) for number in (1, 2, 3)]
    lax = check(rows, must_be_signed=False)
    assert (lax.holds, lax.unsigned) == (True, 3)


def test_a_row_that_names_a_key_must_be_signed_whatever_the_policy() -> None:
    rows = chain(2)
    rows[1] = replace(rows[1], signature=None)
    assert kinds(check(rows, must_be_signed=False).signature_failures) == [("signature_missing", 2)]


def test_a_key_counts_only_while_it_is_valid() -> None:
    ring = keys.KeyRing.of(
        [keys.PublicKey(public=KEY.public, valid_from=START, valid_to=START + timedelta(seconds=2))]
    )
    report = verify(chain(4), ring, must_be_signed=True)
    assert kinds(report.signature_failures) == [("key_outside_validity", 3), ("key_outside_validity", 4)]
    revoked = keys.KeyRing.of([replace(PUBLIC, revoked=True)])
    assert kinds(verify(chain(1), revoked, must_be_signed=True).signature_failures) == [("key_revoked", 1)]


def test_a_walk_goes_on_from_a_head_that_was_verified() -> None:
    rows = chain(6)
    report = check(rows[3:], point(rows[1]), point(rows[2]), since=[events.head_of(rows[2])])
    assert report.holds
    assert report.rows_checked == 3
    rows[4] = replace(rows[4], payload={})
    assert kinds(check(rows[3:], since=[events.head_of(rows[2])]).breaks) == [("prev_hash", 6)]


def test_a_head_that_is_not_what_a_checkpoint_says_is_found() -> None:
    rows = chain(4)
    wrong = replace(events.head_of(rows[2]), event_hash=bytes(32))
    report = check(rows[3:], point(rows[2]), since=[wrong])
    assert kinds(report.breaks) == [("checkpoint_mismatch", 3), ("prev_hash", 4)]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("agent", None),
        ("agent", b"alice"),
        ("sequence", None),
        ("sequence", 0),
        ("sequence", True),
        ("sequence", 2.0),
        ("sequence", [10**5000]),
        ("event_id", "no uuid"),
        ("event_id", None),
        ("event_type", None),
        ("actor", 1),
        ("outcome", []),
        ("payload", None),
        ("payload", {"x": 1.5}),
        ("payload", {"x": 10**5000}),
        ("timestamp", "yesterday"),
        ("timestamp", None),
        ("prev_hash", None),
        ("prev_hash", b"short"),
        ("key_id", 5),
        ("signature", "text"),
    ],
)
def test_empty_and_odd_values_are_reported_and_never_stop_the_walk(name: str, value: Any) -> None:
    rows = chain(4)
    rows[1] = replace(rows[1], **{name: value})
    report = check(rows)
    assert report.rows_checked == 4
    assert report.breaks[0].kind == "odd_value"
    assert report.breaks[0].row == 2
    assert {item.row for item in report.breaks} <= {2, 3}


@pytest.mark.parametrize("name", ["agent", "sequence", "head_hash", "timestamp", "key_id", "signature"])
def test_an_odd_checkpoint_is_reported(name: str) -> None:
    rows = chain(2)
    report = check(rows, replace(point(rows[-1]), **{name: 5.5}))
    assert [str(item.kind) for item in report.breaks] == ["odd_value"]


def test_exit_statuses_are_distinct_and_the_gravest_wins() -> None:
    good, unsigned, broken = check(chain(2)), check(chain(2, key=None)), check(chain(2)[1:])
    assert [exit_code(report) for report in (good, unsigned, broken)] == [0, 3, 1]
    assert [exit_code(report, blobs_hold=False) for report in (good, unsigned, broken)] == [4, 4, 1]
