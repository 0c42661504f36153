from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

import pytest

from pipelines.audit.ai_memory import Layout, Row, row_bytes, row_hash, walk
from pipelines.signing import four_keys
from tests.unit.audit.making import HELLO, KEY, kinds

BUNDLE = four_keys.write(
    four_keys.FourKeys(
        content_sha256=HELLO,
        namespace="tenant-a/scratch",
        ref_id="ofl_XFGSPOMTJU7AQ",
        stored_at=1_780_000_000,
    )
)
FIRST = Row(
    id="11111111-1111-4111-8111-111111111111",
    agent_id="ai:alice",
    event_type="context_offloaded",
    payload_hash=hashlib.sha256(BUNDLE).digest(),
    signature=None,
    attest_level="unsigned",
    timestamp="2026-05-28T20:26:40.123456789+00:00",
    prev_hash=bytes(32),
    sequence=1,
)
SECOND = replace(
    FIRST,
    id="22222222-2222-4222-8222-222222222222",
    event_type="context_dereferenced",
    timestamp="2026-05-28T20:26:41.000000001+00:00",
    sequence=2,
)
SIGNED = replace(FIRST, signature=KEY.sign(BUNDLE), attest_level="self_signed")


def chained(count: int, *layouts: Layout, **fields: Any) -> list[Row]:
    """Rows whose n-th is bound to the one before by the n-th layout; the last layout goes on."""
    rows: list[Row] = []
    for number in range(count):
        layout = layouts[min(number, len(layouts) - 1)]
        before = row_hash(rows[-1], layout) if rows else bytes(32)
        rows.append(replace(SIGNED, sequence=number + 1, prev_hash=before, **fields))
    return rows


@pytest.mark.parametrize(
    ("row", "layout", "length", "sha256"),
    [
        (FIRST, Layout.V07, 151, "d7be61ebaa35514fac70d80e7d09c8ae8baef17388f183fec134b653fd9cf322"),
        (SECOND, Layout.V07, 154, "198793154e2226da72a5022656ad2bdf662e9a0ca0a0aff65ddda329368307d3"),
        (SIGNED, Layout.V07, 218, "a2c68222204dfd2afb473bbb101d853ceeb7e79fec47fec2e00a14feb8797b78"),
        (FIRST, Layout.V10, 201, "d92983113dbd63da15d0388bcc6cb2f4cac5f73091e95c16f79f7dc4f4a02e8c"),
        (SECOND, Layout.V10, 204, "b73a5753b706409cf29e75d3817d3ff3aeb8bf5ce62c8189ffe0f608700643d9"),
    ],
)
def test_a_row_has_the_bytes_and_the_hash_that_ai_memory_gives_it(
    row: Row, layout: Layout, length: int, sha256: str
) -> None:
    raw = row_bytes(row, layout)
    assert (len(raw), hashlib.sha256(raw).hexdigest()) == (length, sha256)


def test_a_cause_is_bound_only_by_the_newer_layout() -> None:
    caused = replace(FIRST, cause_hash=bytes(32))
    assert row_bytes(caused, Layout.V07) == row_bytes(FIRST, Layout.V07)
    assert row_bytes(caused, Layout.V10) == (
        row_bytes(FIRST, Layout.V10)[:-1] + b"\x01" + (32).to_bytes(8, "big") + bytes(32)
    )


@pytest.mark.parametrize("layouts", [(Layout.V07,), (Layout.V10,), (Layout.V07, Layout.V07, Layout.V10)])
def test_good_chains_of_either_layout_hold_and_one_that_went_over(layouts: tuple[Layout, ...]) -> None:
    report = walk(chained(6, *layouts), public=KEY.public, bundles={FIRST.payload_hash: BUNDLE})
    assert report.holds
    assert report.rows_checked == 6


def test_a_chain_does_not_go_back_to_the_older_layout() -> None:
    rows = chained(4, Layout.V07, Layout.V10, Layout.V07)
    assert kinds(walk(rows).breaks) == [("prev_hash", 3), ("prev_hash", 4)]


def test_a_signature_over_the_hash_of_the_bundle_holds_too() -> None:
    signature = KEY.sign(FIRST.payload_hash)
    assert walk(chained(2, Layout.V07, signature=signature), public=KEY.public).holds


def test_changed_removed_and_renumbered_rows_are_found() -> None:
    rows = chained(5, Layout.V07)
    changed = [*rows[:2], replace(rows[2], payload_hash=bytes(32)), *rows[3:]]
    assert kinds(walk(changed).breaks) == [("prev_hash", 4)]
    assert kinds(walk([*rows[:2], *rows[3:]]).breaks) == [("sequence_gap", 4)]
    moved = [*rows[:2], replace(rows[2], sequence=99), *rows[3:]]
    assert kinds(walk(moved).breaks) == [("sequence_gap", 99), ("sequence_repeated", 4)]


def test_a_row_without_a_number_is_not_passed_over() -> None:
    rows = [replace(FIRST, sequence=None, prev_hash=None), *chained(2, Layout.V07)]
    assert kinds(walk(rows).breaks) == [("odd_value", None)]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("prev_hash", b"x"),
        ("payload_hash", None),
        ("timestamp", 5),
        ("agent_id", "\ud800"),
        ("signature", "x"),
    ],
)
def test_odd_values_are_reported(name: str, value: Any) -> None:
    rows = chained(3, Layout.V07)
    rows[0] = replace(rows[0], **{name: value})
    assert walk(rows).breaks[0].kind == "odd_value"


def test_wrong_and_missing_signatures_are_failures_unless_the_row_says_unsigned() -> None:
    wrong = walk(chained(1, Layout.V07, signature=bytes(64)), public=KEY.public)
    missing = walk(chained(1, Layout.V07, signature=None), public=KEY.public)
    unsigned = walk(chained(1, Layout.V07, signature=None, attest_level="unsigned"), public=KEY.public)
    assert kinds(wrong.signature_failures) == [("signature_wrong", 1)]
    assert kinds(missing.signature_failures) == [("signature_missing", 1)]
    assert unsigned.holds


def test_a_bundle_that_is_not_of_the_rows_hash_proves_nothing() -> None:
    other = BUNDLE + b"\x00"
    rows = chained(1, Layout.V07, signature=KEY.sign(other))
    report = walk(rows, public=KEY.public, bundles={FIRST.payload_hash: other})
    assert kinds(report.signature_failures) == [("signature_wrong", 1)]
