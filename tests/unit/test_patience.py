from __future__ import annotations

import pytest

from canvases import patience


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(patience.time, "monotonic", lambda: now[0])
    return now


def ask(one: patience.Patience, clock: list[float], seconds: float, *, fails: bool) -> None:
    try:
        with one.asking():
            clock[0] += seconds
            if fails:
                raise OSError
    except OSError:
        assert fails


def test_one_who_answers_or_refuses_at_once_is_always_asked(clock: list[float]) -> None:
    one = patience.Patience()
    for fails in (False, True, True):
        ask(one, clock, 0.01, fails=fails)
        assert one.is_left()
    ask(one, clock, 3, fails=False)
    assert one.is_left()


def test_one_who_lets_wait_is_asked_by_one_caller_in_a_while_until_it_answers(clock: list[float]) -> None:
    one = patience.Patience()
    ask(one, clock, 3, fails=True)
    assert not one.is_left()
    clock[0] += patience.REST_SECONDS
    assert [one.is_left() for _ in range(3)] == [True, False, False]
    ask(one, clock, 3, fails=True)
    assert not one.is_left()
    clock[0] += patience.REST_SECONDS
    assert one.is_left()
    ask(one, clock, 0.01, fails=False)
    assert all(one.is_left() for _ in range(3))
