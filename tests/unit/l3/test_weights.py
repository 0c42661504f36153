"""Counting: each text once, in this process or another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from pipelines import tokens
from pipelines.l3 import weights
from pipelines.l3.weights import Counter
from pipelines.messages.dialects import views
from pipelines.messages.view import View

LONG = "def parse(text): return text\n" * 40


class Kept:
    """Counts that other processes know."""

    def __init__(self) -> None:
        self.counts: dict[bytes, int] = {}
        self.asked = 0

    def get(self, keys: Sequence[bytes]) -> list[int | None]:
        self.asked += len(keys)
        return [self.counts.get(key) for key in keys]

    def put(self, counts: Mapping[bytes, int]) -> None:
        self.counts |= counts


def listed(*texts: str) -> list[View]:
    return views([{"role": "user", "content": text} for text in texts])


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that were counted."""
    count, texts = tokens.count, []

    def noted(text: str, **more: object) -> int:
        texts.append(text)
        return count(text, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(tokens, "count", noted)
    return texts


def test_a_text_is_counted_once(counted: list[str]) -> None:
    counter = Counter()
    said = listed(LONG, "short", LONG)
    assert counter.total(said) == counter.total(said) == counter.of_list().total(said)
    assert sorted(counted) == sorted([LONG, "short"])


def test_what_another_process_counted_is_not_counted_again(counted: list[str]) -> None:
    shared = Kept()
    said = listed(LONG, LONG + "more", "short")
    first = Counter(shared=shared)
    first.learn(said)
    total = first.total(said)
    counted.clear()
    other = Counter(shared=shared)
    other.learn(said)
    assert other.total(said) == total
    assert counted == ["short"]


def test_a_short_text_is_counted_and_not_asked_for() -> None:
    shared = Kept()
    Counter(shared=shared).learn(listed("x" * (weights.SHARED_FROM - 1)))
    assert (shared.asked, shared.counts) == (0, {})


def test_what_this_process_knows_is_not_asked_for() -> None:
    shared = Kept()
    counter = Counter(shared=shared)
    counter.total(listed(LONG))
    counter.learn(listed(LONG))
    assert shared.asked == 0


def test_without_shared_counts_nothing_is_missing() -> None:
    counter = Counter()
    counter.learn(listed(LONG))
    assert counter.total(listed(LONG)) == tokens.count(LONG) + weights.PER_MESSAGE


def test_the_heuristic_asks_nobody() -> None:
    shared = Kept()
    counter = Counter(mode=tokens.Mode.HEURISTIC, shared=shared)
    counter.learn(listed(LONG))
    assert shared.asked == 0
    assert counter.text(LONG) == tokens.count(LONG, mode=tokens.Mode.HEURISTIC) != tokens.count(LONG)


def test_encodings_count_apart() -> None:
    text = "你好，世界" * 4
    assert Counter(encoding="cl100k_base").text(text) == tokens.count(text, encoding="cl100k_base")
    assert Counter().text(text) == tokens.count(text) != tokens.count(text, encoding="cl100k_base")


def test_no_more_counts_are_remembered_than_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weights, "_KEPT", 10)
    counter = Counter()
    for number in range(50):
        counter.text(f"a text with the number {number}")
    assert len(counter._known) == 10
