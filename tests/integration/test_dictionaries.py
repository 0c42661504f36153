from __future__ import annotations

import random
from typing import Any

import pytest

from canvases.models import OffloadedBlob, ToolDictionary
from canvases.services.expiry import references_expire
from canvases.services.verification import agent_verify
from canvases.tasks import learn
from pipelines import blobs
from tests.conftest import Api, pair

CHANCE = random.Random(3)


def edited(number: int) -> dict[str, Any]:
    """An edit, answered with the same words around other lines."""
    lines = "".join(
        f"  {n}\tvalue_{CHANCE.randrange(10**6)} = load({n})\n" for n in range(number, number + 5)
    )
    path = f"src/package_{number % 7}/module_{number}.py"
    text = f"The file {path} has been updated. Here's the result of running `cat -n`:\n{lines}"
    return pair(text, tool_name="Edit", tool_call_id=f"edit-{number}", params={"file_path": path})


@pytest.fixture
def learned(alice: Api) -> Api:
    """An agent that edited often enough for a dictionary."""
    alice.pairs(*[edited(number) for number in range(80)])
    assert learn.run() is None
    return alice


def packed(api: Api, call: str) -> OffloadedBlob:
    return OffloadedBlob.objects.get(agent=api.agent, pairs__tool_call_id=call)


def test_later_results_of_a_tool_are_smaller_and_read_back_exactly(learned: Api) -> None:
    posted = edited(200)
    learned.pairs(posted)
    blob = packed(learned, "edit-200")
    assert blob.codec == ToolDictionary.objects.get().codec != blobs.CODEC
    assert len(blob.content_zstd) < len(blobs.pack(posted["result"].encode()))
    assert learned.get(f"refs/{blob.ref_id}/raw").content == posted["result"].encode()
    assert agent_verify(learned.agent).to_json()["holds"] is True


def test_other_tools_other_agents_and_large_results_are_packed_without_it(learned: Api, charlie: Api) -> None:
    other = edited(201) | {"tool_name": "Write"}
    large = edited(202) | {"result": edited(202)["result"] * 100}
    learned.pairs(other, large)
    charlie.pairs(edited(203))
    for api, call in ((learned, "edit-201"), (learned, "edit-202"), (charlie, "edit-203")):
        assert packed(api, call).codec == blobs.CODEC


def test_what_was_packed_with_an_older_dictionary_stays_readable(learned: Api) -> None:
    before = edited(300)
    learned.pairs(before)
    for start in range(1000, 1700, 100):
        learned.pairs(*[edited(number) for number in range(start, start + 100)])
    learn()
    first, second = ToolDictionary.objects.order_by("pk")
    assert first.codec != second.codec
    learned.pairs(edited(400))
    assert packed(learned, "edit-300").codec == first.codec
    assert packed(learned, "edit-400").codec == second.codec
    assert learned.get(f"refs/{packed(learned, 'edit-300').ref_id}/raw").content == before["result"].encode()


def test_a_tool_without_anything_in_common_gets_none_and_is_not_tried_again_at_once(alice: Api) -> None:
    calls = [
        pair(CHANCE.randbytes(300).hex(), tool_name="Random", tool_call_id=f"c{number}")
        for number in range(70)
    ]
    alice.pairs(*calls)
    learn()
    learn()
    assert [row.codec for row in ToolDictionary.objects.all()] == [""]
    alice.pairs(pair("another", tool_name="Random"))
    assert OffloadedBlob.objects.exclude(codec=blobs.CODEC).count() == 0


def test_few_results_teach_nothing(alice: Api) -> None:
    alice.pairs(*[edited(number) for number in range(20)])
    learn()
    assert not ToolDictionary.objects.exists()


@pytest.mark.parametrize("damage", ["gone", "other bytes", "other bytes and their hash"])
def test_a_damaged_dictionary_is_seen_and_stops_no_store(learned: Api, damage: str) -> None:
    learned.pairs(edited(200))
    blob = packed(learned, "edit-200")
    rows = ToolDictionary.objects.all()
    if damage == "gone":
        rows.delete()
    elif damage == "other bytes":
        rows.update(content=b"forged")
    else:
        rows.update(content=b"", sha256="e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    item = learned.get("deref", ref_id=blob.ref_id).json()["items"][0]
    assert item["content"] is None
    assert "dictionary" in item["error"]
    found = agent_verify(learned.agent).to_json()
    assert {one["kind"] for one in found["blob_failures"]} == {"altered", "row"}
    learned.pairs(edited(201))
    ref = packed(learned, "edit-201").ref_id
    assert learned.get(f"refs/{ref}/raw").status_code == 200


def test_a_content_that_comes_back_needs_no_dictionary(learned: Api) -> None:
    text = edited(500)["result"]
    learned.pairs(edited(501) | {"result": text})
    blob = packed(learned, "edit-501")
    session = learned.session()
    session.delete()
    learned.post("offload", {"content": text, "ttl_seconds": 1})
    blob.references.exclude(namespace="auto").delete()
    references_expire(at=2**40)
    learned.post("offload", {"content": text})
    blob.refresh_from_db()
    assert blob.codec == blobs.CODEC
    assert learned.get(f"refs/{blob.ref_id}/raw").content == text.encode()
