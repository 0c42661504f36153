from __future__ import annotations

import time

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Reader, Work, until
from tests.stack import Stack


def node_ids(page: Page) -> list[str]:
    ids: list[str] = page.eval_on_selector_all(
        "#stage g.node[data-node]", "all => all.map(n => n.dataset.node)"
    )
    return sorted(ids)


def transform(page: Page) -> str:
    text: str = page.eval_on_selector(".world", "world => world.style.transform")
    return text


def scale(page: Page) -> str:
    return transform(page).split("scale")[1]


def test_every_node_of_the_list_is_drawn_once(reader: Reader, work: Work) -> None:
    page = reader.canvas(work)
    listed = page.eval_on_selector_all("#nodes [data-node]", "all => all.map(n => n.dataset.node)")
    assert node_ids(page) == sorted(listed)
    assert len(listed) > 2


def test_a_node_shows_its_calls_and_a_call_its_raw_result(reader: Reader, work: Work) -> None:
    page = reader.canvas(work)
    node = page.locator("#stage g.node[data-node]").first
    wanted = node.get_attribute("data-node")
    node.click()
    expect(page.locator("#node .node-id")).to_have_text(str(wanted))
    assert page.url.endswith(f"?node={wanted}")
    expect(page.locator("#stage g.node.chosen")).to_have_attribute("data-node", str(wanted))
    page.locator("#node a.call").first.click()
    expect(page.locator("#result .line").first).to_be_visible()
    expect(page.locator(".badge")).to_contain_text("verified")
    page.locator(f".crumbs a:has-text('{wanted}')").click()
    expect(page.locator("#node .node-id")).to_have_text(str(wanted))


def test_back_and_forward_walk_through_the_choices(reader: Reader, work: Work) -> None:
    page = reader.canvas(work)
    first, second = node_ids(page)[:2]
    page.locator(f"g.node[data-node='{first}']").click()
    expect(page.locator("#node .node-id")).to_have_text(first)
    page.locator(f"g.node[data-node='{second}']").click()
    expect(page.locator("#node .node-id")).to_have_text(second)
    page.go_back()
    expect(page.locator("#node .node-id")).to_have_text(first)
    page.go_back()
    expect(page.locator("#nodes")).to_be_visible()
    expect(page.locator("#node")).to_be_hidden()
    page.go_forward()
    expect(page.locator("#node .node-id")).to_have_text(first)


