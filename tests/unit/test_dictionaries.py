from __future__ import annotations

import hashlib
import os
import random
import tracemalloc

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from pipelines import blobs, dictionaries
from pipelines.dictionaries import Dictionary
from pipelines.storage_sizes import Sizes

CHANCE = random.Random(2)


def edited(number: int) -> bytes:
    """Return what an editing tool answers: the same words around a path and a few lines."""
    lines = "".join(
        f"  {n}\tvalue_{CHANCE.randrange(10**6)} = load({n})\n" for n in range(number, number + 5)
    )
    path = f"src/package_{number % 7}/module_{number}.py"
    return f"The file {path} has been updated. Here's the result of running `cat -n`:\n{lines}".encode()


SAMPLES = [edited(number) for number in range(64)]
LATER = [edited(number) for number in range(100, 140)]


@pytest.fixture(scope="module")
def dictionary() -> Dictionary:
    chosen = dictionaries.choose(SAMPLES)
    assert chosen is not None
    return chosen


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def test_what_is_packed_with_a_dictionary_is_smaller_and_comes_back(dictionary: Dictionary) -> None:
    packed = [dictionaries.pack(one, dictionary) for one in LATER]
    assert sum(map(len, packed)) < 0.8 * sum(len(blobs.pack(one)) for one in LATER)
    for blob, content in zip(packed, LATER, strict=True):
        back = dictionaries.unpack(
            blob, sha256=sha256(content), max_bytes=len(content), dictionary=dictionary
        )
        assert back == content


@given(st.binary(max_size=2_000))
def test_any_content_comes_back(content: bytes) -> None:
    trained = dictionaries.train(SAMPLES, size=2_048)
    assert trained is not None
    packed, codec = dictionaries.pack_smaller(content, trained)
    assert codec in (trained.codec, blobs.CODEC)
    assert len(packed) <= len(blobs.pack(content))
    kept = {"sha256": sha256(content), "max_bytes": len(content)}
    assert dictionaries.unpack(packed, dictionary=trained, **kept) == content  # type: ignore[arg-type]
    if codec == blobs.CODEC:
        assert blobs.unpack(packed, **kept) == content  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "samples",
    [
        [],
        [b""] * 100,
        [b"same"] * 100,
        SAMPLES[:15],
        [os.urandom(500) for _ in range(40)],
        [str(number).encode() for number in range(100)],
    ],
    ids=["none", "empty", "same", "few", "noise", "tiny"],
)
def test_samples_with_little_in_common_give_no_dictionary(samples: list[bytes]) -> None:
    assert dictionaries.choose(samples) is None


def test_a_name_tells_the_dictionary_and_fits_its_column(dictionary: Dictionary) -> None:
    assert dictionary.sha256 == sha256(dictionary.content)
    assert dictionary.codec == f"zstd:{dictionary.sha256[:32]}"
    assert len(dictionary.codec) <= 40
    assert dictionaries.opened(dictionary.content, sha256=dictionary.sha256) == dictionary


def test_a_damaged_dictionary_is_refused(dictionary: Dictionary) -> None:
    for damaged in (b"", dictionary.content[:-1], dictionary.content[:99] + b"x" + dictionary.content[100:]):
        with pytest.raises(blobs.BlobDamaged, match="dictionary's SHA-256"):
            dictionaries.opened(damaged, sha256=dictionary.sha256)
    with pytest.raises(blobs.BlobTooLarge, match="131072 are allowed"):
        dictionaries.opened(bytes(200_000), sha256=sha256(bytes(200_000)))


def test_a_missing_or_another_dictionary_is_told_from_damage(dictionary: Dictionary) -> None:
    packed = dictionaries.pack(LATER[0], dictionary)
    other = dictionaries.train([os.urandom(20) + one for one in SAMPLES[:40]], size=4_096)
    assert other is not None
    with pytest.raises(blobs.BlobDamaged, match=r"needs dictionary \d+, and none is given"):
        blobs.unpack(packed, sha256=sha256(LATER[0]), max_bytes=10**6)
    with pytest.raises(blobs.BlobDamaged, match=r"needs dictionary \d+, and \d+ is given"):
        dictionaries.unpack(packed, sha256=sha256(LATER[0]), max_bytes=10**6, dictionary=other)


def test_bytes_that_are_no_dictionary_of_zstd_give_other_bytes_or_an_error(dictionary: Dictionary) -> None:
    packed = dictionaries.pack(LATER[0], dictionary)
    raw = b"no dictionary at all, but of a known hash" * 20
    with pytest.raises(blobs.BlobDamaged):
        dictionaries.unpack(
            packed, sha256=sha256(LATER[0]), max_bytes=10**6, dictionary=Dictionary(raw, sha256(raw))
        )


def test_every_damaged_byte_of_a_frame_is_found(dictionary: Dictionary) -> None:
    packed = dictionaries.pack(LATER[0], dictionary)
    for at in range(len(packed)):
        damaged = packed[:at] + bytes([packed[at] ^ 0x55]) + packed[at + 1 :]
        with pytest.raises(blobs.BlobError):
            dictionaries.unpack(damaged, sha256=sha256(LATER[0]), max_bytes=10**6, dictionary=dictionary)
    for cut in (0, 5, len(packed) // 2, len(packed) - 1):
        with pytest.raises(blobs.BlobDamaged):
            dictionaries.unpack(packed[:cut], sha256=sha256(LATER[0]), max_bytes=10**6, dictionary=dictionary)


def test_a_bomb_is_refused_under_the_same_caps(dictionary: Dictionary) -> None:
    bomb = dictionaries.pack(bytes(64 * 2**20), dictionary)
    unstated = zstandard.ZstdCompressor(
        dict_data=zstandard.ZstdCompressionDict(dictionary.content), write_content_size=False
    ).compress(bytes(64 * 2**20))
    tracemalloc.start()
    for blob in (bomb, unstated):
        with pytest.raises(blobs.BlobTooLarge):
            dictionaries.unpack(blob, sha256="0" * 64, max_bytes=2**20, dictionary=dictionary)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16 * 2**20


def test_sizes_count_what_is_stored_and_the_dictionaries_too() -> None:
    sizes = Sizes()
    for content in [*SAMPLES, *SAMPLES[:10], *LATER]:
        sizes.add("Edit", content)
    assert (sizes.contents, sizes.distinct) == (114, 104)
    assert sizes.posted == sum(map(len, [*SAMPLES, *SAMPLES[:10], *LATER]))
    assert sizes.plain == sum(len(blobs.pack(one)) for one in [*SAMPLES, *SAMPLES[:10], *LATER])
    assert sizes.once == sum(len(blobs.pack(one)) for one in [*SAMPLES, *LATER])
    assert sizes.shared.total == sizes.per_tool.total < sizes.once
    (used,) = sizes.per_tool.dictionaries.values()
    assert sizes.per_tool.total == sizes.per_tool.contents + used.stored_bytes()
