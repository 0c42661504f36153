from __future__ import annotations

import pytest

from pipelines.l2 import CanvasView, advance, view
from pipelines.records import Act, Kind, Outcome, Step
from tests.unit.l2.making import edit, failing, folded, passing, plan, prompt, read, state, step

TEST = "resume_test.go"


def outline(*steps: Step, **more: object) -> list[tuple[str, str, int]]:
    return [(node.act, node.status, node.calls) for node in shown(*steps, **more).nodes]


def shown(*steps: Step, **more: object) -> CanvasView:
    return view(folded(*steps, **more))


def words(*steps: Step) -> list[str]:
    return [edge.label for edge in shown(*steps).edges]


def test_reads_in_a_row_are_one_node() -> None:
    assert outline(read(1, "a.go"), read(2, "b.go"), read(3, "c.go")) == [("explore", "doing", 3)]


def test_edits_of_one_aim_are_one_node_also_with_reads_between() -> None:
    steps = [edit(1, TEST), read(2, TEST), edit(3, TEST), read(4, TEST), edit(5, TEST)]
    assert outline(*steps) == [("change", "doing", 5)]


def test_reads_that_only_prepare_an_edit_of_the_same_file_belong_to_it() -> None:
    assert outline(read(1, TEST), edit(2, TEST)) == [("change", "doing", 2)]


def test_reads_of_other_files_stay_a_node_of_their_own() -> None:
    assert outline(read(1, "go.mod"), edit(2, TEST)) == [("explore", "done", 1), ("change", "doing", 1)]


def test_reads_and_edits_in_turn_become_one_node_each() -> None:
    steps = [step for k in range(1, 20, 2) for step in (read(k, f"src/a{k}.go"), edit(k + 1, "src/b.go"))]
    assert outline(*steps) == [("explore", "done", 10), ("change", "doing", 10)]


@pytest.mark.parametrize("check", ["go test ./cmd", "pytest -k resume"])
def test_a_failed_run_stands_alone_and_what_follows_is_a_fix(check: str) -> None:
    steps = [edit(1, TEST), failing(2, check), edit(3, TEST), passing(4, check)]
    assert [act for act, _, _ in outline(*steps)] == ["change", "test", "fix", "test"]
    assert [status for _, status, _ in outline(*steps)] == ["done", "blocked", "done", "doing"]
    assert words(*steps) == ["", "failed", ""]


def test_the_failed_run_stays_blocked_after_the_same_check_passes() -> None:
    nodes = shown(failing(1), edit(2, TEST), passing(3)).nodes
    assert [node.status for node in nodes] == ["blocked", "done", "doing"]


def test_edits_between_two_runs_of_a_check_are_one_attempt_whatever_the_files() -> None:
    steps = [failing(1), edit(2, "a/x.go"), edit(3, "b/y.go"), edit(4, "c/z.go"), failing(5)]
    assert outline(*steps) == [("test", "blocked", 1), ("fix", "done", 3), ("test", "blocked", 1)]


def test_the_same_failure_without_a_change_is_no_new_node() -> None:
    assert outline(failing(1), failing(2), failing(3)) == [("test", "blocked", 3)]


def test_failed_attempts_fold_into_one_dead_end_that_says_how_many() -> None:
    steps = [failing(1)]
    for k in range(2, 10, 2):
        steps += [edit(k, TEST), failing(k + 1)]
    steps += [edit(10, TEST), passing(11)]
    nodes = shown(*steps).nodes
    assert [node.act for node in nodes] == ["test", "fix", "fix", "test", "fix", "test"]
    fold = nodes[1]
    assert (fold.status, fold.dead_end, fold.folded, fold.calls) == ("blocked", True, 6, 6)
    assert "3 failed attempts" in fold.summary
    assert words(*steps) == ["failed", "dead end", "", "failed", ""]


def test_the_read_that_found_the_cause_stays_between_failed_attempts() -> None:
    steps = [failing(1), edit(2, TEST), failing(3), read(4, "rewind.go"), edit(5, TEST), failing(6)]
    steps += [edit(7, TEST), failing(8), edit(9, TEST), passing(10)]
    acts = [(node.act, node.folded) for node in shown(*steps).nodes]
    assert acts == [
        ("test", 0),
        ("fix", 2),
        ("explore", 0),
        ("fix", 2),
        ("fix", 0),
        ("test", 0),
        ("fix", 0),
        ("test", 0),
    ]


def test_green_checks_in_a_row_are_one_verification() -> None:
    steps = [edit(1, TEST), passing(2, "go test ./a"), passing(3, "go test ./...")]
    steps.append(step(4, Act.VERIFY, check="golangci-lint run", summary="0 issues"))
    assert outline(*steps) == [("change", "done", 1), ("verify", "doing", 3)]


