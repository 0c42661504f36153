"""When a step pays: what a cached beginning costs to change, against what every later turn saves."""

from __future__ import annotations

from pipelines.l3.price import best_start


def test_what_was_never_sent_is_replaced_at_once() -> None:
    assert best_start([(0, 10), (3, 50)], [], turns=0) == 0


def test_nothing_to_save_is_no_step() -> None:
    assert best_start([], [100, 100], turns=20) is None


def test_a_small_saving_far_back_waits() -> None:
    assert best_start([(0, 50)], [100, 5_000], turns=20) is None


def test_the_same_saving_near_the_end_is_made() -> None:
    assert best_start([(1, 50)], [5_000, 100], turns=20) == 1


def test_the_more_turns_are_to_come_the_smaller_a_saving_pays() -> None:
    sent = [1_000, 1_000]
    assert best_start([(0, 300)], sent, turns=5) is None
    assert best_start([(0, 300)], sent, turns=200) == 0


def test_a_saving_further_back_comes_along_when_the_end_changes_anyway() -> None:
    assert best_start([(2, 400), (1, 150)], [1_000, 300, 500], turns=20) == 1


def test_a_saving_too_far_back_is_left_when_only_the_end_pays() -> None:
    assert best_start([(2, 400), (0, 60)], [100, 9_000, 500], turns=20) == 2
