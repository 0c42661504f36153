from __future__ import annotations

from tests.browser.conftest import Reader, Work, until

MARK = "() => document.querySelector('#stage svg[id^=drawing]').dataset.mark = 'kept'"
MARKED = "() => document.querySelector('#stage svg[id^=drawing]').dataset.mark === 'kept'"
HEARD = (
    "version => [...document.querySelectorAll('[data-version]')].some(one => one.dataset.version >= version)"
)


def test_a_change_that_draws_nothing_new_leaves_the_picture_in_place(reader: Reader, work: Work) -> None:
    page = reader.canvas(work)
    page.evaluate(MARK)
    for text in ("thanks", "ok, go on"):
        work.prompt(text)
        work.drawn()
        version = reader.stack.get(f"sessions/{work.id}").json()["version"]
        until(page, HEARD, version)
        assert page.evaluate(MARKED)
    work.go_on(3)
    work.drawn()
    until(page, "() => !document.querySelector('#stage svg[id^=drawing]').dataset.mark")
