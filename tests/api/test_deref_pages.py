from __future__ import annotations

from typing import Any

import pytest

from pipelines import tokens
from pipelines.pairs import encode_text
from tests.conftest import Api, pair

TEXTS = {
    "one line of 300 KB": "".join(f'{{"k{n}": [1, 2.50, "x"]}}, ' for n in range(13_000)),
    "CJK": "内容见证" * 4_000,
    "NUL and CRLF": "first\r\n\0second\r\n\r" * 800,
    "lone surrogates": "a\ud800b\udfff\n" * 900,
    "joined characters": "👩‍👩‍👧‍👦🏳️‍🌈e\u0301Z̷̢\u10c3" * 500,
}


@pytest.mark.parametrize("cut", [{"max_tokens": 777}, {"limit": 1_001, "max_tokens": 16_000}, {}], ids=str)
@pytest.mark.parametrize("name", TEXTS)
def test_pages_over_http_join_to_the_stored_bytes_and_each_fits(
    alice: Api, name: str, cut: dict[str, Any]
) -> None:
    ref = alice.pairs(pair(TEXTS[name])).json()["refs"][0]["ref_id"]
    parts: list[str] = []
    offset: int | None = 0
    while offset is not None:
        item = alice.get("deref", ref_id=ref, offset=offset, **cut).json()["items"][0]
        assert tokens.count(item["content"]) <= cut.get("max_tokens", 1_600)
        assert len(item["content"]) <= cut.get("limit", len(TEXTS[name]))
        parts.append(item["content"])
        offset = item["next_offset"]
    assert len(parts) > 1
    assert "".join(parts) == TEXTS[name]
    raw = b"".join(alice.get(f"refs/{ref}/raw"))  # type: ignore[arg-type]
    assert b"".join(map(encode_text, parts)) == raw
