"""A real Chromium in front of the whole running product."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.stack import Stack, wait_for

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
GOAL = "Fix the failing parser tests in the repository and make all of the checks pass"


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip("Chromium is not installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def product(tmp_path_factory: pytest.TempPathFactory, chromium: Browser) -> Iterator[Stack]:
    """The running product; it starts only where there is a browser to look at it."""
    stack = Stack(tmp_path_factory.mktemp("browser") / "home")
    stack.start()
    yield stack
    stack.stop()


def until(page: Page, script: str, value: Any = None) -> None:
    """Wait until the script is true in the page. Chromium's own polling needs `eval`, which the pages forbid."""
    wait_for(lambda: page.evaluate(script, value), script)


class Reader:
    """A person who is logged in, in a browser that notes whatever goes wrong."""

    def __init__(self, browser: Browser, stack: Stack, **options: Any) -> None:
        options = {"viewport": {"width": 1440, "height": 900}, **options}
        self.context: BrowserContext = browser.new_context(**options)
        self.stack = stack
        self.wrong: list[str] = []
        self.context.on("request", self._seen)
        self.context.on("console", lambda said: said.type == "error" and self.wrong.append(said.text))
        self.context.on("weberror", lambda raised: self.wrong.append(f"{raised.error}"))
        self.context.on("dialog", lambda dialog: self.wrong.append(f"dialog {dialog.message}"))
        page = self.context.new_page()
        page.goto(stack.url(urlsplit(stack.manage("login_link")).path))
        page.close()

    def _seen(self, request: Any) -> None:
        if not request.url.startswith((self.stack.url("/"), "data:")):
            self.wrong.append(f"asked {request.url}")

    def open(self, path: str) -> Page:
        page = self.context.new_page()
        page.set_default_timeout(10_000)
        page.goto(self.stack.url(path))
        return page

    def canvas(self, work: Work, query: str = "") -> Page:
        """Open a canvas and wait until it is drawn."""
        page = self.open(work.canvas + query)
        page.wait_for_selector("#stage g.node[data-node]")
        return page


class Work:
    """A session of its own, on which an agent works."""

    numbers = itertools.count(1)

    def __init__(self, stack: Stack) -> None:
        self.stack = stack
        self.id = f"work-{next(self.numbers)}"
        self.calls = 0

    def prompt(self, text: str = GOAL) -> None:
        self.stack.post(f"sessions/{self.id}/prompts", {"prompt": text}).raise_for_status()

    def post(self, *pairs: dict[str, Any]) -> None:
        answer = self.stack.post(f"sessions/{self.id}/tool-pairs", {"tool_pairs": list(pairs)})
        assert answer.status_code == 202, answer.text
        self.calls += len(pairs)

    def go_on(self, calls: int = 1) -> None:
        """Post calls of an ordinary task, each about another file."""
        self.post(*[_call(place) for place in range(self.calls, self.calls + calls)])

    def drawn(self) -> None:
        """Wait until everything posted is on the canvas."""
        wait_for(lambda: self.stack.settled(self.id), "the canvas", self.stack.output)

    @property
    def number(self) -> int:
        return int(self.stack.get(f"sessions/{self.id}").json()["number"])

    @property
    def page(self) -> str:
        return f"/sessions/{self.number}/"

    @property
    def canvas(self) -> str:
        return f"{self.page}canvases/1/"


def _call(place: int) -> dict[str, Any]:
    kinds = [
        (
            "Read",
            {"file_path": f"/repo/src/module_{place}.py"},
            f"def parse_{place}(text):\n    return text\n" * 20,
        ),
        (
            "Edit",
            {"file_path": f"/repo/src/module_{place}.py", "old_string": "a", "new_string": "b"},
            "edited",
        ),
        (
            "Bash",
            {"command": f"pytest tests/test_{place}.py"},
            f"tests/test_{place}.py .\n1 passed in 0.1s\n",
        ),
    ]
    name, params, result = kinds[place % 3]
    return {"tool_name": name, "tool_call_id": f"call-{place}", "params": params, "result": result}


@pytest.fixture
def work(product: Stack) -> Work:
    """A drawn session."""
    made = Work(product)
    made.prompt()
    made.go_on(9)
    made.drawn()
    return made


@pytest.fixture
def new_work(product: Stack) -> Work:
    return Work(product)


@pytest.fixture
def reader(chromium: Browser, product: Stack) -> Iterator[Reader]:
    """A reader whose browser must not have complained by the end."""
    person = Reader(chromium, product)
    yield person
    person.context.close()
    assert person.wrong == []
