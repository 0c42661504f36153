from __future__ import annotations

import os
import random
import re
from pathlib import Path

import pytest
from django.db import connection

from canvases.models import OffloadedBlob, ToolPair
from canvases.selectors.contents import blob_content
from canvases.selectors.deref import readable
from canvases.services.imports import TranscriptImport
from tests.conftest import Api

FOLDER = os.environ.get("OFFLOAD_TEST_DATA", "")
ALL_FILES = sorted(Path(FOLDER, "claude_code").glob("*.jsonl"), key=lambda path: path.stat().st_size)
FILES = ALL_FILES[:3]
SIZES = {
    "sqlite": [
        "SELECT SUM(LENGTH(codes)) FROM canvases_searchdocument",
        "SELECT SUM(LENGTH(block)) FROM search_codes_data",
    ],
    "postgresql": [
        "SELECT SUM(pg_column_size(codes)) FROM canvases_searchdocument",
        "SELECT pg_relation_size('search_codes')",
    ],
}
MOST_ROOM = {"sqlite": 0.6, "postgresql": 1.5}

pytestmark = pytest.mark.skipif(not FOLDER or not FILES, reason="OFFLOAD_TEST_DATA names no transcripts")


def test_words_of_recorded_results_lead_to_them(alice: Api) -> None:
    for number, path in enumerate(FILES):
        with path.open("rb") as stream:
            TranscriptImport(agent=alice.agent, session_id=f"s{number}").run(stream)
    pairs = list(ToolPair.objects.select_related("blob__agent", "session").defer("blob__content_zstd"))
    chance = random.Random(7)
    asked = 0
    while asked < 200:
        pair = chance.choice(pairs)
        text = readable(blob_content(pair.blob), pair.media_type)
        words = re.findall(r"[^\W_]{4,}(?:[_./-][^\W_]{2,})*", text)
        if not words:
            continue
        asked += 1
        word = chance.choice(words)
        refs, after = set(), ""
        while after is not None and pair.blob.ref_id not in refs:
            answer = alice.get(
                "search", q=word, session_id=pair.session.session_id, limit=200, after=after
            ).json()
            assert answer["pending"] == 0
            refs |= {item["ref_id"] for item in answer["items"]}
            after = answer["next"]
        assert pair.blob.ref_id in refs, f"{word!r} of {pair}"


def test_the_index_takes_less_room_than_the_text(alice: Api) -> None:
    for number, path in enumerate(ALL_FILES):
        with path.open("rb") as stream:
            TranscriptImport(agent=alice.agent, session_id=f"s{number}").run(stream)
    raw = sum(OffloadedBlob.objects.values_list("size_bytes", flat=True))
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("INSERT INTO search_codes(search_codes) VALUES ('optimize')")
        sizes = []
        for statement in SIZES[connection.vendor]:
            cursor.execute(statement)
            sizes.append(cursor.fetchone()[0])
    told = ", ".join(f"{size} ({size / raw:.2f})" for size in sizes)
    print(f"{raw} bytes of text; codes and index: {told}")
    assert sum(sizes) < MOST_ROOM[connection.vendor] * raw
