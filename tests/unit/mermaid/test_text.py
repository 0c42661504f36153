from __future__ import annotations

import pytest

from pipelines.mermaid import EdgeView, write_text
from tests.unit.mermaid.views import canvas, node

EXPECTED = """\
%% {"taskGoal": "Test the prompt", "progress": 50, "createdTime": "2026-01-19T14:02:11Z", \
"updatedTime": "2026-01-19T14:02:11Z"}
flowchart TD
    001-N1["explore: go.mod<br/>status: done<br/>summary: no pty"]
    001-N2(["test: TestResume<br/>status: blocked<br/>summary: exit 1, 'Overwriting' in output"])
    001-N3["fix: prompt<br/>status: doing"]
    001-N1 --> 001-N2
    001-N2 -->|failed| 001-N3
    001-N3 -.->|back to| 001-N1
"""


def test_the_text_has_the_form_that_models_know() -> None:
    shown = canvas(
        node(1, label="explore: go.mod", summary="no pty"),
        node(
            2,
            act="test",
            label="test: TestResume",
            status="blocked",
            summary='exit 1, "Overwriting" in output',
        ),
        node(3, act="fix", label="fix: prompt", status="doing", summary=""),
        edges=(
            EdgeView(source="001-N1", target="001-N2"),
            EdgeView(source="001-N2", target="001-N3", label="failed"),
            EdgeView(source="001-N3", target="001-N1", label="back to", dotted=True),
        ),
    )
    assert write_text(shown) == EXPECTED


@pytest.mark.parametrize("filler", ["word " * 60, '"<#&' * 60, "取消订单" * 60, "🙂" * 200])
@pytest.mark.parametrize("limit", [4000, 6000, 12_000])
def test_forty_full_nodes_keep_to_the_limit(filler: str, limit: int) -> None:
    shown = canvas(*[node(k, label=f"fix: {filler}", summary=filler) for k in range(1, 41)], goal=filler)
    text = write_text(shown, max_chars=limit)
    assert len(text) <= limit
    assert text.count("status: ") == 40


def test_the_newer_half_keeps_its_words_longest() -> None:
    shown = canvas(*[node(k, summary="found " * 20) for k in range(1, 21)])
    lines = [line for line in write_text(shown, max_chars=4000).splitlines() if "status" in line]
    assert len(lines[0]) < len(lines[-1])


def test_a_word_on_an_edge_cannot_leave_it() -> None:
    shown = canvas(
        node(1), node(2), edges=(EdgeView(source="001-N1", target="001-N2", label='a|b"\n001-N9["x"]'),)
    )
    edges = [line for line in write_text(shown).splitlines() if "-->" in line]
    assert len(edges) == 1
    assert edges[0].count("|") == 2
