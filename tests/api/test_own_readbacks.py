from __future__ import annotations

from typing import Any

from canvases.models import OffloadEntry
from canvases.selectors.contents import entry_step
from tests.conftest import Api, pair

LOG = "".join(f"2026-01-31 request {n} {'failed' if n == 70 else 'done'}\n" for n in range(1, 301))


def entries(api: Api) -> list[dict[str, Any]]:
    api.process()
    return list(api.get("sessions/s1/entries").json()["items"])


def read_back(api: Api, ref: str, **query: Any) -> dict[str, Any]:
    """Return the pair a host posts after its agent read a ref back."""
    address = "&".join([f"ref_id={ref}", *(f"{name}={value}" for name, value in query.items())])
    command = f'curl -s "http://127.0.0.1:8000/api/v1/deref?{address}"'
    answer = api.get("deref", ref_id=ref, **query).content.decode()
    return pair(answer, params={"command": command}, tool_call_id="again")


def test_a_read_back_is_marked_and_told_by_its_ref(alice: Api) -> None:
    ref = alice.pairs(pair(LOG)).json()["refs"][0]["ref_id"]
    alice.pairs(read_back(alice, ref, lines="10-60"))
    first, second = entries(alice)
    assert (first["readback"], second["readback"]) == ([], [ref])
    assert second["summary"] == f"read back {ref} (lines 10-60)"
    assert second["keys"] == [ref]
    assert entry_step(OffloadEntry.objects.get(seq=2)).facts.readback == (ref,)


def test_a_read_back_of_blocks_is_marked_too(alice: Api) -> None:
    blocks = [{"type": "text", "text": LOG}]
    ref = alice.pairs(pair(blocks)).json()["refs"][0]["ref_id"]
    answer = alice.get("deref", ref_id=ref).content.decode()
    tool = {"tool_name": "mcp__offload__memory_deref", "params": {"ref_id": ref}, "tool_call_id": "again"}
    alice.pairs(pair([{"type": "text", "text": answer}], **tool))
    assert entries(alice)[1]["readback"] == [ref]


def test_exact_bytes_read_again_are_marked_and_their_first_reading_is_not(alice: Api) -> None:
    ref = alice.pairs(pair(LOG)).json()["refs"][0]["ref_id"]
    command = f"curl -s http://127.0.0.1:8000/api/v1/refs/{ref}/raw"
    alice.pairs(pair(LOG, params={"command": command}, tool_call_id="again"))
    assert [entry["readback"] for entry in entries(alice)] == [[], [ref]]


def test_a_read_back_does_not_count_as_offloaded(alice: Api) -> None:
    ref = alice.pairs(pair(LOG)).json()["refs"][0]["ref_id"]
    alice.process()
    before = alice.session().offloaded_tokens
    alice.pairs(read_back(alice, ref))
    alice.process()
    assert alice.session().offloaded_tokens == before > 0


def test_the_ref_of_another_agent_makes_no_read_back(alice: Api, charlie: Api) -> None:
    ref = charlie.pairs(pair(LOG)).json()["refs"][0]["ref_id"]
    alice.pairs(read_back(charlie, ref))
    assert [entry["readback"] for entry in entries(alice)] == [[]]


def test_a_first_result_that_names_itself_is_no_read_back(alice: Api) -> None:
    ref = alice.pairs(pair(LOG), session="other").json()["refs"][0]["ref_id"]
    charlie_like = Api(type(alice.agent).objects.create(name="bob"))
    command = f"curl -s http://127.0.0.1:8000/api/v1/refs/{ref}/raw"
    charlie_like.pairs(pair(LOG, params={"command": command}))
    assert [entry["readback"] for entry in entries(charlie_like)] == [[]]


def test_a_read_that_failed_is_told_as_a_failure(alice: Api) -> None:
    command = "curl -s http://127.0.0.1:8000/api/v1/deref?ref_id=ofl_AAAAAAAAAAAAA"
    answer = alice.get("deref", ref_id="ofl_AAAAAAAAAAAAA").content.decode()
    alice.pairs(pair(answer, params={"command": command}))
    entry = entries(alice)[0]
    assert entry["readback"] == []
    assert "read back" not in entry["summary"]
