from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Reader, Work, until
from tests.stack import Stack

LOOSE_ENDS = """() => {
  const point = (line, at) => line.getPointAtLength(at).matrixTransform(line.getScreenCTM());
  const near = (point) => [...document.querySelectorAll("#stage g.node")].filter((node) => {
    const box = node.getBoundingClientRect();
    return point.x > box.left - 6 && point.x < box.right + 6 && point.y > box.top - 6 && point.y < box.bottom + 6;
  }).map((node) => node.dataset.node);
  return [...document.querySelectorAll("#stage path.flowchart-link")].filter((line) => {
    const [, from, to] = /L_(\\d+-N\\d+)_(\\d+-N\\d+)_/.exec(line.id);
    const ends = [near(point(line, 0)), near(point(line, line.getTotalLength()))];
    return !ends[0].includes(from) || !ends[1].includes(to);
  }).map((line) => line.id);
}"""
CROWDED = """() => {
  const boxes = [...document.querySelectorAll("#stage g.node")].map((node) => node.getBoundingClientRect());
  return boxes.some((one, at) => boxes.slice(at + 1).some((other) =>
    one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom));
}"""
LETTERS = """() => {
  const label = document.querySelector("#stage .node .object");
  const scale = document.querySelector("#stage .world").getBoundingClientRect().width
    / document.querySelector("#stage .world").offsetWidth;
  return parseFloat(getComputedStyle(label).fontSize) * scale;
}"""
COLUMNS = """() => new Set([...document.querySelectorAll("#stage g.node")]
  .map((node) => Math.round(node.getBoundingClientRect().left / 10))).size"""


@pytest.fixture(params=[(1440, 900), (1024, 768), (390, 844)], ids=["desk", "tablet", "phone"])
def sized(request: pytest.FixtureRequest, chromium: Browser, product: Stack) -> Iterator[Reader]:
    wide, high = request.param
    person = Reader(chromium, product, viewport={"width": wide, "height": high})
    yield person
    person.context.close()
    assert person.wrong == []


@pytest.fixture
def long_work(new_work: Work) -> Work:
    """A session with a canvas that no screen shows as a whole."""
    new_work.prompt()
    new_work.go_on(45)
    new_work.drawn()
    return new_work


def test_arrows_touch_their_nodes_and_nodes_keep_apart(sized: Reader, long_work: Work) -> None:
    page = sized.canvas(long_work)
    assert page.locator("#stage path.flowchart-link").count() >= page.locator("#stage g.node").count() - 1
    assert page.evaluate(LOOSE_ENDS) == []
    assert not page.evaluate(CROWDED)


def test_the_first_view_can_be_read(sized: Reader, long_work: Work) -> None:
    page = sized.canvas(long_work)
    assert page.evaluate(LETTERS) >= 12
    shown = page.locator("#stage").bounding_box()
    boxes = [node.bounding_box() for node in page.locator("#stage g.node").all()]
    assert shown is not None
    for box in boxes:
        assert box is not None
        assert box["x"] >= shown["x"]
        assert box["x"] + box["width"] <= shown["x"] + shown["width"]


def test_a_narrow_window_puts_the_nodes_in_one_column_and_a_wide_one_side_by_side(
    reader: Reader, long_work: Work
) -> None:
    page = reader.canvas(long_work)
    assert page.evaluate(COLUMNS) == 3
    page.set_viewport_size({"width": 390, "height": 844})
    until(page, f"() => ({COLUMNS})() === 1")
    assert page.evaluate(LOOSE_ENDS) == []
    page.set_viewport_size({"width": 1440, "height": 900})
    until(page, f"() => ({COLUMNS})() === 3")


def test_a_view_kept_from_a_wide_window_is_not_used_in_a_narrow_one(reader: Reader, long_work: Work) -> None:
    page = reader.canvas(long_work)
    page.keyboard.press("+")
    page.set_viewport_size({"width": 390, "height": 844})
    until(page, f"() => ({COLUMNS})() === 1")
    page.evaluate("path => sessionStorage.setItem(`view:${path}`, '[3, -900, -2000, 3]')", long_work.canvas)
    page.reload()
    page.wait_for_selector("#stage g.node[data-node]")
    expect(page.locator("g.node.doing, g.node.done").last).to_be_in_viewport(ratio=0.9)
    assert page.evaluate(LETTERS) < 20


def focused(page: Page) -> str:
    found: str = page.evaluate("document.activeElement.dataset.node ?? ''")
    return found


