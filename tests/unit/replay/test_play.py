"""Each figure of a replay, reckoned by hand on a list small enough to see."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from pipelines.l3.settings import Settings
from pipelines.l3.weights import PER_MESSAGE, Counter
from pipelines.messages.view import Raw
from pipelines.replay.evidence import evidence, message_text, used
from pipelines.replay.play import Played, Pricing, Scale, fitting_window, play
from pipelines.replay.policies import Clearing, Masking, Ours, Policy, Untouched
from pipelines.replay.recordings import Recording, plain

SCALE = Scale(Counter())


def exchange(number: int, result: str) -> list[Raw]:
    use = {"type": "tool_use", "id": f"c{number}", "name": "Read", "input": {"n": number}}
    answer = {"type": "tool_result", "tool_use_id": f"c{number}", "content": result}
    return [{"role": "assistant", "content": [use]}, {"role": "user", "content": [answer]}]


def recording(*results: str, last: str = "Done.") -> Recording:
    said = [{"role": "user", "content": "Mend the parser"}]
    said += [one for number, result in enumerate(results) for one in exchange(number, result)]
    return Recording(name="made", messages=plain([*said, {"role": "assistant", "content": last}]))


def played(one: Recording, policy: Policy, window: int = 8_000, **more: Any) -> Played:
    return play(one, policy, name="policy", window=window, scale=SCALE, pricing=Pricing(), **more)


def weights(one: Recording) -> list[int]:
    return [SCALE.counter.text(message_text(raw)) + PER_MESSAGE for raw in one.messages]


def test_a_turn_is_a_message_of_the_model_and_sends_all_before_it() -> None:
    one = recording("first", "second")
    tokens = weights(one)
    done = played(one, Untouched())
    assert done.turns == 3
    assert done.curve == [sum(tokens[:1]), sum(tokens[:3]), sum(tokens[:5])]
    assert done.tokens == sum(done.curve)


def test_what_was_sent_just_so_the_turn_before_is_billed_as_cached() -> None:
    one = recording("first", "second")
    tokens = weights(one)
    expected = 1.25 * tokens[0]
    expected += 0.1 * tokens[0] + 1.25 * sum(tokens[1:3])
    expected += 0.1 * sum(tokens[:3]) + 1.25 * sum(tokens[3:5])
    assert played(one, Untouched()).billed == pytest.approx(expected)


class Reversing:
    """A policy that changes the first message at each turn."""

    def __init__(self) -> None:
        self.asked = 0

    def see(self, messages: Sequence[Raw]) -> tuple[list[Raw], str]:
        self.asked += 1
        first = {"role": "user", "content": f"Mend the parser, {self.asked}"}
        return [first, *messages[1:]], "changed"


def test_what_stands_behind_a_change_is_billed_anew() -> None:
    done = played(recording("first", "second"), Reversing())
    assert done.billed == pytest.approx(1.25 * done.tokens)
    assert done.marks == {0: "changed", 1: "changed", 2: "changed"}


def test_evidence_is_what_looks_like_a_name_a_path_or_a_number() -> None:
    text = "The parser in src/app.py calls parse_header 123456 times, see parseBody. Short a_b; words do not count."
    assert evidence(text) == {"src/app.py", "parse_header", "123456", "parseBody"}


def test_recall_is_of_what_a_turn_uses_that_a_result_was_the_first_to_show() -> None:
    one = recording("src/app.py", "lib/log.py", last="Changed src/app.py, not lib/log.py nor etc/new.py.")
    assert sorted(used(one.messages)[5]) == [("lib/log.py", 4), ("src/app.py", 2)]
    assert played(one, Untouched()).recall == 1.0
    masked = played(one, Masking(keep=1))
    assert (masked.named, masked.shown) == (2, 1)


def test_what_a_person_named_first_is_nobodys_finding() -> None:
    said = [{"role": "user", "content": "Look at src/app.py"}, *exchange(0, "src/app.py")]
    one = Recording(
        name="made", messages=plain([*said, {"role": "assistant", "content": "src/app.py is fine"}])
    )
    assert used(one.messages)[3] == []


def test_far_is_more_than_twenty_messages_back() -> None:
    results = ["src/app.py", *["nothing"] * 9, "lib/log.py"]
    done = played(recording(*results, last="src/app.py lib/log.py"), Untouched())
    assert (done.named, done.named_far) == (2, 1)
    near = played(recording(*results[:9], last="src/app.py"), Untouched())
    assert (near.named, near.named_far) == (1, 0)


def test_a_list_larger_than_the_window_is_counted() -> None:
    one = recording("word " * 300, "word " * 300)
    assert played(one, Untouched(), window=400).over == 1
    assert played(one, Untouched(), window=800).over == 0


class Breaking:
    """A policy that leaves calls without their results."""

    def see(self, messages: Sequence[Raw]) -> tuple[list[Raw], str]:
        return [raw for raw in messages if "tool_result" not in str(raw)], ""


def test_a_list_that_a_provider_would_refuse_is_counted() -> None:
    assert played(recording("first", "second"), Breaking()).invalid == 2
    assert played(recording("first", "second"), Untouched()).invalid == 0


def test_clearing_begins_at_half_of_the_window_and_is_for_good() -> None:
    one = recording(*["word " * 100] * 8)
    done = played(one, Clearing(1_000, SCALE.weigh))
    assert done.marks
    assert min(done.marks) == next(
        turn for turn, tokens in enumerate(played(one, Untouched()).curve) if tokens > 500
    )
    assert max(done.curve) < 1_000


def test_ours_sends_less_and_shows_what_is_used() -> None:
    results = [f"src/part_{n}.py: def parse_{n}\n" + "and so on, line by line\n" * 60 for n in range(12)]
    one = recording(*results, last="Changed src/part_0.py and src/part_5.py.")
    ours = played(one, Ours(8_000, SCALE.counter, Settings()))
    raw = played(one, Untouched())
    assert ours.tokens < raw.tokens / 2
    assert ours.billed < raw.billed
    assert ours.recall == 1.0
    assert ours.invalid == ours.over == 0
    assert set(ours.marks.values()) == {"mild"}


def test_the_window_is_the_largest_that_the_session_outgrows() -> None:
    assert fitting_window(recording("word " * 11_000), SCALE) == 8_000
    assert fitting_window(recording("word " * 30_000), SCALE) == 16_000
    assert fitting_window(recording("short"), SCALE) == 8_000


def test_half_and_nearly_all_turns_take_no_longer_than_said() -> None:
    done = Played(policy="policy", window=1, seconds=[0.001] * 99 + [0.5])
    assert done.milliseconds[0] == pytest.approx(1)
    assert 1 <= done.milliseconds[1] < 500
    assert Played(policy="policy", window=1, seconds=[0.002]).milliseconds == (2, 2)