def test_a_wider_pass_settles_the_narrow_check_that_failed() -> None:
    steps = [failing(1, "go test -run TestUserConfirms ./cmd"), edit(2, TEST)]
    assert not dict(folded(*steps, passing(3, "go test -run TestUser ./cmd")).open_checks)
    assert dict(folded(*steps, passing(3, "go test -run TestOther ./cmd")).open_checks)


def test_dependency_work_is_together_whenever_it_happened() -> None:
    deps = {"kind": Kind.EMPTY, "outcome": Outcome.UNKNOWN}
    steps = [
        step(1, Act.CHANGE, call="go get github.com/creack/pty", **deps),
        edit(2, TEST),
        step(3, Act.CHANGE, call="go mod tidy", **deps),
    ]
    nodes = shown(*steps).nodes
    assert [(node.label, node.calls) for node in nodes] == [
        ("change: go get github.com/creack/pty, go mod tidy", 2),
        ("change: resume_test.go", 1),
    ]


def test_declined_edits_are_counted_and_not_drawn() -> None:
    no = {"outcome": Outcome.DECLINED, "summary": "declined by the user: pass a function?"}
    node = shown(edit(1, TEST), edit(2, TEST, **no), edit(3, TEST)).nodes[0]
    assert node.counts == "2 edits, 1 declined"
    assert node.finding == "user: pass a function?"


def test_to_do_lists_go_with_the_node_they_accompany() -> None:
    steps = [edit(1, TEST), plan(2, "a", "b", done=1), edit(3, TEST)]
    state_now, places = advance(state(), steps)
    assert places[2] == places[1] != places[3]
    assert [node.calls for node in view(state_now).nodes] == [2, 1]


def test_a_plan_before_anything_else_joins_the_first_work() -> None:
    _, places = advance(state(), [plan(1, "look"), read(2, "a.go")])
    assert places == {1: 1, 2: 1}


def test_the_plan_names_the_phases() -> None:
    steps = [
        plan(1, "Add pty", "Test it"),
        edit(2, "go.sum"),
        plan(3, "Add pty", "Test it", done=1),
        edit(4, TEST),
    ]
    assert [node.phase for node in shown(*steps).nodes] == ["Add pty", "Test it"]


def test_a_prompt_names_a_phase_unless_it_only_agrees() -> None:
    prompts = [
        prompt("now write the docs page", 2),
        prompt("yes", 3),
        prompt("<command-name>/x</command-name>", 4),
    ]
    nodes = shown(
        read(1, "a"), edit(2, "docs/x.md"), edit(3, "docs/x.md"), edit(4, "docs/x.md"), prompts=prompts
    ).nodes
    assert [node.phase for node in nodes] == ["", "now write the docs page"]


def test_each_sub_agent_is_a_node() -> None:
    steps = [
        step(k, Act.DELEGATE, call=f"Task: look at part {k}", summary=f"part {k} is fine") for k in (1, 2, 3)
    ]
    assert [node.label for node in shown(*steps).nodes] == [f"delegate: look at part {k}" for k in (1, 2, 3)]


def test_a_change_that_is_taken_back_is_a_dead_end_and_the_work_goes_back() -> None:
    steps = [
        read(1, "a.go"),
        edit(2, "b.go"),
        step(3, Act.CHANGE, "b.go", call="git checkout -- b.go"),
        edit(4, "c.go"),
    ]
    now = shown(*steps)
    assert [(node.status, node.dead_end) for node in now.nodes[:3]] == [
        ("done", False),
        ("blocked", True),
        ("done", False),
    ]
    assert [(edge.source, edge.target, edge.label) for edge in now.edges if edge.dotted] == [
        ("001-N2", "001-N3", "dead end"),
        ("001-N3", "001-N1", "back to"),
    ]


def test_a_retry_of_a_failed_command_joins_it() -> None:
    steps = [
        step(1, Act.RUN, call="docker build .", outcome=Outcome.FAILED, summary="no space left"),
        step(2, Act.RUN, call="docker build . --no-cache", summary="built app:latest"),
    ]
    node = shown(*steps).nodes[0]
    assert (node.calls, node.status, node.finding) == (2, "doing", "built app:latest")
    assert node.counts == "2 runs, 1 failed"


def test_staging_and_looking_around_belong_to_a_delivery() -> None:
    steps = [
        step(1, Act.DELIVER, call="git commit -m x"),
        read(2, call="git status"),
        step(3, Act.DELIVER, call="git push"),
    ]
    assert outline(*steps) == [("deliver", "doing", 3)]
