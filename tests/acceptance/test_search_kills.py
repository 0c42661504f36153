from __future__ import annotations

import time
from typing import Any

import pytest

from tests.stack import Stack, wait_for


def found(stack: Stack, q: str, **query: Any) -> dict[str, Any]:
    return dict(stack.get("search", q=q, session_id="s1", **query).json())


@pytest.mark.parametrize("delay", [0.3, 1.0])
def test_a_worker_killed_while_it_indexes_leaves_every_result_findable(stack: Stack, delay: float) -> None:
    filler = "".join(f"line {n} of some output\n" for n in range(2000))
    pairs = [
        {"tool_name": "Bash", "tool_call_id": f"c{n}", "result": f"{filler}marker_{n:03d} shared\n"}
        for n in range(150)
    ]
    assert stack.post("sessions/s1/tool-pairs", {"tool_pairs": pairs}).status_code == 202
    assert found(stack, "marker_000")["state"] in ("not_indexed_yet", "found")
    time.sleep(delay)
    stack.kill("offload_site worker")
    stack.start()
    wait_for(lambda: found(stack, "shared")["pending"] == 0, "the index", stack.output, within=120)
    seqs: list[int] = []
    after: str | None = ""
    while after is not None:
        page = found(stack, "shared", limit=60, after=after)
        seqs += [hit["seq"] for hit in page["items"]]
        after = page["next"]
    assert seqs == list(range(150, 0, -1))
    for n in (0, 75, 149):
        [hit] = found(stack, f"marker_{n:03d}")["items"]
        assert (hit["tool_call_id"], hit["places"][-1]["line"]) == (f"c{n}", 2001)
