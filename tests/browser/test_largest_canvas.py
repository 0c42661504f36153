from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import Reader, Work, until
from tests.stack import Stack

NODES = 200


@pytest.fixture
def large(tmp_path_factory: pytest.TempPathFactory, chromium: Browser) -> Iterator[Stack]:
    """The product with the largest canvases that its settings allow."""
    limits = {"OFFLOAD_CANVAS_MAX_NODES": str(NODES), "OFFLOAD_CANVAS_MAX_CHARS": "40000"}
    stack = Stack(tmp_path_factory.mktemp("large") / "home", **limits)
    stack.start()
    yield stack
    stack.stop()


def test_the_largest_canvas_draws_whole_and_says_what_is_folded(chromium: Browser, large: Stack) -> None:
    work = Work(large)
    work.prompt()
    for _ in range(6):
        work.go_on(150)
    work.drawn()
    told = large.get(f"sessions/{work.id}/canvases/1").json()
    nodes = {node["node_id"] for node in told["nodes"]}
    assert NODES / 2 < len(nodes) <= NODES
    assert sum(node["entries"] for node in told["nodes"]) == work.calls
    assert len(told["mermaid"]) <= 40_000
    reader = Reader(chromium, large)
    page = reader.open(work.canvas)
    page.get_by_role("button", name=f"Draw {len(nodes)} nodes").click()
    until(
        page,
        "wanted => document.querySelectorAll('#stage g.node[data-node]').length === wanted",
        len(nodes),
    )
    listed = page.eval_on_selector_all("#nodes [data-node]", "all => all.map(n => n.dataset.node)")
    assert set(listed) == nodes
    folded = [node for node in told["nodes"] if node["folded"]]
    assert folded
    for node in folded:
        label = page.locator(f"#nodes [data-node='{node['node_id']}']").inner_text()
        assert str(node["entries"]) in label
    reader.context.close()
    assert reader.wrong == []
