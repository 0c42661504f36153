from __future__ import annotations

import json
import random
import subprocess
import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.audit import events, standalone_verify
from pipelines.signing import cbor, keys
from tests.unit.audit.exports import lines_of, run, script_in, with_head
from tests.unit.audit.making import KEY, PUBLIC, START, STRANGER, chain
from tests.unit.signing.test_cbor import VALUES


def alone(folder: Path, lines: list[bytes], *options: str) -> subprocess.CompletedProcess[str]:
    script = script_in(folder)
    export = folder / "export.jsonl"
    export.write_bytes(b"".join(lines))
    command = [sys.executable, "-I", "-S", str(script), str(export), *options]
    return subprocess.run(command, cwd=folder, env={}, capture_output=True, text=True, check=False)


@given(VALUES | st.text())
def test_both_encoders_write_the_same_bytes(value: Any) -> None:
    assert standalone_verify.cbor(value) == cbor.encode(value)


@given(st.binary(min_size=32, max_size=32), st.binary(max_size=200), st.integers(0, 511))
def test_both_verifiers_agree_on_good_and_on_damaged_signatures(
    seed: bytes, message: bytes, bit: int
) -> None:
    key = keys.from_seed(seed)
    holds = standalone_verify.checker_of(key.public)
    signature = key.sign(message)
    assert holds(signature, message)
    damaged = (int.from_bytes(signature, "big") ^ 1 << bit).to_bytes(64, "big")
    assert not holds(damaged, message)
    assert not holds(signature, message + b"\x00")


def test_a_signature_cannot_be_written_in_a_second_way() -> None:
    signature = KEY.sign(b"m")
    factor = int.from_bytes(signature[32:], "little") + standalone_verify.ORDER
    second = signature[:32] + factor.to_bytes(32, "little")
    assert not standalone_verify.checker_of(KEY.public)(second, b"m")


@pytest.mark.parametrize(
    ("seed", "public", "signature", "message"),
    [
        (
            "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
            (
                "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b"
                "d25bf5f0595bbe24655141438e7a100b"
            ),
            "",
        ),
        (
            "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
            (
                "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c"
                "387b2eaeb4302aeeb00d291612bb0c00"
            ),
            "72",
        ),
    ],
)
def test_the_signatures_of_the_standard_hold(seed: str, public: str, signature: str, message: str) -> None:
    assert keys.from_seed(bytes.fromhex(seed)).public.hex() == public
    holds = standalone_verify.checker_of(bytes.fromhex(public))
    assert holds(bytes.fromhex(signature), bytes.fromhex(message))


def test_it_needs_nothing_but_itself_and_says_first_what_is_first_wrong(tmp_path: Path) -> None:
    good = with_head(chain(4))
    whole = alone(tmp_path, good)
    assert (whole.returncode, whole.stderr) == (0, "")
    assert whole.stdout.startswith("HOLDS: 4 row(s), 1 to 4, agent 'alice'\nnote: ")
    rows = chain(4)
    rows[1] = replace(rows[1], payload={"size_bytes": 12})
    broken = alone(tmp_path, with_head(rows), "--key", KEY.public.hex())
    assert broken.returncode == 1
    assert broken.stdout.splitlines()[0] == "DOES NOT HOLD: 4 row(s), 1 to 4, agent 'alice'"
    first = next(line for line in broken.stdout.splitlines() if line.startswith("first: "))
    assert first.startswith("first: line 4, sequence 2: signature_wrong")
    expected, found = events.event_hash(rows[1]).hex(), rows[2].prev_hash.hex()
    assert f"line 5, sequence 3: prev_hash: expected {expected}; found '{found}'" in broken.stdout
    assert len(broken.stdout.splitlines()) == 3
    assert sorted(path.name for path in tmp_path.iterdir()) == ["export.jsonl", "verify.py"]


def test_exit_statuses_are_distinct(tmp_path: Path) -> None:
    good = with_head(chain(2))
    assert alone(tmp_path, good).returncode == 0
    assert alone(tmp_path, [good[0], *good[2:]]).returncode == 1
    assert alone(tmp_path, good, "--unknown").returncode == 2
    assert alone(tmp_path, good, "--key", "xy").returncode == 2
    assert alone(tmp_path, lines_of(chain(2, key=None), key=None)).returncode == 3
    assert alone(tmp_path, good[1:]).returncode == 5
    assert alone(tmp_path, []).returncode == 5
    assert alone(tmp_path, good, "--checkpoints", "none").returncode == 5


def test_the_keys_of_an_export_are_not_believed_when_one_is_named() -> None:
    key = replace(PUBLIC, public=STRANGER.public)
    forged = lines_of(chain(2, key=STRANGER), keys=[key], key=STRANGER)
    assert run(forged)[0] == 0
    code, report = run(forged, "--key", KEY.public.hex())
    assert code == 3
    assert {row["kind"] for row in report["signature_failures"]} == {"key_unknown"}
    assert run(with_head(chain(2)), "--key", KEY.public.hex())[0] == 0


