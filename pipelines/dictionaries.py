"""Dictionaries for small contents: trained on some, kept only where others become smaller by them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import zstandard

from pipelines import blobs

SIZES = (2_048, 4_096, 8_192, 16_384)
"""Bytes of a dictionary that are tried; larger ones cost more than they save on what agents post."""
MAX_BYTES = 128 * 2**10
SMALL_BYTES = 16 * 2**10
"""Larger contents teach a compressor enough by themselves."""
LEAST_SAMPLES = 16
_MOST_SAMPLES = 512
_SAMPLE_BYTES = 32 * 2**10
_PARTS = 4
_TIGHT = 19  # the level at which a dictionary's own bytes would be kept


@dataclass(frozen=True, slots=True)
class Dictionary:
    """A trained dictionary; its bytes must be kept as long as anything that was packed with it."""

    content: bytes
    sha256: str

    @property
    def codec(self) -> str:
        """The name to keep with what is packed with it: `zstd:` and 32 digits of its SHA-256."""
        return f"{blobs.CODEC}:{self.sha256[:32]}"

    def stored_bytes(self) -> int:
        """Return how many bytes the dictionary itself takes when it is kept compressed."""
        return len(zstandard.ZstdCompressor(level=_TIGHT).compress(self.content))


def opened(content: bytes, *, sha256: str) -> Dictionary:
    """Return the dictionary with these bytes. Raises BlobTooLarge above 128 KiB, and BlobDamaged where the bytes
    are not those of this SHA-256 (64 hex digits)."""
    if len(content) > MAX_BYTES:
        raise blobs.BlobTooLarge(f"the dictionary has {len(content)} bytes; {MAX_BYTES} are allowed")
    actual = hashlib.sha256(content).hexdigest()
    if actual != sha256:
        raise blobs.BlobDamaged(f"the dictionary's SHA-256 is {actual}, stored was {sha256}")
    return Dictionary(content, sha256)


def train(samples: Sequence[bytes], *, size: int) -> Dictionary | None:
    """Train a dictionary of at most `size` bytes; None where the samples have too little in common for one."""
    try:
        content = zstandard.train_dictionary(size, [one[:_SAMPLE_BYTES] for one in samples]).as_bytes()
    except zstandard.ZstdError:
        return None
    return Dictionary(content, hashlib.sha256(content).hexdigest())


def choose(samples: Sequence[bytes]) -> Dictionary | None:
    """Return the dictionary that is worth it, or None.

    It is worth it when it would save more than its own bytes on as many contents as the samples, measured on
    samples it was not trained on: each of four parts by a dictionary of the other three. At most 512 samples
    (the last) are looked at, 32 KiB of each for training; below 16 the answer is None.
    """
    samples = samples[-_MOST_SAMPLES:]
    if len(samples) < LEAST_SAMPLES:
        return None
    plain = [len(blobs.pack(one)) for one in samples]
    best: tuple[int, Dictionary | None] = (0, None)
    for size in SIZES:
        whole = train(samples, size=size)
        saved = _saved(samples, plain, size)
        if whole is not None and saved is not None and saved - whole.stored_bytes() > best[0]:
            best = (saved - whole.stored_bytes(), whole)
    return best[1]


def _saved(samples: Sequence[bytes], plain: list[int], size: int) -> int | None:
    """Return the bytes saved on samples that the dictionary does not know."""
    saved = 0
    for part in range(_PARTS):
        dictionary = train([one for at, one in enumerate(samples) if at % _PARTS != part], size=size)
        if dictionary is None:
            return None
        for at in range(part, len(samples), _PARTS):
            saved += max(0, plain[at] - len(pack(samples[at], dictionary)))
    return saved


def pack(content: bytes, dictionary: Dictionary) -> bytes:
    """Compress a content with a dictionary, as `blobs.pack` does without one."""
    compressor = zstandard.ZstdCompressor(
        level=blobs.LEVEL,
        dict_data=_loaded(dictionary),
        write_content_size=True,
        write_checksum=True,
        write_dict_id=True,
    )
    return compressor.compress(content)


def pack_smaller(content: bytes, dictionary: Dictionary | None) -> tuple[bytes, str]:
    """Return the smaller frame, with or without the dictionary, and the codec to keep with it."""
    plain = blobs.pack(content)
    if dictionary is not None:
        packed = pack(content, dictionary)
        if len(packed) < len(plain):
            return packed, dictionary.codec
    return plain, blobs.CODEC


def unpack(blob: bytes, *, sha256: str, max_bytes: int, dictionary: Dictionary) -> bytes:
    """Return the content of a blob packed with the dictionary, checked and under the cap as by `blobs.unpack`.

    Raises what `blobs.unpack` raises; BlobDamaged also for a frame that needs another dictionary.
    """
    return blobs.unpack(blob, sha256=sha256, max_bytes=max_bytes, dictionary=_loaded(dictionary))


def _loaded(dictionary: Dictionary) -> zstandard.ZstdCompressionDict:
    return zstandard.ZstdCompressionDict(dictionary.content)
