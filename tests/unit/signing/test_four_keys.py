from __future__ import annotations

import hashlib

import cbor2
import pytest

from pipelines import blobs
from pipelines.signing import four_keys, keys
from pipelines.signing.four_keys import BundleUnreadable, FourKeys

KEY = keys.from_seed(bytes(range(32)))
EXAMPLE = (
    "a46e636f6e74656e745f736861323536784062393464323762393933346433653038613532653532643764613764616266616334"
    "38346566653337613533383065653930383866376163653265666364653969"
    "6e616d6573706163657074656e616e742d612f73637261746368"
    "667265665f6964716f666c5f58464753504f4d544a55374151"
    "6973746f7265645f61741a6a18a500"
)
REFS = [
    ("", "ofl_4OYMIQUY7QOBI"),
    ("hello world", "ofl_XFGSPOMTJU7AQ"),
    ("alpha", "ofl_R3J7NLLILOKZ4"),
    ("beta", "ofl_6RHGJZ27HFEOS"),
    ("x", "ofl_FVYRMQVXE2YEI"),
    ("héllo 世界", "ofl_IH65JFRGKBIH4"),
    ("offload collision probe 4b15f00d2bf6c0d8", "ofl_E2NYKI6OFGRUU"),
    ("offload collision probe 08c7a835b456a701", "ofl_E2NYKI6OFGRUU"),
]
SIGNED = [
    (
        "hello world",
        1780000000,
        "tenant-a/scratch",
        "6973746f7265645f61741a6a18a500",
        "8e8506a7d02c8c5854a25b36bca79ba2a5326ba09c1ba0fec74b93aa8f0cec32",
        "s-Wq2B9OlvwVVrgHJ7apZPRginzyWs4zth_-zlQ7fEzxlbN3yd3oW6_B09xxZYMMSuDHR1TVK8X3HjpwXCQnAg",
    ),
    (
        "",
        0,
        "",
        "6973746f7265645f617400",
        "0724f559a0d097ff423b351a96fc9c61e98eda9c40d0fac9a15d4a34839230c7",
        "CQvUBkMecjf3mEOIBSg3tZdCeuywqg2zT5LZgNbqtpngWoIO1pFh3g7SRD8Crvv-lo51QweIW4JmNXom1yWICA",
    ),
    (
        "x",
        23,
        "auto",
        "617417",
        "e38ccecdf206b757f1fd5fe56e770d019459676cd7919442857971250c42c6cc",
        "rZbEcUJE0RD6FfnobirBGKSYxTmtwrO3RlSQzIIwo50yQTIPAaU1cqTUy6BKdiVa_S5oM-9XPs19SlMniWvzAA",
    ),
    (
        "x",
        1780000000,
        "auto",
        "61741a6a18a500",
        "177edf0d36ccd13471d53c6d44af35cbeb6ece1fa66826d11c91f926a83c5f4e",
        "sWzRk26EjDN-_-j_A-1uqAugfxysEQ8MtvoVJsIA3kkfZFFkeWjx_tT6spGsVoeR8msIN5YlfcrIAkaU1J6GCw",
    ),
    (
        "x",
        4294967296,
        "auto",
        "61741b0000000100000000",
        "8ff2e7f75534e1e203c1eacb272af3443c87410a30fdac2b1ac81f4ddfc8aa5c",
        "n9lRNXzB-dUd8ZOT2dELs8FVerttyCXRYy7MnRDPsB1ngfQ1-zAeU5vSxboJYSPbJJico2BKco7ZRyHFtJxeBA",
    ),
    (
        "x",
        -1,
        "auto",
        "617420",
        "455bc472182878016cc28cfbe9a042cb1cba6e4896fc73668e75577a00be0ace",
        "A3GlZOMUTVFS_jsDHRLXS_O-alc3xvOpOi29A9UyD2hF2IAT8XkiD_XHgXOfCf92TB5BZOvb1funDGmNyVEUDw",
    ),
    (
        "héllo 世界",
        1780000000,
        "ns/ü",
        "61741a6a18a500",
        "7c109aaeaac87333de980b20a16a15cac0c90374df2d6522e9503722c02c39f0",
        "v_oKUcD8ncmGGP1kJ-uv4kXQl2hULS8-hTrKBAciDFQ7vAvADDEe9MYem96NMjjsSzVny-t5677L_MNMoVFMCQ",
    ),
]


