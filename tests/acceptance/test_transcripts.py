from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from canvases.models import Boundary, CanvasRevision, ToolPair
from canvases.services.imports import TranscriptImport
from pipelines import rawjson
from tests.conftest import Api

FOLDER = os.environ.get("OFFLOAD_TEST_DATA", "")
FILES = sorted(Path(FOLDER, "claude_code").glob("*.jsonl")) if FOLDER else []

pytestmark = pytest.mark.skipif(not FILES, reason="OFFLOAD_TEST_DATA names no folder of transcripts")


def documents(path: Path) -> Iterator[dict[str, Any]]:
    """Yield every JSON object of a file, also where two stand on one line."""
    for line in path.read_text(encoding="utf-8").splitlines():
        at = 0
        while at < len(line):
            value, at = rawjson.parse_value(line, at)
            at = rawjson.skip_space(line, at)
            yield value


def calls_and_results(path: Path) -> tuple[set[str], dict[str, Any]]:
    """Return the ids of all calls, and the content of each result, of the file's own messages."""
    calls: set[str] = set()
    results: dict[str, Any] = {}
    for document in documents(path):
        content = (document.get("message") or {}).get("content")
        for block in content if isinstance(content, list) else []:
            if block.get("type") == "tool_use":
                calls.add(block["id"])
            elif block.get("type") == "tool_result":
                results[block["tool_use_id"]] = block.get("content")
    return calls, results


def import_file(alice: Api, path: Path) -> TranscriptImport:
    work = TranscriptImport(agent=alice.agent, session_id="s1")
    with path.open("rb") as stream:
        work.run(stream)
    return work


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name[:30])
def test_a_recorded_session_is_kept_whole_and_read_back_by_every_name(alice: Api, path: Path) -> None:
    calls, results = calls_and_results(path)
    done = import_file(alice, path).done
    assert done.pairs == len(calls & set(results)) == ToolPair.objects.count()
    again = import_file(alice, path).done
    assert (again.pairs, again.duplicates) == (0, done.pairs)
    prompts = Boundary.objects.count()
    import_file(alice, path)
    assert Boundary.objects.count() == prompts

    entries = {entry["seq"]: entry for entry in all_entries(alice)}
    for row in ToolPair.objects.select_related("blob").defer("blob__content_zstd"):
        content = results[row.tool_call_id]
        raw = alice.get(f"refs/{row.blob.ref_id}/raw").content
        assert hashlib.sha256(raw).hexdigest() == row.blob.content_sha256
        if isinstance(content, str):
            assert raw == content.encode("utf-8", "surrogatepass")
        else:
            assert json.loads(raw) == content
        names: list[dict[str, str]] = [
            {"ref_id": row.blob.ref_id},
            {"tool_call_id": row.tool_call_id, "session_id": "s1"},
            {"result_ref": row.result_ref, "session_id": "s1"},
        ]
        for name in names:
            items = alice.get("deref", **name).json()["items"]
            assert row.blob.content_sha256 in {item["sha256"] for item in items if item["verified"]}
        assert entries[row.seq]["ref_id"] == row.blob.ref_id


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name[:30])
def test_every_entry_of_a_long_task_is_on_a_node_and_read_back_by_it(alice: Api, path: Path) -> None:
    import_file(alice, path)
    canvases = alice.get("sessions/s1/canvases", limit=200).json()["items"]
    nodes = {node["node_id"]: node["entries"] for canvas in canvases for node in canvas["nodes"]}
    mapped = [entry for entry in all_entries(alice) if entry["node_id"] is not None]
    assert {entry["node_id"] for entry in mapped} == set(nodes)
    assert sum(nodes.values()) == len(mapped)
    short = Boundary.objects.exclude(verdict="long").count()
    assert short or len(mapped) == ToolPair.objects.count()
    for node_id, count in nodes.items():
        held = [entry for entry in mapped if entry["node_id"] == node_id]
        seqs, after = [], ""
        while after is not None:
            page = alice.get("deref", node_id=node_id, session_id="s1", max_tokens=50, after=after).json()
            seqs += [item["seq"] for item in page["items"]]
            after = page["next"]
        assert seqs == [entry["seq"] for entry in held]
        assert count == len(held)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name[:30])
def test_no_revision_passes_its_budget(alice: Api, path: Path) -> None:
    import_file(alice, path)
    revisions = CanvasRevision.objects.all()
    assert revisions
    for revision in revisions:
        assert len(revision.mermaid) <= 4000
        assert 1 <= len(revision.nodes) <= 40
        ids = [node["node_id"] for node in revision.nodes]
        assert len(set(ids)) == len(ids)
        assert {edge[end] for edge in revision.edges for end in ("source", "target")} <= set(ids)


def all_entries(alice: Api) -> list[dict[str, Any]]:
    lines = b"".join(alice.get("sessions/s1/offload.jsonl").streaming_content)  # type: ignore[attr-defined]
    return [json.loads(line) for line in lines.decode().splitlines()]
