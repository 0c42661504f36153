"""The key this server signs with: given by the environment, or made at the first start and kept in a file."""

from __future__ import annotations

import contextlib
import os
import secrets
from functools import cache
from pathlib import Path

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from pipelines.signing import keyfile, keys


def key_path() -> Path:
    """Return where the private key is kept when the environment gives none."""
    return Path(settings.OFFLOAD_HOME) / "signing.key"


def next_key_path() -> Path:
    """Return where a new key waits until its public half is registered."""
    return key_path().with_name("signing.key.next")


def is_given() -> bool:
    """Say whether the environment gives the key."""
    return bool(settings.OFFLOAD_SIGNING_KEY)


def server_key() -> keys.SigningKey:
    """Return the key, made if there was none. Raises ImproperlyConfigured with the cure."""
    return _given(settings.OFFLOAD_SIGNING_KEY) if is_given() else _kept(key_path())


@cache
def _given(text: str) -> keys.SigningKey:
    try:
        return keys.from_pem(text.encode()) if "BEGIN" in text else keys.from_seed(bytes.fromhex(text))
    except (ValueError, keys.SigningError) as error:
        raise ImproperlyConfigured(
            "OFFLOAD_SIGNING_KEY is no Ed25519 private key. Give PEM text or 64 hex digits "
            "(`openssl rand -hex 32`), or unset it: a key is then made in the data folder."
        ) from error


def _kept(path: Path) -> keys.SigningKey:
    try:
        if not path.exists():
            try:
                return keyfile.write_seed(path, secrets.token_bytes(keys.SEED_BYTES))
            except FileExistsError:
                pass  # another process was first
        status = path.stat()
        return _loaded(path, status.st_ino, status.st_mtime_ns)
    except (OSError, keys.SigningError) as error:
        raise ImproperlyConfigured(f"The signing key cannot be used: {error}") from error


@cache
def _loaded(path: Path, inode: int, changed_ns: int) -> keys.SigningKey:
    """Load the file once, and again when another file has taken its place."""
    return keyfile.load(path)


def next_key_make() -> keys.SigningKey:
    """Make the key that comes next, in place of one that was made and never used."""
    next_key_path().unlink(missing_ok=True)
    return keyfile.write_seed(next_key_path(), secrets.token_bytes(keys.SEED_BYTES))


def next_key() -> keys.SigningKey | None:
    """Return the key that waits to be the server's, if one does."""
    try:
        return keyfile.load(next_key_path())
    except FileNotFoundError:
        return None


def next_key_take() -> None:
    """Let the waiting key be the server's from now on, for every process of this machine."""
    with contextlib.suppress(FileNotFoundError):  # another process did
        os.replace(next_key_path(), key_path())


def server_keys() -> list[keys.SigningKey]:
    """Return the server's key and, while keys change, the one that comes next."""
    following = None if is_given() else next_key()  # first, so that it is not missed when it is taken now
    return [server_key(), *([following] if following else [])]