def bundle_of(content: str, stored_at: int, namespace: str) -> FourKeys:
    return FourKeys(
        content_sha256=hashlib.sha256(content.encode()).hexdigest(),
        namespace=namespace,
        ref_id=blobs.ref_id(content.encode()),
        stored_at=stored_at,
    )


@pytest.mark.parametrize(("content", "ref_id"), REFS)
def test_a_content_has_the_label_others_give_it(content: str, ref_id: str) -> None:
    assert blobs.ref_id(content.encode()) == ref_id


def test_a_label_follows_from_the_hash_alone() -> None:
    sha256 = "2f3b3788a9fda654ea3589a671ce2434899bb1402840528e4c147c287fe347b2"
    assert blobs.ref_id_of_sha256(sha256) == "ofl_F45TPCFJ7WTFI"


@pytest.mark.parametrize(("content", "stored_at", "namespace", "tail", "payload_hash", "signature"), SIGNED)
def test_bytes_hash_and_signature_are_those_of_ai_memory(
    content: str, stored_at: int, namespace: str, tail: str, payload_hash: str, signature: str
) -> None:
    bundle = bundle_of(content, stored_at, namespace)
    raw = four_keys.write(bundle)
    assert raw.hex().endswith(tail)
    assert four_keys.read(raw) == bundle
    assert four_keys.payload_hash(bundle).hex() == payload_hash
    assert four_keys.signature_text(KEY.sign(raw)) == signature
    assert four_keys.signature_of_text(signature) == KEY.sign(raw)


def test_the_whole_bundle_of_the_example_is_equal_byte_for_byte() -> None:
    raw = four_keys.write(bundle_of("hello world", 1780000000, "tenant-a/scratch"))
    assert raw.hex() == EXAMPLE
    assert len(raw) == 149


def test_a_bundle_of_short_texts_is_equal_byte_for_byte() -> None:
    raw = four_keys.write(FourKeys(ref_id="ofl_X", content_sha256="deadbeef", stored_at=1234, namespace="ns"))
    assert raw.hex() == (
        "a46e636f6e74656e745f736861323536686465616462656566696e616d657370616365626e7366"
        "7265665f6964656f666c5f586973746f7265645f61741904d2"
    )


def test_the_same_encoder_settings_give_the_bytes_of_a_memory_link() -> None:
    link = {
        "dst_id": "dst-002",
        "observed_by": "alice",
        "relation": "related_to",
        "src_id": "src-001",
        "valid_from": "2026-05-05T00:00:00+00:00",
        "valid_until": None,
    }
    assert cbor2.dumps(link).hex() == (
        "a6666473745f6964676473742d3030326b6f627365727665645f627965616c6963656872656c6174696f6e6a72656c6174"
        "65645f746f667372635f6964677372632d3030316a76616c69645f66726f6d7819323032362d30352d30355430303a3030"
        "3a30302b30303a30306b76616c69645f756e74696cf6"
    )


def test_every_other_writing_is_refused() -> None:
    good = four_keys.write(bundle_of("x", 23, "auto"))
    fields = cbor2.loads(good)
    reordered = cbor2.dumps(dict(sorted(fields.items(), key=lambda item: cbor2.dumps(item[0]))))
    longer_head = good[:-1] + b"\x18\x17"
    wrong = [b"", b"\xff", b"\xa0", good + b"\x00", good[:-1], reordered, longer_head, b"\x81" * 5000]
    wrong += [cbor2.dumps({**fields, name: value}) for name, value in (("stored_at", 1.5), ("ref_id", 1))]
    wrong += [cbor2.dumps({**fields, "more": 1}), cbor2.dumps({**fields, "stored_at": True}), b"a" * 2**21]
    for raw in wrong:
        with pytest.raises(BundleUnreadable):
            four_keys.read(raw)


def test_an_empty_signature_is_none_and_a_crooked_one_is_refused() -> None:
    good = SIGNED[0][-1]
    assert four_keys.signature_of_text("") is None
    for text in (good[:-1], good + "=", good[:-1] + "h", good.replace("-", "+"), "ü" * 86, good + "\n"):
        with pytest.raises(keys.SignatureWrong):
            four_keys.signature_of_text(text)
