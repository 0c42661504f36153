from __future__ import annotations

from typing import Any

import pytest

from canvases.models import Boundary, Canvas, CanvasRevision, OffloadEntry
from canvases.selectors.sessions import unmapped_entries
from canvases.services import drawings
from canvases.services.boundaries import boundaries_judge
from canvases.services.drawings import canvases_draw
from canvases.services.summaries import entries_write
from tests.conftest import Api, pair


def edit(number: int) -> dict[str, Any]:
    params = {"file_path": f"/p/shop_{number}.py", "old_string": "a", "new_string": f"b{number}"}
    return pair("The file has been updated.", tool_name="Edit", tool_call_id=f"e{number}", params=params)


def look(number: int) -> dict[str, Any]:
    return pair(
        f"notes {number}", tool_name="Read", tool_call_id=f"l{number}", params={"file_path": "/p/notes"}
    )


def drawn_calls() -> int:
    newest = [CanvasRevision.objects.get(canvas=row, number=row.revision) for row in Canvas.objects.all()]
    return sum(node["calls"] for revision in newest for node in revision.nodes)


def on_canvas() -> list[int]:
    return list(OffloadEntry.objects.exclude(canvas=None).order_by("seq").values_list("seq", flat=True))


def test_work_after_a_prompt_that_comes_while_earlier_work_is_drawn_is_drawn_once(
    alice: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice.prompt("Fix the rounding in the shop module")
    alice.pairs(*map(edit, range(3)))
    pk = alice.session().pk
    state_of = drawings.canvas_state

    def meanwhile(canvas: Canvas) -> Any:
        if Boundary.objects.count() == 1:
            alice.prompt("Now write the release notes for the parser")
            alice.pairs(*map(edit, range(10, 14)))
            entries_write(pk)
        return state_of(canvas)

    monkeypatch.setattr(drawings, "canvas_state", meanwhile)
    alice.process()
    assert drawn_calls() == 7
    first, second = Boundary.objects.order_by("first_seq")
    assert (first.drawn_through, second.drawn_through) == (3, 7)


@pytest.mark.parametrize("work", [edit, look])
def test_pairs_that_come_after_the_summaries_were_made_are_not_passed_over(alice: Api, work: Any) -> None:
    alice.prompt("Fix the rounding in the shop module")
    pk = alice.session().pk
    entries_write(pk)
    alice.pairs(*map(work, range(4)))
    alice.prompt("Now write the release notes for the parser")
    boundaries_judge(pk)
    canvases_draw(pk)
    alice.process()
    assert on_canvas() == [1, 2, 3, 4]
    assert drawn_calls() == 4


def test_a_last_pair_that_comes_after_the_summaries_were_made_is_drawn_too(alice: Api) -> None:
    alice.prompt("Fix the rounding in the shop module")
    alice.pairs(edit(1))
    pk = alice.session().pk
    entries_write(pk)
    boundaries_judge(pk)
    alice.pairs(edit(2))
    alice.prompt("Now write the release notes for the parser")
    canvases_draw(pk)
    alice.process()
    assert on_canvas() == [1, 2]
    assert unmapped_entries(alice.session()) == 0


def test_a_short_question_between_two_tasks_is_on_the_canvas_of_neither(alice: Api) -> None:
    alice.prompt("Fix the rounding in the shop module")
    alice.pairs(edit(1), edit(2))
    alice.prompt("By the way, what do the notes say?")
    alice.pairs(look(3))
    alice.prompt("Write a parser for the invoice format")
    alice.pairs(edit(4))
    entries_write(alice.session().pk)
    assert unmapped_entries(alice.session()) == 4
    alice.process()
    assert on_canvas() == [1, 2, 4]
    assert drawn_calls() == 3
    assert unmapped_entries(alice.session()) == 0
