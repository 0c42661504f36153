"""The tools as a model calls them; what carries their calls is tested in tests/integration/mcp."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from mcp_types import CallToolResult, TextContent

from canvases.mcp.server import TOOLS, answered
from canvases.mcp.tool import Caller
from canvases.models import OffloadedBlob, Reference, SignedEvent, ToolPair
from canvases.services.expiry import references_expire
from pipelines import blobs
from tests.conftest import Api, pair

LOG = "".join(f"2026-01-31 request {n} {'failed' if n == 70 else 'done'}\n" for n in range(1, 301))
UNKNOWN = "ofl_AAAAAAAAAAAAA"


def called(api: Api, name: str, **arguments: Any) -> CallToolResult:
    return answered(TOOLS[name], lambda: Caller(agent=api.agent, actor="key of the test"), arguments)


def words(result: CallToolResult) -> str:
    (item,) = result.content
    assert isinstance(item, TextContent)
    return item.text


def told(api: Api, name: str, **arguments: Any) -> dict[str, Any]:
    result = called(api, name, **arguments)
    assert not result.is_error, words(result)
    data: dict[str, Any] = json.loads(words(result))
    assert result.structured_content in (data, None)
    return data


def refused(api: Api, name: str, **arguments: Any) -> str:
    result = called(api, name, **arguments)
    assert result.is_error
    assert result.structured_content is None
    result.model_dump_json()
    return words(result)


def put_away(api: Api, content: str = "hello mcp", **arguments: Any) -> str:
    return str(told(api, "memory_offload", content=content, **arguments)["ref_id"])


def test_offload_parity_986() -> None:
    schema = TOOLS["memory_offload"].schema
    assert set(schema["properties"]) == {"content", "namespace", "ttl_seconds", "media_type"}
    assert schema["required"] == ["content"]


def test_deref_parity_986() -> None:
    schema = TOOLS["memory_deref"].schema
    assert {"ref_id", "lines", "grep", "max_tokens"} <= set(schema["properties"])


def test_offload_tool_metadata_986() -> None:
    """Tools have no families here: a key lists all of them."""
    tool = TOOLS["memory_offload"]
    assert not tool.reads_only
    assert tool.description


def test_deref_tool_metadata_986() -> None:
    """As above; reading changes nothing."""
    tool = TOOLS["memory_deref"]
    assert tool.reads_only
    assert tool.description


def test_every_argument_is_described_and_every_description_short() -> None:
    for tool in TOOLS.values():
        assert len(tool.description) < 500
        assert all(len(one["description"]) < 120 for one in tool.properties.values())


def test_handle_offload_requires_content(alice: Api) -> None:
    assert refused(alice, "memory_offload") == "content is required"
    assert refused(alice, "memory_offload", content=7) == "content is required"


def test_handle_deref_requires_ref_id(alice: Api) -> None:
    assert refused(alice, "memory_deref") == "ref_id is required"
    assert refused(alice, "memory_deref", ref_id=None) == "ref_id is required"
    assert refused(alice, "memory_deref", ref_id=["x"]) == "ref_id is required"


def test_handle_offload_then_deref_round_trip(alice: Api) -> None:
    stored = told(alice, "memory_offload", content="hello mcp")
    assert {"ref_id", "content_sha256", "stored_at", "namespace"} <= set(stored)
    read = told(alice, "memory_deref", ref_id=stored["ref_id"])
    assert read["content"] == "hello mcp"
    assert read["ref_id"] == stored["ref_id"]
    assert read["sha256"] == stored["content_sha256"]
    assert read["stored_at"] == stored["stored_at"]
    assert (read["truncated"], read["next_offset"], read["verified"]) == (False, None, True)


def test_handle_deref_refuses_cross_agent_caller_mcp_layer(alice: Api, charlie: Api) -> None:
    ref_id = put_away(alice)
    assert refused(charlie, "memory_deref", ref_id=ref_id) == f"offloaded blob {ref_id} not found"
    assert refused(charlie, "memory_deref", ref_id=UNKNOWN) == f"offloaded blob {UNKNOWN} not found"


def test_handle_offload_defaults_namespace_when_omitted(alice: Api) -> None:
    assert told(alice, "memory_offload", content="x")["namespace"] == "auto"
    assert told(alice, "memory_offload", content="x", namespace=None)["namespace"] == "auto"


def test_handle_offload_passes_through_ttl(alice: Api) -> None:
    stored = told(alice, "memory_offload", content="x", ttl_seconds=3600)
    assert Reference.objects.get().ttl_seconds == 3600
    assert stored["expires_at"] == stored["stored_at"] + 3600


@pytest.mark.parametrize("ttl", ["60", 1.5, -1, 0, True, [60]])
def test_a_time_to_live_that_is_none_is_refused_and_nothing_kept(alice: Api, ttl: Any) -> None:
    assert "ttl_seconds must be" in refused(alice, "memory_offload", content="x", ttl_seconds=ttl)
    assert not OffloadedBlob.objects.exists()


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("memory_offload", {"content": "x", "namespace": 5}, "namespace must be a text"),
        (
            "memory_offload",
            {"content": "x", "namespace": "session/s1"},
            "namespaces that begin with session/",
        ),
        ("memory_offload", {"content": "x", "media_type": ""}, "media_type must be a text"),
        ("memory_deref", {"ref_id": UNKNOWN, "max_tokens": "60"}, "max_tokens must be a whole number"),
        ("memory_deref", {"ref_id": UNKNOWN, "offset": 1.5}, "offset must be a whole number"),
        ("memory_deref", {"ref_id": UNKNOWN, "limit": True}, "limit must be a whole number"),
        ("memory_deref", {"ref_id": UNKNOWN, "lines": 10}, "lines must be a text"),
        ("memory_deref", {"ref_id": UNKNOWN, "node_id": "001-N1"}, "Send exactly one of node_id, ref_id"),
        ("memory_deref", {"ref_id": UNKNOWN, "json_path": "items"}, "json_path"),
        ("memory_deref", {"tool_call_id": "c1", "session_id": 1}, "session_id must be a text"),
        ("memory_deref", {"tool_call_id": "c1", "session_id": None}, "tool_call_id needs session_id"),
        ("offload_search", {}, "q is required"),
        ("offload_search", {"q": 5}, "q must be a text"),
        ("offload_search", {"q": "word", "limit": 0}, "limit is 0; send a number from 1"),
        ("offload_search", {"q": "word", "after": "x"}, "after is not a token"),
        ("canvas_read", {"session_id": "s1", "number": "1"}, "number must be a whole number"),
    ],
)
def test_arguments_of_a_wrong_kind_are_refused_by_name(
    alice: Api, tool: str, arguments: dict[str, Any], said: str
) -> None:
    assert refused(alice, tool, **arguments).startswith(said)


def test_who_calls_is_never_taken_from_the_arguments(alice: Api, charlie: Api) -> None:
    ref_id = put_away(alice)
    claim = {"agent_id": "alice", "metadata": {"agent_id": "alice"}, "_meta": {"agent_id": "alice"}}
    assert "not found" in refused(charlie, "memory_deref", ref_id=ref_id, **claim)
    mine = put_away(charlie, "mine", **claim, unknown_argument=1)
    assert OffloadedBlob.objects.get(ref_id=mine).agent == charlie.agent


def test_a_content_over_the_limit_is_refused_in_bytes(alice: Api) -> None:
    alice.agent.offload_limit_bytes = 10
    alice.agent.save()
    answer = refused(alice, "memory_offload", content="é" * 6)
    assert answer == "offload blob 12 bytes exceeds policy max 10"


def test_a_tampered_content_is_refused(alice: Api) -> None:
    ref_id = put_away(alice)
    OffloadedBlob.objects.update(content_zstd=blobs.pack(b"forged"))
    answer = refused(alice, "memory_deref", ref_id=ref_id)
    assert answer.startswith(f"offloaded blob {ref_id} integrity check failed (content tampered)")


def test_a_content_whose_signature_fails_is_refused(alice: Api) -> None:
    ref_id = put_away(alice)
    Reference.objects.update(signature_b64="A" * 86)
    answer = refused(alice, "memory_deref", ref_id=ref_id)
    assert answer.startswith(f"offloaded blob {ref_id} signature verification failed")


def test_what_expired_says_so_to_its_owner_alone(alice: Api, charlie: Api) -> None:
    ref_id = put_away(alice, ttl_seconds=1)
    Reference.objects.update(expires_at=1, stored_at=0)
    references_expire()
    answer = refused(alice, "memory_deref", ref_id=ref_id)
    assert re.match(f"offloaded blob {ref_id} not found: .*expired", answer)
    assert refused(charlie, "memory_deref", ref_id=ref_id) == f"offloaded blob {ref_id} not found"


def test_reads_stores_and_misses_are_events_of_the_key(alice: Api) -> None:
    ref_id = put_away(alice)
    told(alice, "memory_deref", ref_id=ref_id)
    refused(alice, "memory_deref", ref_id=UNKNOWN)
    events = list(SignedEvent.objects.order_by("sequence"))
    assert [one.event_type for one in events] == ["offloaded", "dereferenced", "refused"]
    assert {one.actor for one in events} == {"key of the test"}
    assert events[1].payload["how"] == "mcp"


def test_a_long_text_comes_in_parts_that_join_to_it(alice: Api) -> None:
    ref_id = put_away(alice, LOG)
    parts, at = [], 0
    while at is not None:
        part = told(alice, "memory_deref", ref_id=ref_id, offset=at, max_tokens=500)
        parts.append(part["content"])
        at = part["next_offset"]
    assert len(parts) > 3
    assert "".join(parts) == LOG


def test_a_result_is_read_by_each_of_its_names_and_in_part(alice: Api) -> None:
    ref = alice.pairs(pair(LOG)).json()["refs"][0]
    alice.prompt("look")
    alice.process()
    for name, value in (("tool_call_id", "c1"), ("result_ref", ref["result_ref"]), ("ref_id", ref["ref_id"])):
        read = told(alice, "memory_deref", session_id="s1", grep="failed", **{name: value})
        assert (read["content"], read["matches"]) == ("70:2026-01-31 request 70 failed", 1)
        assert read["total_lines"] == 300
    assert "offset must be" in refused(alice, "memory_deref", ref_id=ref["ref_id"], offset=10**9)
    assert refused(alice, "memory_deref", session_id="s1", tool_call_id="c9") == "no such result"
    assert refused(alice, "memory_deref", session_id="other", tool_call_id="c1") == "no such session"


def test_names_that_a_model_leaves_empty_beside_one_that_it_gives_do_not_count(alice: Api) -> None:
    ref_id = put_away(alice)
    empty = {"node_id": "", "tool_call_id": "", "result_ref": "", "lines": "", "grep": "", "json_path": ""}
    assert told(alice, "memory_deref", ref_id=ref_id, **empty)["content"] == "hello mcp"
    alice.pairs(pair("of no id", tool_call_id=""))
    assert told(alice, "memory_deref", session_id="s1", tool_call_id="")["content"] == "of no id"


def test_several_results_of_one_name_are_items(alice: Api) -> None:
    alice.pairs(pair("one"), pair("two"))
    read = told(alice, "memory_deref", session_id="s1", tool_call_id="c1")
    assert [item["content"] for item in read["items"]] == ["one", "two"]
    assert read["next"] is None


def test_a_value_of_a_json_content_is_read_by_its_path(alice: Api) -> None:
    ref_id = put_away(alice, '{"a": [1.50, 2]}', media_type="application/json")
    assert told(alice, "memory_deref", ref_id=ref_id, json_path="$.a[0]")["content"] == "1.50"


@pytest.mark.parametrize("content", ["cut \ud83d", "nul \x00", "\udc00\ud800", '"\\ \u2028 世界 🦊'])
def test_any_text_goes_in_and_comes_out(alice: Api, content: str) -> None:
    ref_id = put_away(alice, content, namespace=content)
    result = called(alice, "memory_deref", ref_id=ref_id)
    result.model_dump_json()
    assert json.loads(words(result))["content"] == content
    assert "not found" in refused(alice, "memory_deref", ref_id=content)
    assert refused(alice, "memory_deref", session_id=content, node_id=content) == "no such session"
    assert refused(alice, "canvas_read", session_id=content).startswith("no such session; ")
    called(alice, "offload_search", q=content).model_dump_json()


def test_a_search_gives_refs_and_lines_of_the_agent_alone(alice: Api, charlie: Api) -> None:
    ref_id = alice.pairs(pair(LOG)).json()["refs"][0]["ref_id"]
    alice.process()
    hits = told(alice, "offload_search", q="failed", ref_id=ref_id)
    assert hits["state"] == "found"
    assert hits["items"][0]["ref_id"] == ref_id
    assert 70 in [place["line"] for place in hits["items"][0]["places"]]
    assert told(charlie, "offload_search", q="failed")["state"] == "nothing_stored"
    assert refused(charlie, "offload_search", q="failed", session_id="s1") == "no such session"
    assert refused(charlie, "offload_search", q="failed", ref_id=ref_id) == "no such ref"


def test_a_text_that_was_put_away_is_found_by_its_words(alice: Api, charlie: Api) -> None:
    ref_id = put_away(alice, "the plan\nsail to zanzibar", namespace="plans")
    [hit] = told(alice, "offload_search", q="zanzibar")["items"]
    assert (hit["ref_id"], hit["session_id"], hit["namespaces"]) == (ref_id, None, ["plans"])
    assert [(place["where"], place["line"]) for place in hit["places"]] == [("content", 2)]
    assert told(charlie, "offload_search", q="zanzibar")["state"] == "nothing_stored"


def test_the_active_canvas_is_read_with_its_nodes(alice: Api, charlie: Api) -> None:
    alice.prompt("Find the failed request")
    assert refused(alice, "canvas_read", session_id="s1") == "nothing is drawn in this session yet"
    alice.pairs(pair(LOG), *(pair(f"line {n}", tool_call_id=f"t{n}") for n in range(6)))
    alice.process()
    read = told(alice, "canvas_read", session_id="s1")
    assert read["mermaid"].startswith('%% {"taskGoal": "Find the failed request"')
    assert all(node["node_id"] in read["mermaid"] for node in read["nodes"])
    assert told(alice, "canvas_read", session_id="s1", number=1, revision=1)["revision"] == 1
    assert "revisions 1 to" in refused(alice, "canvas_read", session_id="s1", revision=99)
    assert refused(alice, "canvas_read", session_id="s1", number=10**30) == "no such canvas"
    assert refused(charlie, "canvas_read", session_id="s1").startswith("no such session; ")
    assert refused(charlie, "canvas_read") == "no session is here yet"
    assert told(alice, "canvas_read") == read
    node = told(alice, "memory_deref", session_id="s1", node_id=read["nodes"][0]["node_id"])
    assert node.get("content") or node["items"]


def as_posted(result: CallToolResult, shape: str) -> Any:
    """Return the answer as hosts post it: its text, its blocks, the whole result, or only its data."""
    whole = json.loads(result.model_dump_json(by_alias=True, exclude_none=True))
    shapes = {
        "text": words(result),
        "blocks": whole["content"],
        "whole": whole,
        "data": whole["structuredContent"],
    }
    return shapes[shape]


@pytest.mark.parametrize("shape", ["text", "blocks", "whole", "data"])
def test_answers_posted_back_are_recognised_as_read_backs(alice: Api, shape: str) -> None:
    ref_id = alice.pairs(pair(LOG)).json()["refs"][0]["ref_id"]
    by_hand = put_away(alice, LOG.replace("done", "ready"))
    alice.prompt("again")
    calls: list[tuple[str, dict[str, Any]]] = [
        ("memory_deref", {"ref_id": ref_id, "lines": "10-60"}),
        ("memory_deref", {"session_id": "s1", "tool_call_id": "c1"}),
        ("memory_deref", {"ref_id": by_hand, "grep": "failed"}),
        ("memory_deref", {"ref_id": by_hand}),
        ("offload_search", {"q": "failed", "ref_id": ref_id}),
        ("offload_search", {"q": "failed", "ref_id": by_hand}),
    ]
    for number, (name, arguments) in enumerate(calls):
        posted = as_posted(called(alice, name, **arguments), shape)
        again = {"tool_name": f"mcp__offload__{name}", "params": arguments, "tool_call_id": f"again-{number}"}
        alice.pairs(pair(posted, **again))
    alice.process()
    entries = alice.get("sessions/s1/entries").json()["items"]
    read = [ref_id, ref_id, by_hand, by_hand, ref_id, by_hand]
    assert [one["readback"] for one in entries] == [[], *([one] for one in read)]
    canvas = as_posted(called(alice, "canvas_read", session_id="s1"), shape)
    alice.pairs(pair(canvas, tool_name="mcp__offload__canvas_read", params={"session_id": "s1"}))
    alice.process()
    assert alice.get("sessions/s1/entries").json()["items"][-1]["readback"]


def test_what_was_put_away_later_makes_no_read_back_of_an_earlier_result(alice: Api) -> None:
    ref_id = blobs.ref_id(LOG.encode())
    alice.pairs(pair(LOG, tool_name="memory_deref", params={"ref_id": ref_id}))
    ToolPair.objects.update(received_at=timezone.now() - timedelta(hours=1))
    assert put_away(alice, LOG) == ref_id
    alice.process()
    assert alice.get("sessions/s1/entries").json()["items"][0]["readback"] == []
