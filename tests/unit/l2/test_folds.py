from __future__ import annotations

import json
import re
import time

import pytest

from pipelines.l2 import advance, drawn_node, members, node_id, view
from pipelines.mermaid import write_text
from pipelines.records import Act, Step
from tests.unit.l2.making import edit, failing, folded, passing, plan, prompt, read, state, step


def rounds(count: int, check: str = "pytest") -> list[Step]:
    steps = []
    for k in range(count):
        steps += [edit(4 * k + 1, f"pkg{k}/a.py"), passing(4 * k + 2, check), read(4 * k + 3, f"pkg{k}/b.py")]
        steps.append(step(4 * k + 4, Act.DELIVER, call=f"git commit -m {k}"))
    return steps


def test_old_stretches_become_chapters_that_say_what_they_hold() -> None:
    now = folded(*rounds(20), max_nodes=12)
    first = view(now).nodes[0]
    assert first.act == "earlier"
    assert first.label.startswith("earlier: ")
    assert " steps, " in first.summary
    assert " calls" in first.summary
    assert first.folded == sum(hi - lo + 1 for lo, hi in members(now, now.nodes[0].k)) - inner_folds(now)


def inner_folds(now: object) -> int:
    chapter = now.nodes[0]  # type: ignore[attr-defined]
    return sum(chapter.lo <= k <= chapter.hi for k in now.folds[::3])  # type: ignore[attr-defined]


def test_recent_nodes_keep_their_detail() -> None:
    nodes = view(folded(*rounds(20), max_nodes=12)).nodes
    assert [node.folded for node in nodes[-4:]] == [0, 0, 0, 0]


def test_an_open_failure_stays_in_sight_while_others_fold() -> None:
    steps = [failing(1, "npm run e2e"), *[one for one in rounds(12) if one.seq > 1]]
    nodes = view(folded(*steps, max_nodes=12)).nodes
    assert any(node.label == "test: npm run e2e" and node.status == "blocked" for node in nodes)


def test_a_chapter_takes_its_name_from_the_plan() -> None:
    steps = [plan(1, "Port the parser", "Rest"), *[one for one in rounds(3) if one.seq > 1]]
    steps += [plan(13, "Port the parser", "Rest", done=1), *[one for one in rounds(10) if one.seq > 13]]
    labels = [node.label for node in view(folded(*steps, max_nodes=10)).nodes]
    assert any(label in ("earlier: Port the parser", "earlier: Rest") for label in labels)


def test_a_number_given_before_a_fold_leads_to_the_fold_after_it() -> None:
    steps = rounds(30)
    now, places = advance(state(), steps, max_nodes=10)
    drawn = {node.node_id for node in view(now).nodes}
    early = places[1]
    assert node_id(1, early) not in drawn
    assert node_id(1, drawn_node(now, early)) in drawn
    assert members(now, early) == [(early, early)]


def test_a_chapter_that_ended_in_failure_is_not_shown_as_done() -> None:
    steps = [edit(1, "a/x.py"), failing(2, "pytest x"), edit(3, "b/y.py"), failing(4, "pytest x")]
    fresh = [prompt("now another thing entirely", 5)]
    now = folded(*steps, *[one for one in rounds(9) if one.seq > 4], prompts=fresh, max_nodes=2)
    assert view(now).nodes[0].finding in ("delivered", "checks pass")
    now = folded(*steps, *[read(k, f"src/{k}.py") for k in range(5, 9)], prompts=fresh, max_nodes=2)
    assert (view(now).nodes[0].status, view(now).nodes[0].finding) == ("blocked", "check failing")


def test_stretches_fold_before_words_get_too_short_to_read() -> None:
    steps = []
    for k in range(1, 200, 2):
        name = f"folder/with_quite_a_long_name_for_a_file_of_this_project_{k}.py"
        steps += [
            read(k, name, summary="what was found there is told in a long sentence " * 3),
            failing(k + 1, f"pytest {name}"),
        ]
    for size in range(20, 120):
        text = write_text(view(folded(*steps[:size])))
        labels = re.findall(r"\[\"((?:explore|test): .*?)<br/>", text)
        words = re.findall(r"summary: ([^\"]*)", text)
        assert len(text) <= 4000
        assert len(words) == text.count("status: ")
        assert min(map(len, words[1:])) >= 13
        assert min(map(len, labels)) >= 45


def test_canvases_beyond_999_have_longer_numbers() -> None:
    assert node_id(1, 7) == "001-N7"
    assert node_id(1234, 56789) == "1234-N56789"


@pytest.mark.parametrize("budget", [{}, {"max_nodes": 6}])
def test_ten_thousand_steps_stay_small_and_quick(budget: dict[str, int]) -> None:
    steps = [
        read(k, f"p{k % 500}/f{k}.go") if k % 3 else failing(k, f"go test ./p{k % 50}")
        for k in range(1, 10_001)
    ]
    began = time.perf_counter()
    now, _ = advance(
        state(), steps, [prompt(f"look at part number {k}", k) for k in range(1, 10_000, 50)], **budget
    )
    assert time.perf_counter() - began < 20
    assert len(json.dumps(now.to_json())) < 120_000