def test_the_keys_walk_open_and_close(reader: Reader, work: Work) -> None:
    page = reader.canvas(work)
    page.locator("#stage g.node[tabindex='0']").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#node")).to_be_visible()
    opened = page.locator("#node .node-id").text_content()
    expect(page.locator("#node .all")).to_be_focused()
    page.keyboard.press("j")
    expect(page.locator("#node .node-id")).not_to_have_text(str(opened))
    page.keyboard.press("k")
    expect(page.locator("#node .node-id")).to_have_text(str(opened))
    page.keyboard.press("Escape")
    expect(page.locator("#nodes")).to_be_visible()
    assert "node=" not in page.url
    page.keyboard.press("?")
    expect(page.locator("#help")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#help")).to_be_hidden()


def test_a_new_call_appears_within_two_seconds_and_the_view_stays(reader: Reader, work: Work) -> None:
    page = reader.canvas(work)
    expect(page.locator("#live")).to_have_attribute("data-state", "live")
    chosen = node_ids(page)[1]
    page.locator(f"#nodes [data-node='{chosen}']").click()
    expect(page.locator("#node .node-id")).to_have_text(chosen)
    page.locator("[data-zoom=in]").click()
    page.evaluate("window.sameDocument = true")
    kept, known = scale(page), node_ids(page)
    before = page.locator(f"g.node[data-node='{chosen}']").bounding_box()
    started = time.monotonic()
    work.go_on(3)
    until(page, "known => document.querySelectorAll('#stage g.node').length > known", len(known))
    assert time.monotonic() - started < 2
    assert page.evaluate("window.sameDocument")
    assert scale(page) == kept
    after = page.locator(f"g.node[data-node='{chosen}']").bounding_box()
    assert before is not None
    assert after is not None
    assert abs(before["x"] - after["x"]) < 2
    assert abs(before["y"] - after["y"]) < 2
    expect(page.locator("g.node.chosen")).to_have_attribute("data-node", chosen)
    expect(page.locator("#node .node-id")).to_have_text(chosen)
    expect(page.locator("#figures .num").first).to_have_text("12")


def test_two_tabs_follow_the_same_work(reader: Reader, work: Work) -> None:
    pages = [reader.canvas(work), reader.canvas(work)]
    known = len(node_ids(pages[0]))
    work.go_on(3)
    for page in pages:
        page.bring_to_front()
        until(page, "known => document.querySelectorAll('#stage g.node').length > known", known)


def test_a_burst_of_calls_ends_in_the_newest_drawing(reader: Reader, work: Work) -> None:
    page = reader.canvas(work)
    for _ in range(12):
        work.go_on(1)
    work.drawn()
    told = reader.stack.get(f"sessions/{work.id}/canvases/1").json()["nodes"]
    wanted = sorted(node["node_id"] for node in told)
    for place in ("#stage g.node", "#nodes [data-node]"):
        until(
            page,
            """([place, wanted]) => wanted.join() ===
              [...document.querySelectorAll(place)].map((node) => node.dataset.node).sort().join()""",
            [place, wanted],
        )
    expect(page.locator("#figures .num").first).to_have_text("21")


def test_a_paused_page_stands_still_until_it_is_let_go(reader: Reader, work: Work) -> None:
    page = reader.canvas(work)
    page.locator("#live").click()
    expect(page.locator("#live")).to_have_attribute("data-state", "paused")
    work.go_on(3)
    work.drawn()
    page.wait_for_timeout(800)
    expect(page.locator("#figures .num").first).to_have_text("9")
    page.locator("#live").click()
    expect(page.locator("#figures .num").first).to_have_text("12")


def test_a_reload_keeps_node_and_view(reader: Reader, work: Work) -> None:
    page = reader.canvas(work)
    chosen = node_ids(page)[0]
    page.locator(f"#nodes [data-node='{chosen}']").click()
    page.locator("[data-zoom=out]").click()
    kept = transform(page)
    page.reload()
    page.wait_for_selector("#stage g.node.chosen")
    assert transform(page) == kept
    expect(page.locator("#node .node-id")).to_have_text(chosen)


def middle(page: Page, selector: str) -> tuple[float, float]:
    box = page.locator(selector).first.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_wheel_reads_on_and_with_control_zooms_at_the_pointer(reader: Reader, work: Work) -> None:
    page = reader.canvas(work)
    node = page.locator("#stage g.node").first
    x, y = middle(page, "#stage g.node")
    page.mouse.move(x, y)
    kept, was = scale(page), transform(page)
    page.mouse.wheel(0, 40)
    until(page, "was => document.querySelector('.world').style.transform !== was", was)
    assert middle(page, "#stage g.node") == (pytest.approx(x, abs=1), pytest.approx(y - 40, abs=1))
    assert scale(page) == kept
    box, was = node.bounding_box(), transform(page)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -300)
    page.keyboard.up("Control")
    until(page, "was => document.querySelector('.world').style.transform !== was", was)
    grown = node.bounding_box()
    assert box is not None
    assert grown is not None
    assert grown["width"] > box["width"]
    assert abs(grown["x"] + grown["width"] / 2 - x) < 3


