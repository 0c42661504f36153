"""Recorded sessions as a person imports and sees them: every revision draws, the largest one in the page too."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import Reader
from tests.browser.test_mermaid_text import COUNT, SCRIPT, START
from tests.stack import Stack

FOLDER = os.environ.get("OFFLOAD_TEST_DATA", "")
FILES = sorted(Path(FOLDER, "claude_code").glob("*.jsonl")) if FOLDER else []

pytestmark = pytest.mark.skipif(not FILES, reason="OFFLOAD_TEST_DATA names no folder of transcripts")


def imported(product: Stack, path: Path) -> tuple[str, list[dict[str, Any]]]:
    """Import a file; return the path of its page and all revisions of all its canvases."""
    page, session = product.manage("import_session", str(path)).splitlines()[::-1][:2]
    name = session.rsplit(" ", 1)[-1]
    revisions = []
    for canvas in product.get(f"sessions/{name}/canvases").json()["items"]:
        for number in range(1, canvas["revisions"] + 1):
            answer = product.get(f"sessions/{name}/canvases/{canvas['number']}", rev=number)
            revisions.append(answer.json())
    return page.split("/sessions/")[1], revisions


def test_every_revision_parses_with_its_nodes_and_the_largest_draws_in_the_page(
    chromium: Browser, product: Stack
) -> None:
    checker = chromium.new_page()
    checker.set_content("<div id=room></div>")
    checker.add_script_tag(path=str(SCRIPT))
    checker.evaluate(START)
    largest: tuple[int, str] = (0, "")
    for path in FILES:
        page, revisions = imported(product, path)
        assert revisions
        expected = [len(one["nodes"]) for one in revisions]
        assert checker.evaluate(COUNT, [one["mermaid"] for one in revisions]) == expected
        assert checker.evaluate(COUNT, [one["drawing"] for one in revisions]) == expected
        for one in revisions:
            address = f"/sessions/{page}canvases/{one['number']}/?rev={one['revision']}"
            largest = max(largest, (len(one["nodes"]), address))
    checker.close()
    reader = Reader(chromium, product)
    drawing = reader.open(largest[1])
    drawing.wait_for_selector("#stage g.node[data-node]")
    assert drawing.locator("#stage g.node").count() == largest[0]
    assert reader.wrong == []
    reader.context.close()
