from __future__ import annotations

import contextlib
import hashlib
import random
import tracemalloc

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from pipelines import blobs

MAGIC = b"\x28\xb5\x2f\xfd"


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def frame_without_size(content: bytes) -> bytes:
    return zstandard.ZstdCompressor(write_content_size=False).compress(content)


def with_stated_size(content: bytes, size: int) -> bytes:
    """A frame whose eight-byte size field is replaced by a lie."""
    body = zstandard.ZstdCompressor(write_content_size=False).compress(content)
    window = body[5:6]
    return MAGIC + bytes([0xC0]) + window + size.to_bytes(8, "little") + body[6:]


@pytest.mark.parametrize(
    ("content", "label"),
    [
        (b"", "ofl_4OYMIQUY7QOBI"),
        (b"hello world", "ofl_XFGSPOMTJU7AQ"),
        (b"alpha", "ofl_R3J7NLLILOKZ4"),
        (b"beta", "ofl_6RHGJZ27HFEOS"),
        (b"x", "ofl_FVYRMQVXE2YEI"),
        ("héllo 世界".encode(), "ofl_IH65JFRGKBIH4"),
    ],
)
def test_a_label_is_the_one_other_stores_give_the_same_content(content: bytes, label: str) -> None:
    assert blobs.ref_id(content) == label
    assert blobs.ref_id_of_sha256(sha256(content)) == label


def test_two_contents_can_share_a_label_and_still_differ_by_hash() -> None:
    one = b"offload collision probe 4b15f00d2bf6c0d8"
    other = b"offload collision probe 08c7a835b456a701"
    assert blobs.ref_id(one) == blobs.ref_id(other) == "ofl_E2NYKI6OFGRUU"
    assert blobs.unpack(blobs.pack(one), sha256=sha256(one), max_bytes=40) == one
    with pytest.raises(blobs.BlobDamaged, match="SHA-256"):
        blobs.unpack(blobs.pack(one), sha256=sha256(other), max_bytes=40)


def test_a_result_ref_names_the_pair_and_the_label() -> None:
    assert blobs.result_ref(12, "ofl_4OYMIQUY7QOBI") == "refs/000012-ofl_4OYMIQUY7QOBI.md"
    assert blobs.result_ref(1_234_567, "ofl_X") == "refs/1234567-ofl_X.md"


@given(st.binary(max_size=5_000), st.integers(1, 400))
def test_every_content_comes_back_byte_for_byte(seed: bytes, repeats: int) -> None:
    content = seed * repeats
    assert blobs.unpack(blobs.pack(content), sha256=sha256(content), max_bytes=len(content)) == content


@given(st.binary(max_size=300), st.data())
def test_a_changed_frame_never_gives_other_content(content: bytes, data: st.DataObject) -> None:
    blob = bytearray(blobs.pack(content))
    position = data.draw(st.integers(0, len(blob) - 1))
    blob[position] ^= data.draw(st.integers(1, 255))
    with contextlib.suppress(blobs.BlobError):
        assert blobs.unpack(bytes(blob), sha256=sha256(content), max_bytes=1000) == content


@given(st.binary(max_size=300), st.data())
def test_a_frame_cut_anywhere_is_damaged(content: bytes, data: st.DataObject) -> None:
    blob = blobs.pack(content)
    length = data.draw(st.integers(0, len(blob) - 1))
    with pytest.raises(blobs.BlobDamaged):
        blobs.unpack(blob[:length], sha256=sha256(content), max_bytes=1000)


def test_a_packed_frame_states_its_size_and_carries_a_checksum() -> None:
    stated = zstandard.get_frame_parameters(blobs.pack(b"abc" * 1000))
    assert stated.content_size == 3000
    assert stated.has_checksum


@pytest.mark.parametrize(
    "blob",
    [
        b"",
        b"a",
        b"plain text, no frame at all",
        MAGIC,
        MAGIC + b"\xff" * 9,
        bytes(50),
        random.Random(4).randbytes(999),
    ],
    ids=["empty", "one byte", "text", "magic only", "magic and ones", "zeros", "noise"],
)
def test_what_is_no_frame_is_damaged(blob: bytes) -> None:
    with pytest.raises(blobs.BlobDamaged):
        blobs.unpack(blob, sha256=sha256(b""), max_bytes=10**6)


def test_a_frame_followed_by_junk_is_damaged() -> None:
    with pytest.raises(blobs.BlobDamaged):
        blobs.unpack(blobs.pack(b"abc") + b"junk", sha256=sha256(b"abc"), max_bytes=100)


@pytest.mark.parametrize("make", [blobs.pack, frame_without_size], ids=["size stated", "no size"])
def test_frames_after_one_another_are_one_content(make: object) -> None:
    assert callable(make)
    first, second = b"x" * 300_000, random.Random(5).randbytes(5_000)
    content = first + second
    blob = make(first) + make(b"") + make(second)
    assert blobs.unpack(blob, sha256=sha256(content), max_bytes=len(content)) == content
    with pytest.raises(blobs.BlobTooLarge):
        blobs.unpack(blob, sha256=sha256(content), max_bytes=len(content) - 1)


@pytest.mark.parametrize("make", [blobs.pack, frame_without_size], ids=["size stated", "no size"])
def test_a_small_frame_of_a_huge_content_is_refused_in_little_memory(make: object) -> None:
    assert callable(make)
    blob = make(bytes(200_000_000))
    assert len(blob) < 20_000
    tracemalloc.start()
    with pytest.raises(blobs.BlobTooLarge):
        blobs.unpack(blob, sha256="0" * 64, max_bytes=2**20)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 40 * 2**20


@pytest.mark.parametrize(("stated", "error"), [(5, blobs.BlobDamaged), (50_000, blobs.BlobTooLarge)])
def test_a_size_that_is_a_lie_is_refused(stated: int, error: type[Exception]) -> None:
    content = b"a line of text\n" * 20
    blob = with_stated_size(content, stated)
    with pytest.raises(error):
        blobs.unpack(blob, sha256=sha256(content), max_bytes=1000)
    assert blobs.unpack(with_stated_size(content, 300), sha256=sha256(content), max_bytes=1000) == content


@pytest.mark.parametrize(
    ("window_log", "error"), [(26, blobs.BlobTooLarge), (31, blobs.BlobTooLarge), (40, blobs.BlobDamaged)]
)
def test_a_frame_that_asks_for_a_huge_window_is_refused(window_log: int, error: type[Exception]) -> None:
    blob = MAGIC + b"\x00" + bytes([(window_log - 10) << 3]) + b"\x01\x00\x00" + bytes(8)
    with pytest.raises(error):
        blobs.unpack(blob, sha256=sha256(b""), max_bytes=1000)


@pytest.mark.parametrize("size", [2**40, 2**62, 2**63, 2**64 - 3])
def test_thirteen_bytes_that_claim_a_huge_content_are_refused(size: int) -> None:
    blob = MAGIC + b"\xe0" + size.to_bytes(8, "little")
    assert len(blob) == 13
    with pytest.raises(blobs.BlobError):
        blobs.unpack(blob, sha256=sha256(b""), max_bytes=2**24)
    with pytest.raises(blobs.BlobError):
        blobs.unpack(blob, sha256=sha256(b""), max_bytes=2**64)


def test_sixteen_mebibytes_of_noise_come_back() -> None:
    content = random.Random(6).randbytes(2**24)
    assert blobs.unpack(blobs.pack(content), sha256=sha256(content), max_bytes=2**24) == content
