from __future__ import annotations

import pytest

from pipelines.l2 import view
from pipelines.records import Act, Step
from tests.unit.l2.making import edit, failing, folded, passing, plan, read, step


def commit(seq: int) -> Step:
    return step(seq, Act.DELIVER, call="git commit -m done")


def looks(first: int, end: int) -> list[Step]:
    return [read(k, f"src/{k}.go") for k in range(first, end)]


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ([], 0),
        ([read(1, "a.go")], 5),
        ([edit(1, "a.go")], 50),
        ([edit(1, "a.go"), failing(2)], 60),
        ([edit(1, "a.go"), failing(2), edit(3, "a.go"), passing(4)], 90),
        ([edit(1, "a.go"), passing(2), commit(3)], 100),
        ([edit(1, "a.go"), failing(2, "npm run e2e"), commit(3)], 60),
        ([edit(1, "a.go"), failing(2, "npm run e2e"), passing(3, "go vet"), *looks(4, 40), commit(40)], 90),
        ([edit(1, "a.go"), passing(2), edit(3, "b.go")], 50),
        ([plan(1, "a", "b", "c", "d", done=1), read(2, "a.go")], 25),
        ([plan(1, "a", done=1), edit(2, "a.go")], 95),
        ([plan(1, "a", done=1), edit(2, "a.go"), passing(3)], 100),
        ([plan(1, "a", done=1), edit(2, "a.go"), failing(3)], 95),
        ([plan(1, "a", done=1), edit(2, "a.go"), failing(3, "npm run e2e"), passing(4, "go vet")], 95),
    ],
)
def test_progress_follows_the_plan_or_what_was_reached(steps: list[Step], expected: int) -> None:
    assert view(folded(*steps)).progress == expected


def test_a_finished_canvas_has_nothing_doing() -> None:
    now = view(folded(edit(1, "a.go"), passing(2), commit(3)))
    assert now.status == "done"
    assert {node.status for node in now.nodes} == {"done"}
