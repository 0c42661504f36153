from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from pipelines.signing import keyfile, keys

NOW = datetime(2026, 5, 28, 12, tzinfo=UTC)
SEED = bytes(range(32))


def ring(**fields: object) -> keys.KeyRing:
    public = keys.from_seed(SEED).public
    return keys.KeyRing.of([keys.PublicKey(**{"public": public, "valid_from": NOW, **fields})])  # type: ignore[arg-type]


def test_a_seed_gives_its_key_and_the_id_is_of_the_public_half() -> None:
    key = keys.from_seed(SEED)
    assert key.public.hex() == "03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8"
    assert key.key_id == "56475aa75463474c"


def test_the_same_key_comes_from_pem() -> None:
    key = keys.from_seed(SEED)
    pem = key.private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    assert keys.from_pem(pem).key_id == key.key_id


def test_a_key_does_not_show_its_private_half() -> None:
    assert "private" not in repr(keys.from_seed(SEED))


def test_what_is_signed_is_proved_and_nothing_else() -> None:
    key = keys.from_seed(SEED)
    signature = key.sign(b"this")
    ring().verify(key.key_id, signature, b"this", at=NOW)
    for wrong, message in ((signature, b"that"), (bytes(64), b"this"), (signature[:63], b"this")):
        with pytest.raises(keys.SignatureWrong):
            ring().verify(key.key_id, wrong, message, at=NOW)


@pytest.mark.parametrize(("key_id", "signature"), [(None, b"x"), ("", b"x"), ("k", None), ("k", b"")])
def test_half_a_signature_is_none(key_id: str | None, signature: bytes | None) -> None:
    with pytest.raises(keys.SignatureMissing):
        ring().verify(key_id, signature, b"", at=NOW)


@pytest.mark.parametrize(
    ("fields", "at", "error"),
    [
        ({}, NOW - timedelta(seconds=1), keys.KeyOutsideValidity),
        ({"valid_to": NOW + timedelta(days=1)}, NOW + timedelta(days=1), keys.KeyOutsideValidity),
        ({"revoked": True}, NOW, keys.KeyRevoked),
    ],
)
def test_a_good_signature_of_a_key_that_does_not_count_is_refused(
    fields: dict[str, object], at: datetime, error: type[keys.SignatureRefused]
) -> None:
    key = keys.from_seed(SEED)
    with pytest.raises(error):
        ring(**fields).verify(key.key_id, key.sign(b"m"), b"m", at=at)


def test_a_time_in_whole_seconds_may_seem_to_be_just_before_the_key() -> None:
    key = keys.from_seed(SEED)
    ring(valid_from=NOW + timedelta(microseconds=900_000)).verify(key.key_id, key.sign(b"m"), b"m", at=NOW)


def test_an_unknown_key_is_named() -> None:
    other = keys.from_seed(bytes(32))
    with pytest.raises(keys.KeyUnknown, match=other.key_id):
        ring().verify(other.key_id, other.sign(b"m"), b"m", at=NOW)


def test_one_key_cannot_have_two_validities() -> None:
    public = keys.from_seed(SEED).public
    with pytest.raises(keys.KeyUnreadable):
        keys.KeyRing.of(keys.PublicKey(public=public, valid_from=NOW, revoked=flag) for flag in (True, False))


def test_what_is_no_key_is_refused() -> None:
    curve = generate_private_key(SECP256R1()).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    for content in (b"", b"-----BEGIN", curve):
        with pytest.raises(keys.KeyUnreadable):
            keys.from_pem(content)
    with pytest.raises(keys.KeyUnreadable):
        keys.from_seed(bytes(31))
    with pytest.raises(keys.KeyUnreadable):
        keys.PublicKey(public=bytes(31), valid_from=NOW)
    with pytest.raises(keys.KeyUnreadable, match="time zone"):
        ring(valid_from=NOW.replace(tzinfo=None))


def test_a_seed_file_is_its_owners_alone_and_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "seed"
    before = os.umask(0o277)
    try:
        key = keyfile.write_seed(path, SEED)
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o600
    assert keyfile.load(path).key_id == key.key_id
    with pytest.raises(FileExistsError):
        keyfile.write_seed(path, bytes(32))
    assert path.read_bytes() == SEED


def test_of_many_who_write_a_seed_at_once_one_wins_and_nobody_meets_half_of_it(tmp_path: Path) -> None:
    def write_or_load(path: Path, number: int) -> str:
        try:
            return keyfile.write_seed(path, bytes([number]) * 32).key_id
        except FileExistsError:
            return keyfile.load(path).key_id

    with ThreadPoolExecutor(8) as pool:
        for attempt in range(20):
            path = tmp_path / f"seed{attempt}"
            assert len(set(pool.map(lambda number, path=path: write_or_load(path, number), range(8)))) == 1
    assert len(list(tmp_path.iterdir())) == 20


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602, 0o610, 0o666])
def test_a_seed_file_that_others_can_reach_is_refused_with_the_cure(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "seed"
    keyfile.write_seed(path, SEED)
    path.chmod(mode)
    with pytest.raises(keys.KeyUnreadable, match="chmod 600"):
        keyfile.load(path)


def test_a_file_without_a_key_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "seed"
    path.write_bytes(bytes(33))
    path.chmod(0o600)
    with pytest.raises(keys.KeyUnreadable):
        keyfile.load(path)
