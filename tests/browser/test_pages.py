from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Reader, Work
from tests.stack import Stack

CONTRAST = """() => {
  const channel = (v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (colour, under) => {
    canvas.fillStyle = `rgb(${under})`; canvas.fillRect(0, 0, 1, 1);
    canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const ground = (element) => {
    const chain = [];
    for (let one = element; one; one = one.parentElement) chain.unshift(getComputedStyle(one).backgroundColor);
    return chain.reduce((under, colour) => rgba(colour, under), [255, 255, 255]);
  };
  const poor = [];
  for (const element of document.querySelectorAll("main *, .bar *")) {
    const own = [...element.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || !element.checkVisibility() || element.closest("svg, .heard, [aria-hidden=true], .no, .skip")) continue;
    const under = ground(element);
    const [a, b] = [light(rgba(getComputedStyle(element).color, under)), light(under)];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) poor.push(`${ratio.toFixed(2)} ${element.className} ${element.textContent.trim().slice(0, 30)}`);
  }
  return poor;
}"""


@pytest.fixture(params=["light", "dark"])
def themed(request: pytest.FixtureRequest, chromium: Browser, product: Stack) -> Iterator[Reader]:
    person = Reader(chromium, product, color_scheme=request.param)
    yield person
    person.context.close()
    assert person.wrong == []


@pytest.fixture
def phone(chromium: Browser, product: Stack) -> Iterator[Reader]:
    screen = {"width": 390, "height": 844}
    person = Reader(chromium, product, viewport=screen, has_touch=True, is_mobile=True)
    yield person
    person.context.close()
    assert person.wrong == []


PATHS = [
    "/sessions/",
    "{page}timeline/",
    "{page}timeline/?q=read",
    "{page}canvases/1/",
    "{page}canvases/1/?node=001-N1",
    "{page}entries/1/",
    "/health/",
    "/storage/",
]


@pytest.mark.parametrize("path", PATHS)
def test_text_stands_out_from_its_ground_in_both_themes(themed: Reader, work: Work, path: str) -> None:
    page = themed.open(path.format(page=work.page))
    page.wait_for_timeout(300)
    assert page.evaluate(CONTRAST) == []


def test_the_theme_follows_the_system(themed: Reader, work: Work) -> None:
    page = themed.canvas(work)
    dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    ground = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    label = page.evaluate("getComputedStyle(document.querySelector('#stage .node .object')).color")
    assert (brightness(ground) < 60) == dark
    assert (brightness(label) > 180) == dark


def brightness(colour: str) -> float:
    return sum(map(float, re.findall(r"[\d.]+", colour)[:3])) / 3


@pytest.mark.parametrize("path", [*PATHS, "/login/"])
def test_no_page_is_wider_than_a_phone(phone: Reader, work: Work, path: str) -> None:
    page = phone.open(path.format(page=work.page))
    page.wait_for_timeout(300)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_on_a_phone_the_node_comes_up_as_a_sheet(phone: Reader, work: Work) -> None:
    page = phone.canvas(work)
    page.locator("#nodes [data-node]").first.tap()
    sheet = page.locator("#node")
    expect(sheet).to_be_visible()
    box = sheet.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] == pytest.approx(844, abs=2)
    page.locator("#node .close").tap()
    expect(sheet).to_be_hidden()


def test_a_new_session_joins_the_list_by_itself(reader: Reader, new_work: Work) -> None:
    page = reader.open("/sessions/")
    expect(page.locator("h1")).to_have_text("Sessions")
    new_work.go_on(1)
    expect(page.locator(f"tr:has-text('{new_work.id}')")).to_be_visible()


def test_the_timeline_follows_the_work(reader: Reader, work: Work) -> None:
    page = reader.open(f"{work.page}timeline/")
    expect(page.locator("#rows .call")).to_have_count(9)
    work.go_on(2)
    expect(page.locator("#rows .call")).to_have_count(11)
    expect(page.locator("#news")).to_contain_text("11 calls shown")


def test_more_of_a_long_timeline_is_loaded_in_place(reader: Reader, new_work: Work) -> None:
    new_work.prompt()
    new_work.go_on(120)
    page = reader.open(f"{new_work.page}timeline/")
    while page.locator("a.more").count():
        page.locator("a.more").click()
        page.wait_for_timeout(200)
    seqs = page.eval_on_selector_all("#rows .seq", "all => all.map((one) => one.textContent)")
    assert seqs == [f"#{n}" for n in range(1, 121)]


def test_a_copy_button_copies_the_whole_value(reader: Reader, work: Work) -> None:
    reader.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = reader.open(f"{work.page}entries/1/")
    page.get_by_label("Copy the hash").click()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert re.fullmatch("[0-9a-f]{64}", copied)