def test_dragging_pans_without_choosing_and_f_shows_the_whole(reader: Reader, work: Work) -> None:
    page = reader.canvas(work)
    x, y = middle(page, "#stage g.node")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y + 40, steps=5)
    page.mouse.up()
    assert middle(page, "#stage g.node") == (pytest.approx(x + 60, abs=3), pytest.approx(y + 40, abs=3))
    assert "node=" not in page.url
    page.keyboard.press("f")
    expect(page.locator("#stage g.node").first).to_be_in_viewport(ratio=0.99)
    expect(page.locator("#stage g.node").last).to_be_in_viewport(ratio=0.99)


def test_revisions_are_walked_by_keys_slider_and_links(reader: Reader, work: Work) -> None:
    work.go_on(12)
    work.drawn()
    page = reader.canvas(work)
    newest = int(page.locator("#revisions").get_attribute("data-newest") or 0)
    nodes = len(node_ids(page))
    page.keyboard.press("[")
    expect(page.locator("#revisions output")).to_contain_text(f"revision {newest - 1} of {newest}")
    assert f"rev={newest - 1}" in page.url
    page.locator("#rev").fill("1")
    expect(page.locator("#revisions output")).to_contain_text(f"revision 1 of {newest}")
    until(page, "nodes => document.querySelectorAll('#stage g.node').length < nodes", nodes)
    work.go_on(3)
    expect(page.locator("#revisions .to-newest")).to_contain_text("newer")
    expect(page.locator("#revisions output")).to_contain_text("revision 1 of")
    page.locator("#revisions .to-newest").click()
    until(page, "nodes => document.querySelectorAll('#stage g.node').length >= nodes", nodes)
    assert "rev=" not in page.url


def test_the_drawing_appears_by_itself_where_there_was_none(reader: Reader, new_work: Work) -> None:
    new_work.prompt()
    page = reader.open(new_work.page)
    expect(page.locator("h2").first).to_have_text("No canvas is drawn yet")
    new_work.go_on(6)
    page.wait_for_selector("#stage g.node[data-node]", timeout=20_000)
    assert "/canvases/1/" in page.url


def test_the_last_good_drawing_stays_when_a_new_one_fails(reader: Reader, work: Work) -> None:
    page = reader.canvas(work)
    known = node_ids(page)
    page.route("**/canvases/1/**", lambda route: spoil(route))
    work.go_on(3)
    expect(page.locator(".stage-note.warn")).to_contain_text("could not be drawn")
    assert node_ids(page) == known
    assert page.locator("body > svg, body > div[id^=d]").count() == 0


def spoil(route: object) -> None:
    answer = route.fetch()  # type: ignore[attr-defined]
    text = answer.text().replace("flowchart TB", "flowchart TB\n ((( &quot;")
    route.fulfill(response=answer, body=text)  # type: ignore[attr-defined]


def test_without_script_the_list_and_the_calls_are_there(
    chromium: Browser, product: Stack, work: Work
) -> None:
    person = Reader(chromium, product, java_script_enabled=False)
    page = person.open(work.canvas)
    page.locator("#nodes a[data-node]").first.click()
    expect(page.locator("#node .calls a.call").first).to_be_visible()
    page.locator("#node .all").click()
    expect(page.locator("#nodes")).to_be_visible()
    page.locator("#nodes a[data-node]").first.click()
    page.locator("#node .calls a.call").first.click()
    expect(page.locator("#result .line").first).to_be_visible()
    person.context.close()


def test_with_the_server_away_a_click_leaves_the_list_where_it_was(reader: Reader, work: Work) -> None:
    page = reader.canvas(work)
    page.route("**/*", lambda route: route.abort())
    page.locator("#stage g.node[data-node]").first.click()
    until(page, "document.body.innerText.includes('may be old')")
    assert page.locator("#nodes").is_visible()
    page.close()
    reader.wrong.clear()


def test_an_opened_node_takes_the_lists_place(reader: Reader, work: Work) -> None:
    page = reader.canvas(work)
    page.locator("#stage g.node[data-node]").first.click()
    page.wait_for_selector("#node a")
    assert not page.locator("#nodes").is_visible()
