from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from pipelines.signing.endorsement import Endorsed, endorse, trusted
from pipelines.signing.keys import PublicKey, from_seed

SERVER, OTHER = from_seed(bytes(32)), from_seed(b"\x01" * 32)
START = datetime(2026, 1, 1, 12, 0, 0, 123456, tzinfo=UTC)
KEY = PublicKey(public=OTHER.public, valid_from=START)


def ring(row: Endorsed, *servers: bytes) -> list[str]:
    return list(trusted([row], servers or (SERVER.public,)).keys)


def test_a_key_that_the_server_endorsed_is_trusted() -> None:
    assert ring(Endorsed(key=KEY, endorsement=endorse(KEY, SERVER))) == [OTHER.key_id]


def test_either_of_two_server_keys_may_have_endorsed_it() -> None:
    row = Endorsed(key=KEY, endorsement=endorse(KEY, SERVER))
    assert ring(row, OTHER.public, SERVER.public) == [OTHER.key_id]


def test_a_key_cannot_endorse_itself_nor_be_there_without_a_word() -> None:
    for endorsement in (endorse(KEY, OTHER), None, b"", bytes(64), b"short"):
        assert ring(Endorsed(key=KEY, endorsement=endorsement)) == []


@pytest.mark.parametrize(
    "change",
    [
        {"public": SERVER.public},
        {"valid_from": START - timedelta(microseconds=1)},
        {"valid_to": START + timedelta(days=1)},
        {"revoked": True},
    ],
)
def test_no_word_of_it_can_be_changed(change: dict[str, object]) -> None:
    endorsement = endorse(KEY, SERVER)
    fields = {
        "public": KEY.public,
        "valid_from": KEY.valid_from,
        "valid_to": None,
        "revoked": False,
        **change,
    }
    assert ring(Endorsed(key=PublicKey(**fields), endorsement=endorsement)) == []  # type: ignore[arg-type]


def test_an_endorsement_is_not_for_another_key() -> None:
    third = PublicKey(public=from_seed(b"\x02" * 32).public, valid_from=START)
    row = Endorsed(key=KEY, endorsement=endorse(KEY, SERVER))
    assert ring(replace(row, key=third)) == []
