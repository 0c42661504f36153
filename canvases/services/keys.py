"""The key that signs the audit log: given by the environment, or made at the first start and kept in a file."""

from __future__ import annotations

import secrets
from functools import cache
from pathlib import Path

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from canvases.models import SigningKeyRecord
from pipelines.signing import keyfile, keys


def key_path() -> Path:
    """Return where the private key is kept when the environment gives none."""
    return Path(settings.OFFLOAD_HOME) / "signing.key"


def signing_key() -> keys.SigningKey:
    """Return the key that signs now, its public half registered. Raises ImproperlyConfigured with the cure."""
    key = key_at_hand()
    _register(key.key_id, key.public)
    return key


def key_at_hand() -> keys.SigningKey:
    """Return the key that signs now, made if there was none. Raises ImproperlyConfigured with the cure."""
    return _given() if settings.OFFLOAD_SIGNING_KEY else _kept(key_path())


@cache
def _given() -> keys.SigningKey:
    text = settings.OFFLOAD_SIGNING_KEY
    try:
        return keys.from_pem(text.encode()) if "BEGIN" in text else keys.from_seed(bytes.fromhex(text))
    except (ValueError, keys.SigningError) as error:
        raise ImproperlyConfigured(
            "OFFLOAD_SIGNING_KEY is no Ed25519 private key. Give PEM text or 64 hex digits "
            "(`openssl rand -hex 32`), or unset it: a key is then made in the data folder."
        ) from error


@cache
def _kept(path: Path) -> keys.SigningKey:
    try:
        if not path.exists():
            try:
                return keyfile.write_seed(path, secrets.token_bytes(keys.SEED_BYTES))
            except FileExistsError:
                pass  # another process was first
        return keyfile.load(path)
    except (OSError, keys.SigningError) as error:
        raise ImproperlyConfigured(f"The signing key cannot be used: {error}") from error


def _register(key_id: str, public: bytes) -> None:
    SigningKeyRecord.objects.get_or_create(key_id=key_id, defaults={"public": public})