def test_an_older_checkpoint_shows_a_tail_that_was_cut_before_the_export(tmp_path: Path) -> None:
    rows = chain(5)
    older = tmp_path / "older.jsonl"
    older.write_bytes(b"".join(with_head(rows)))
    assert run(lines_of(rows[:3]))[0] == 0
    code, report = run(lines_of(rows[:3]), "--checkpoints", str(older))
    assert (code, [row["kind"] for row in report["breaks"]]) == (1, ["tail_cut"])
    assert run(lines_of(chain(6)), "--checkpoints", str(older))[0] == 0
    code, report = run(lines_of(rows[4:], since=events.head_of(rows[3])), "--checkpoints", str(older))
    assert code == 0


def test_unsigned_exports_pass_only_when_that_is_allowed() -> None:
    unsigned = lines_of(chain(3, key=None), key=None)
    assert run(unsigned)[0] == 3
    code, report = run(unsigned, "--allow-unsigned")
    assert (code, report["unsigned"]) == (0, 3)


def test_keys_count_only_while_valid_and_never_once_revoked() -> None:
    rows = chain(4)
    short = replace(PUBLIC, valid_to=START + timedelta(seconds=2))
    code, report = run(lines_of(rows, keys=[short]))
    assert (code, [row["sequence"] for row in report["signature_failures"]]) == (3, [3, 4])
    late = replace(PUBLIC, valid_from=START + timedelta(seconds=2))
    assert len(run(lines_of(rows, keys=[late]))[1]["signature_failures"]) == 3
    code, report = run(lines_of(rows, keys=[replace(PUBLIC, revoked=True)]))
    assert {row["kind"] for row in report["signature_failures"]} == {"key_revoked"}


@pytest.mark.parametrize(
    ("name", "value"),
    [("sequence", None), ("payload", {"x": 1.5}), ("prev_hash", None), ("timestamp", "x"), ("agent", 5)],
)
def test_odd_rows_are_exported_and_found(name: str, value: Any) -> None:
    rows = chain(3)
    rows[1] = replace(rows[1], **{name: value})
    code, report = run(lines_of(rows))
    assert code == 1
    assert report["breaks"][0]["kind"] == "odd_value"
    assert report["rows_checked"] == 3


def test_readable_fields_and_signed_bytes_must_agree() -> None:
    lines = lines_of(chain(3))
    row = json.loads(lines[2])
    row["bytes"] = json.loads(lines[1])["bytes"]
    lines[2] = json.dumps(row, separators=(",", ":")).encode() + b"\n"
    breaks = run(lines)[1]["breaks"]
    assert [(row["kind"], row["line"]) for row in breaks] == [("bytes_differ", 3), ("export_changed", 5)]


def test_a_walk_goes_on_from_the_head_in_the_header() -> None:
    rows = chain(5)
    code, report = run(lines_of(rows[3:], since=events.head_of(rows[2])))
    assert (code, report["first_sequence"], report["rows_checked"]) == (0, 4, 2)
    wrong = replace(events.head_of(rows[2]), event_hash=bytes(32))
    assert [row["kind"] for row in run(lines_of(rows[3:], since=wrong))[1]["breaks"]] == ["prev_hash"]


def test_hostile_lines_are_reported_and_never_stop_it() -> None:
    good = with_head(chain(3))
    hostile = [b"\n", b"[]\n", b'{"kind":[]}\n', b"[" * 100_000 + b"\n", b"\xff\n", b'{"a":1,"a":1}\n']
    hostile += [b'{"kind":"end"}\n', b"1" * 5000 + b"\n", good[2].replace(b'"number":0', b'"number":NaN')]
    for line in hostile:
        code, report = run([*good[:3], line, *good[3:]])
        assert code == 1
        assert report["breaks"][0]["line"] == 4
    for line in hostile:
        assert run([line, *good[1:]])[0] == 5


def test_no_single_byte_of_an_export_can_be_changed() -> None:
    good = b"".join(with_head(chain(3)))
    chance = random.Random(7)
    for place in chance.sample(range(len(good) - 1), 300):
        damaged = bytearray(good)
        damaged[place] ^= 1 << chance.randrange(8)
        assert run([bytes(damaged)])[0] != 0, (place, good[place - 20 : place + 20])


def test_what_is_in_the_header_can_be_trusted_to_be_what_was_exported() -> None:
    good = with_head(chain(2))
    header = json.loads(good[0])
    for edit in ({"exported_at": "2026-05-28T20:26:41.123456Z"}, {"agent": "bob"}, {"keys": []}):
        edited = json.dumps({**header, **edit}, separators=(",", ":")).encode() + b"\n"
        assert run([edited, *good[1:]])[0] != 0
    for edit in ({"format": "x"}, {"since": None}, {"since": {}}, {"keys": 5}, {"keys": [5]}, {"more": 1}):
        edited = json.dumps({**header, **edit}).encode() + b"\n"
        assert run([edited, *good[1:]])[0] == 5
