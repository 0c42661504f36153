"""The file that holds a signing key's seed: readable by its owner alone, or not used at all."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

from pipelines.signing.keys import SEED_BYTES, KeyUnreadable, SigningKey, from_pem, from_seed

_MOST_BYTES = 16_384


def write_seed(path: Path, seed: bytes) -> SigningKey:
    """Write a seed (32 random bytes) to a new file of mode 0600 and return its key.

    Raises FileExistsError rather than lose an older key, and KeyUnreadable for a seed of another length.
    """
    key = from_seed(seed)
    # Written beside its place and put there whole: another process never meets half a key.
    descriptor, name = tempfile.mkstemp(prefix=f"{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            os.fchmod(descriptor, 0o600)
            file.write(seed)
            file.flush()
            os.fsync(descriptor)
        os.link(name, path)
    finally:
        os.unlink(name)
    return key


def load(path: Path) -> SigningKey:
    """Read a key from a file of 32 raw bytes, or of PEM text.

    Raises KeyUnreadable when group or others can reach the file, or when it holds no key; OSError when it
    cannot be opened.
    """
    with path.open("rb") as file:
        mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
        if mode & 0o077:
            raise KeyUnreadable(f"{path} is open to others (mode {mode:04o}); run: chmod 600 {path}")
        content = file.read(_MOST_BYTES)
    return from_seed(content) if len(content) == SEED_BYTES else from_pem(content)
