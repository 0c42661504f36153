from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Reader, Work
from tests.integration.views.conftest import HOSTILE

TEXTS = {
    **HOSTILE,
    "mermaid": 'x"]\n evil["pwn"]; click evil "javascript:alert(1)"\n%%{init: {"securityLevel": "loose"}}%%',
    "attributes": "a' autofocus onfocus='alert(4)' x=\"",
    "closing": "</pre></script></template></textarea><iframe src=javascript:alert(5)>",
    "remote": "![x](https://remote.example/p.png) <img src=https://remote.example/q.png>",
}
STRANGE = """() => [...document.querySelectorAll("script:not([src]), iframe, object, embed, img, b, a[href^=java]")]
  .filter((one) => !(one.matches("img") && one.src.includes("/static/")))
  .concat([...document.querySelectorAll("*")].filter((one) => [...one.attributes].some((a) => /^on/i.test(a.name))))
  .map((one) => one.outerHTML.slice(0, 100))"""


@pytest.fixture
def hostile(new_work: Work) -> Work:
    new_work.prompt("Fix <b>the parser</b> tests and make the checks pass: " + " ".join(TEXTS.values()))
    for name, text in TEXTS.items():
        new_work.post(
            {
                "tool_name": text[:300],
                "tool_call_id": text,
                "params": {text[:99]: text},
                "result": f"{text} {name}",
            },
            {"tool_name": "Bash", "tool_call_id": name, "params": {"command": text[:500]}, "result": text},
            {"tool_name": "Read", "params": {"file_path": f"/repo/{text[:200]}"}, "result": text * 3},
        )
    new_work.drawn()
    return new_work


def test_hostile_names_draw_their_nodes_and_no_other_element(reader: Reader, hostile: Work) -> None:
    page = reader.canvas(hostile)
    told = reader.stack.get(f"sessions/{hostile.id}/canvases/1").json()["nodes"]
    assert page.locator("#stage g.node").count() == len(told)
    assert page.evaluate(STRANGE) == []
    for node in told:
        page.locator(f"#stage g.node[data-node='{node['node_id']}']").dispatch_event("click")
        expect(page.locator("#node .node-id")).to_have_text(node["node_id"])
        assert page.evaluate(STRANGE) == []


@pytest.mark.parametrize("path", ["timeline/", "entries/1/", "entries/4/?as=raw", "entries/28/"])
def test_hostile_text_on_the_other_pages_is_only_text(reader: Reader, hostile: Work, path: str) -> None:
    page = reader.open(hostile.page + path)
    page.wait_for_load_state("networkidle") if "entries" in path else page.wait_for_timeout(300)
    assert page.evaluate(STRANGE) == []
    assert "alert" in page.content()


def test_raw_bytes_open_as_text(reader: Reader, hostile: Work) -> None:
    page = reader.open(f"{hostile.page}entries/1/")
    page.locator(".download").click()
    page.wait_for_url("**/raw?sha256=*")
    assert page.evaluate("document.contentType") == "text/plain"
    assert "<script>alert(1)</script>" in page.locator("body").inner_text()