def test_arrow_keys_walk_the_drawing_in_order(reader: Reader, long_work: Work) -> None:
    page = reader.canvas(long_work)
    order = page.eval_on_selector_all("#nodes [data-node]", "all => all.map(n => n.dataset.node)")
    page.locator("#stage").click(position={"x": 5, "y": 5})
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Home")
    assert focused(page) == order[0]
    for wanted in order[1:]:
        page.keyboard.press("ArrowRight")
        assert focused(page) == wanted
        expect(page.locator(f"g.node[data-node='{wanted}']")).to_be_in_viewport(ratio=0.99)
    page.keyboard.press("ArrowRight")
    assert focused(page) == order[-1]
    page.keyboard.press("ArrowLeft")
    assert focused(page) == order[-2]
    page.keyboard.press("Home")
    page.keyboard.press("ArrowDown")
    below = page.locator(f"g.node[data-node='{focused(page)}']")
    expect(below).to_have_attribute("data-row", "1")
    page.keyboard.press("Enter")
    expect(page.locator("#node .node-id")).to_have_text(
        focused(page) or str(below.get_attribute("data-node"))
    )
    page.keyboard.press("Escape")
    expect(page.locator("#nodes")).to_be_visible()
    expect(below).to_be_focused()


def test_a_node_says_what_it_is_and_shows_that_it_is_reached(reader: Reader, work: Work) -> None:
    page = reader.canvas(work)
    page.keyboard.press("ArrowRight")
    node = page.locator(f"g.node[data-node='{focused(page)}']")
    expect(node).to_have_attribute("role", "button")
    label = page.locator(f"#nodes [data-node='{focused(page)}'] .node-label").inner_text()
    assert str(node.get_attribute("aria-label")).startswith(f"{label}, done, ")
    expect(node).to_have_css("outline-style", "solid")
    assert page.locator("#stage g.node[tabindex='0']").count() == 1


def test_a_new_drawing_keeps_the_keyboard_where_it_was(reader: Reader, work: Work) -> None:
    page = reader.canvas(work)
    expect(page.locator("#live")).to_have_attribute("data-state", "live")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Home")
    before, known = focused(page), page.locator("#stage g.node").count()
    work.go_on(3)
    until(page, "known => document.querySelectorAll('#stage g.node').length > known", known)
    assert focused(page) == before


def test_a_long_goal_can_be_read_in_full(sized: Reader, new_work: Work) -> None:
    new_work.prompt("Fix the parser. " + "Every word of this goal counts. " * 5)
    new_work.go_on(9)
    new_work.drawn()
    page = sized.canvas(new_work)
    goal = page.locator("#goal")
    assert goal.evaluate(
        "one => one.scrollWidth <= one.clientWidth && one.scrollHeight <= one.clientHeight + 1"
    )
    told = sized.stack.get(f"sessions/{new_work.id}/canvases/1").json()["task_goal"]
    whole = page.locator(".goal p")
    if whole.count():
        page.locator(".goal summary").click()
        expect(whole).to_be_visible()
        goal = whole
    assert " ".join(goal.inner_text().split()) == " ".join(told.split())


def test_a_new_drawing_moves_neither_the_zoomed_view_nor_the_scrolled_list(
    reader: Reader, long_work: Work
) -> None:
    page = reader.canvas(long_work)
    expect(page.locator("#live")).to_have_attribute("data-state", "live")
    page.locator("[data-zoom=in]").click()
    page.mouse.move(400, 500)
    page.mouse.wheel(0, -160)
    page.evaluate("document.querySelector('.side').scrollTop = 240")
    place = "node => document.querySelector(`#stage [data-node='${node}']`).getBoundingClientRect().y"
    middle = page.evaluate(
        """() => {
          const off = (node) => Math.abs(node.getBoundingClientRect().y - 500);
          const nodes = [...document.querySelectorAll("#stage g.node:not(.fold)")];
          return nodes.sort((one, other) => off(one) - off(other))[0].dataset.node;
        }"""
    )
    until(page, "() => sessionStorage.getItem(`view:${location.pathname}`)?.startsWith('[')")
    before, calls = page.evaluate(place, middle), page.locator("#figures .num").first.inner_text()
    long_work.go_on(2)
    long_work.drawn()
    until(page, "was => document.querySelector('#figures .num').textContent !== was", calls)
    told = drawn_ids(long_work)
    until(
        page,
        "ids => [...document.querySelectorAll('#stage g.node')].map((n) => n.dataset.node).sort().join() === ids",
        told,
    )
    assert middle in told.split(",")
    assert page.evaluate(place, middle) == pytest.approx(before, abs=3)
    assert page.evaluate("document.querySelector('.side').scrollTop") == 240


def drawn_ids(work: Work) -> str:
    nodes = work.stack.get(f"sessions/{work.id}/canvases/1").json()["nodes"]
    return ",".join(sorted(node["node_id"] for node in nodes))
