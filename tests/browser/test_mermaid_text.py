from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mermaidx
import pytest
from playwright.sync_api import Browser, Page

from pipelines.l2 import view
from pipelines.mermaid import CanvasView, EdgeView, write_drawing, write_text
from pipelines.mermaid.encode import READABLE, encode, readable
from tests.browser import recorded
from tests.unit.mermaid.views import canvas, node

SCRIPT = Path(mermaidx.__file__).parent / "assets" / "mermaid.js"
START = """mermaid.initialize({startOnLoad: false, securityLevel: "strict", suppressErrorRendering: true,
  maxTextSize: 200000, maxEdges: 2000, flowchart: {htmlLabels: true, wrappingWidth: 400}})"""
DRAW = """async (text) => {
  const room = document.getElementById("room");
  room.innerHTML = (await mermaid.render("drawn", text)).svg;
  const kinds = "script, img, iframe, object, a[href], math, b, i, em, strong, code, ul, li";
  return {
    nodes: [...room.querySelectorAll("g.node")].map((one) => one.innerText ?? one.textContent),
    others: [...room.querySelectorAll(kinds)].map((one) => one.outerHTML.slice(0, 80)),
  };
}"""
COUNT = """async (texts) => {
  const counts = [];
  for (const text of texts) {
    const drawn = await mermaid.mermaidAPI.getDiagramFromText(text);
    counts.push([...drawn.db.getVertices().keys()].filter((id) => !id.startsWith("row")).length);
  }
  return counts;
}"""

HOSTILE = [
    'x"]\n    evil["pwn',
    'x"]; evil["pwn"]; click evil "javascript:alert(1)"',
    "end",
    "subgraph a",
    "n1---ok",
    "a --> b -.->|x| c ==> d ~~~ e",
    "<img src=x onerror=alert(1)>",
    "<script>alert(1)</script><b>bold</b>",
    "&lt;b&gt; &amp; &#35; #35; #quot; #9829;",
    "%%{init: {'theme': 'dark'}}%%",
    "%% comment",
    "---\ntitle: x\n---",
    "click 001-N1 href 'https://example.org'",
    "style 001-N1 fill:#f00; classDef default fill:#0f0;",
    "a:::done @{ shape: circle }",
    "fa:fa-car fab:fa-x ::icon(fa fa-book)",
    "`**bold** _em_` # head",
    "1. one",
    "- item",
    "$$x^2$$ $A $$$y$$",
    "C:\\new\\table \\(x\\)",
    "[/a/] ((a)) {{a}} >a] [[a]] ([a])",
    "|pipe| 'single' \"double\" `back`",
    "°¶ß ﬂ° ¶",
    "🙂👌🏽 取消订单 안녕 שלום עולם ‮abc",
    "a\x00b\x1b[31mred\x1b[0m\rc",
    "half \ud800 character",
    "",
    "   ",
    "word" * 300,
]


@pytest.fixture(scope="module")
def page(chromium: Browser) -> Iterator[Page]:
    one = chromium.new_page()
    requests: list[str] = []
    one.on("request", lambda request: requests.append(request.url))
    one.set_content("<div id=room></div>")
    one.add_script_tag(path=str(SCRIPT))
    one.evaluate(START)
    requests.clear()
    yield one
    one.close()
    assert requests == []


def drawn(page: Page, text: str) -> dict[str, Any]:
    return page.evaluate(DRAW, text)


def flat(text: str) -> str:
    return "".join(text.split())


def hostile_canvas(text: str) -> CanvasView:
    full = {"summary": text, "finding": text, "counts": text, "phase": text}
    nodes = [
        node(1, label=f"explore: {text}", **full),
        node(2, act="test", label=f"test: {text}", status="blocked", **full),
        node(3, act="fix", label=f"fix: {text}", status="blocked", folded=3, dead_end=True, **full),
        node(4, label=text, status="doing", phase_number=2, **full),
        node(5, label=f"run: {text}", status="paused", phase_number=2, **full),
    ]
    edges = tuple(
        EdgeView(source=f"001-N{k}", target=f"001-N{k + 1}", label=text, dotted=bool(k % 2))
        for k in range(1, 5)
    )
    return canvas(*nodes, edges=edges, goal=text)


@pytest.mark.parametrize("write", [write_text, write_drawing])
@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_draws_its_nodes_and_nothing_else(page: Page, write: Any, text: str) -> None:
    found = drawn(page, write(hostile_canvas(text)))
    assert len(found["nodes"]) == 5
    assert found["others"] == []


@pytest.mark.parametrize("sign", sorted(READABLE))
def test_signs_that_stay_readable_draw_as_they_are(page: Page, sign: str) -> None:
    places = [f"explore: a{sign}b", f"x {sign}{sign}y{sign}{sign} z", f"{sign} 1{sign}", f"({sign}a {sign}"]
    text = "<br/>".join(map(readable, places))
    found = drawn(page, f'flowchart TD\n    001-N1["{text}"]\n    001-N2(["{text}"])\n')
    expected = "".join(places).replace("$$", "$ $")
    assert [flat(one) for one in found["nodes"]] == [flat(expected)] * 2
    assert found["others"] == []


def test_encoded_text_is_read_as_it_was(page: Page) -> None:
    text = "if a[1] < b && c > 'd': \"{%s}\" # 100% °C → ¶"
    found = drawn(page, f'flowchart TD\n    001-N1["{encode(text)}"]\n')
    assert [flat(one) for one in found["nodes"]] == [flat(text)]


def test_a_link_back_to_an_earlier_row_draws(page: Page) -> None:
    nodes = [node(k, phase_number=1 + k // 3, phase=f"phase {k // 3}") for k in range(1, 9)]
    edges = (*canvas(*nodes).edges, EdgeView(source="001-N8", target="001-N1", label="back to", dotted=True))
    assert len(drawn(page, write_drawing(canvas(*nodes, edges=edges)))["nodes"]) == 8


def test_forty_nodes_of_three_lines_draw(page: Page) -> None:
    nodes = [
        node(k, phase_number=k // 5, label="change: " + "x" * 60, summary="y" * 140) for k in range(1, 41)
    ]
    assert len(drawn(page, write_drawing(canvas(*nodes)))["nodes"]) == 40
    assert len(drawn(page, write_text(canvas(*nodes), max_chars=12_000))["nodes"]) == 40


@pytest.mark.skipif(not recorded.files(), reason="OFFLOAD_TEST_DATA names no folder of recorded sessions")
@pytest.mark.parametrize("path", recorded.files(), ids=lambda path: path.name[:40])
def test_every_revision_of_recorded_sessions_parses_with_its_nodes_and_keeps_its_budget(
    page: Page, path: Path
) -> None:
    shown = [view(state) for state in recorded.states(path)]
    texts = [write_text(one) for one in shown]
    assert max(map(len, texts), default=0) <= 4000
    assert max((len(one.nodes) for one in shown), default=0) <= 40
    expected = [len(one.nodes) for one in shown]
    assert page.evaluate(COUNT, texts) == expected
    assert page.evaluate(COUNT, [write_drawing(one) for one in shown]) == expected
    for one in [*shown[20::40], *shown[-1:]]:
        found = drawn(page, write_drawing(one))
        assert len(found["nodes"]) == len(one.nodes)
        assert found["others"] == []
