"""Refs and the compressed blobs behind them: packed once, unpacked under a cap and checked on every read."""

from __future__ import annotations

import base64
import hashlib

import zstandard

REF_PREFIX = "ofl_"
CODEC = "zstd"
LEVEL = 3
MAX_WINDOW_BYTES = 32 * 2**20
"""The most memory a frame may ask for its window; frames of `pack` need at most 2 MiB."""
_HASHED_BYTES_IN_REF = 8
_LONGEST_FRAME_HEADER = 18
# Four bytes can stand for a block of 128 KiB, so what is fed at once bounds what comes back: 8 MiB.
_FED_BYTES = 256


class BlobError(ValueError):
    """A stored blob cannot be read back."""


class BlobDamaged(BlobError):
    """The blob is not the frame that was stored: unreadable, or its content has another hash."""


class BlobTooLarge(BlobError):
    """The blob holds, or claims to hold, more than the reader allows."""


class BlobUntrusted(BlobError):
    """Nobody whose signature holds says that this content is kept, or as what."""


class BlobGone(BlobError):
    """The content's bytes are no longer kept; the text says since when and why."""


def ref_id(content: bytes) -> str:
    """Return the 17-character label of a content: `ofl_` and 13 base32 digits of its SHA-256's first 64 bits.

    Two contents can share a label, so a label alone is never a key.
    """
    return ref_id_of_sha256(hashlib.sha256(content).hexdigest())


def ref_id_of_sha256(sha256: str) -> str:
    """Return the label of the content with this SHA-256 (64 hex digits)."""
    digest = bytes.fromhex(sha256)
    return REF_PREFIX + base64.b32encode(digest[:_HASHED_BYTES_IN_REF]).decode().rstrip("=")


def result_ref(seq: int, ref_id: str) -> str:
    """Return the name shown for the result of pair number `seq`: `refs/000012-ofl_….md`. Never a path."""
    return f"refs/{seq:06d}-{ref_id}.md"


def pack(content: bytes) -> bytes:
    """Compress a content into one zstd frame that states its size and ends with a checksum."""
    return zstandard.ZstdCompressor(level=LEVEL, write_content_size=True, write_checksum=True).compress(
        content
    )


def unpack(
    blob: bytes, *, sha256: str, max_bytes: int, dictionary: zstandard.ZstdCompressionDict | None = None
) -> bytes:
    """Return the content of a blob (zstd frames, usually one); its SHA-256 must be `sha256` (64 hex digits).
    A frame that was packed with a dictionary needs that dictionary.

    Raises BlobTooLarge when the content is larger than `max_bytes`, seen before anything of that size is
    allocated, and BlobDamaged for everything else that is not the stored content.
    """
    content = _decompress(blob, max_bytes, dictionary)
    actual = hashlib.sha256(content).hexdigest()
    if actual != sha256:
        raise BlobDamaged(f"the content's SHA-256 is {actual}, stored was {sha256}")
    return content


def _decompress(blob: bytes, max_bytes: int, dictionary: zstandard.ZstdCompressionDict | None) -> bytes:
    pieces: list[bytes] = []
    total = 0
    rest = memoryview(blob)
    while rest or not pieces:
        _check_header(bytes(rest[:_LONGEST_FRAME_HEADER]), max_bytes - total, dictionary)
        reader = zstandard.ZstdDecompressor(dict_data=dictionary, max_window_size=MAX_WINDOW_BYTES)
        frame = reader.decompressobj()
        while not frame.eof:
            if not rest:
                raise BlobDamaged("the frame is cut short")
            try:
                piece = frame.decompress(rest[:_FED_BYTES])
            except (zstandard.ZstdError, MemoryError) as error:
                raise BlobDamaged(f"the frame cannot be decompressed: {error}") from error
            total += len(piece)
            if total > max_bytes:
                raise BlobTooLarge(f"the content has more than {max_bytes} bytes")
            pieces.append(piece)
            rest = rest[_FED_BYTES:]
        if frame.unused_data:
            rest = memoryview(blob)[len(blob) - len(rest) - len(frame.unused_data) :]
    return b"".join(pieces)


def _check_header(header: bytes, room: int, dictionary: zstandard.ZstdCompressionDict | None) -> None:
    """Refuse by what the frame's header states, before any memory is asked for."""
    try:
        stated = zstandard.get_frame_parameters(header)
    except zstandard.ZstdError as error:
        raise BlobDamaged(f"this is not a zstd frame: {error}") from error
    if stated.content_size != zstandard.CONTENTSIZE_UNKNOWN and stated.content_size > room:
        raise BlobTooLarge(f"the content has {stated.content_size} bytes; {room} are allowed")
    if stated.window_size > MAX_WINDOW_BYTES:
        raise BlobTooLarge(f"the frame asks for a window of {stated.window_size} bytes")
    given = dictionary.dict_id() if dictionary is not None else 0
    if stated.dict_id not in (0, given):
        raise BlobDamaged(f"the frame needs dictionary {stated.dict_id}, and {given or 'none'} is given")