def test_j_and_k_walk_from_call_to_call(reader: Reader, work: Work) -> None:
    page = reader.open(f"{work.page}entries/2/")
    page.keyboard.press("j")
    page.wait_for_url("**/entries/3/")
    page.keyboard.press("k")
    page.wait_for_url("**/entries/2/")


def test_a_hidden_page_lets_its_stream_go(reader: Reader, work: Work) -> None:
    page = reader.canvas(work)
    expect(page.locator("#live")).to_have_attribute("data-state", "live")
    hide(page, "hidden")
    work.go_on(3)
    work.drawn()
    page.wait_for_timeout(600)
    expect(page.locator("#figures .num").first).to_have_text("9")
    hide(page, "visible")
    expect(page.locator("#figures .num").first).to_have_text("12")


def hide(page: Page, state: str) -> None:
    page.evaluate(
        """state => {
          Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
          Object.defineProperty(document, "hidden", { value: state === "hidden", configurable: true });
          document.dispatchEvent(new Event("visibilitychange"));
        }""",
        state,
    )


def test_without_a_stream_the_page_asks_now_and_then(chromium: Browser, product: Stack, work: Work) -> None:
    person = Reader(chromium, product)
    person.context.route("**/events*", lambda route: route.abort())
    page = person.canvas(work)
    expect(page.locator("#live")).to_have_attribute("data-state", "polling")
    work.go_on(3)
    expect(page.locator("#figures .num").first).to_have_text("12", timeout=8000)
    person.context.close()


def test_who_is_logged_out_elsewhere_is_sent_to_log_in(reader: Reader, work: Work) -> None:
    page = reader.canvas(work)
    reader.context.clear_cookies()
    work.go_on(1)
    page.wait_for_url("**/login/?next=/sessions/**")
    reader.wrong.clear()


def test_the_timeline_is_filtered_and_the_address_keeps_the_words(reader: Reader, work: Work) -> None:
    page = reader.open(f"{work.page}timeline/")
    field = page.get_by_role("searchbox")
    field.fill("edit module_4")
    field.press("Enter")
    expect(page.locator("#rows .call")).to_have_count(1)
    expect(page.locator("#rows .seq")).to_have_text("#5")
    page.reload()
    expect(page.locator("#rows .call")).to_have_count(1)
    expect(page.get_by_role("searchbox")).to_have_value("edit module_4")
    page.locator("#rows .call").click()
    page.go_back()
    expect(page.locator("#rows .call")).to_have_count(1)
    page.locator(".filter a").click()
    expect(page.locator("#rows .call")).to_have_count(9)


def test_a_filtered_timeline_follows_the_work_and_keeps_what_is_being_typed(
    reader: Reader, work: Work
) -> None:
    page = reader.open(f"{work.page}timeline/?q=module_10.py")
    expect(page.locator("#none")).to_contain_text("No call has all of these words")
    expect(page.locator("#live")).to_have_attribute("data-state", "live")
    page.get_by_role("searchbox").fill("half a wor")
    work.go_on(3)
    expect(page.locator("#rows .call")).to_have_count(1)
    expect(page.locator("#none")).not_to_contain_text("No call")
    expect(page.get_by_role("searchbox")).to_have_value("half a wor")


def test_the_whole_of_a_long_prompt_is_a_click_away(reader: Reader, new_work: Work) -> None:
    new_work.prompt("Fix the parser. " + "word " * 2000 + "the end")
    new_work.go_on(1)
    page = reader.open(f"{new_work.page}timeline/")
    expect(page.locator(".prompt")).not_to_contain_text("the end")
    page.get_by_role("link", name="The whole prompt").click()
    expect(page.locator("body")).to_contain_text("the end")


def test_the_api_page_is_readable_in_the_dark_and_leads_back(chromium: Browser, product: Stack) -> None:
    person = Reader(chromium, product, color_scheme="dark")
    page = person.open("/api/v1/docs")
    page.locator(".opblock-summary-control").first.wait_for()
    for place in range(4):
        page.locator(".opblock-summary-control").nth(place).click()
    expect(page.locator(".opblock-body .renderedMarkdown").first).to_be_visible()
    expect(page.locator(".swagger-ui .errors-wrapper")).to_have_count(0)
    poor = [one for one in page.evaluate(CONTRAST) if float(one.split()[0]) < 3]
    assert poor == []
    page.locator(".bar nav a").first.click()
    expect(page.locator("h1")).to_have_text("Sessions")
    assert person.wrong == []
    person.context.close()
