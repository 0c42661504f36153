from __future__ import annotations

import pytest

from pipelines.l2 import view
from pipelines.mermaid import NodeView
from pipelines.records import Act, Kind, Outcome, Step
from tests.unit.l2.making import edit, failing, folded, passing, read, step


def only(*steps: Step) -> NodeView:
    nodes = view(folded(*steps)).nodes
    assert len(nodes) == 1
    return nodes[0]


@pytest.mark.parametrize(
    ("steps", "label"),
    [
        ([read(1, "cmd/cli/strategy/rewind.go:10-40")], "explore: strategy/rewind.go"),
        ([read(1, "cmd/cli/root.go")], "explore: cli/root.go"),
        ([read(1, "pty|term", "go.mod")], "explore: pty|term in go.mod"),
        ([read(k, f"src/core/file_number{k}.py") for k in range(1, 7)], "explore: 6 files in src/core"),
        (
            [read(k, f"src/core/file_number{k % 10}.py") for k in range(1, 31)],
            "explore: 10 files in src/core",
        ),
        ([read(1, "src/core"), read(2, "src/core/parser_of_text.py")], "explore: parser_of_text.py"),
        ([edit(1, "b/resume_test.go", "RunInteractive")], "change: RunInteractive in resume_test.go"),
        ([edit(1, "438a134b-7cde-47ae-85b3-c4057bd2551e", "ENT-98")], "change: ENT-98"),
        ([failing(1, "go test -run TestResume_User -tags integration ./cmd/x")], "test: TestResume_User"),
        (
            [failing(1, "go test -tags integration ./cmd/cli/integration_test")],
            "test: go test integration_test",
        ),
        ([passing(1, "mise run lint")], "test: mise run lint"),
        ([step(1, Act.DELEGATE, call="Task: review the plan")], "delegate: review the plan"),
        ([read(1, "订单/处理.py")], "explore: 订单/处理.py"),
        ([step(1, Act.RUN, call="make deploy")], "run: make deploy"),
    ],
)
def test_a_label_names_what_the_calls_share(steps: list[Step], label: str) -> None:
    assert only(*steps).label == label


def test_a_change_is_named_by_what_is_new_in_it() -> None:
    steps = [
        read(1, "a/resume_test.go", "RunForce"),
        edit(2, "a/resume_test.go", "RunForce", "RunInteractive"),
    ]
    assert only(*steps).label == "change: RunInteractive in resume_test.go"


@pytest.mark.parametrize(
    ("steps", "summary"),
    [
        (
            [
                edit(1, "a.py", call="Edit a.py (+14 −2)", summary="changed a.py (+14 −2) at lines 3–9"),
                edit(2, "a.py", call="Edit a.py (+1)", summary="changed a.py (+1) at lines 3–9; with parse"),
            ],
            "2 edits +15 −2",
        ),
        (
            [edit(1, "a.py", summary="changed a.py (+1) at lines 3–9: ACCESSIBLE=1")],
            "1 edit; ACCESSIBLE=1",
        ),
        ([step(1, Act.RUN, call="true", kind=Kind.EMPTY, summary="no output")], ""),
        (
            [step(1, Act.DELIVER, summary="[main 38a965e] docs: link it; 1 file changed, 2 insertions(+)")],
            "commit 38a965e on main; 1 file changed, 2 insertions(+)",
        ),
        (
            [step(1, Act.DELIVER, summary="commit 2803a61 on main: gui: add; a window; 4 files (+9)")],
            "commit 2803a61 on main; 4 files (+9)",
        ),
        ([read(1, "a.py", summary="lines 4–40; defines parse")], "defines parse"),
        (
            [failing(1, first_error="--- FAIL: TestA (0.1s): timeout", failed=1, passed=2)],
            "timeout (TestA); 1 failed, 2 passed",
        ),
        ([passing(1, summary="passed: 12 passed", passed=12)], "12 passed"),
        (
            [passing(1, "mise run lint", summary="[lint] $ golangci-lint run ./...; 0 issues.")],
            "0 issues",
        ),
    ],
)
def test_a_summary_states_a_finding_and_no_boilerplate(steps: list[Step], summary: str) -> None:
    assert only(*steps).summary == summary


def test_a_failed_run_is_never_summarised_as_success() -> None:
    node = only(failing(1, first_error="", summary="exit status 1"))
    assert node.status == "blocked"
    assert "passed" not in node.summary


def test_a_search_that_found_nothing_does_not_hide_what_was_found_before() -> None:
    found = read(1, "a.py", summary="3 lines for 'x': a, b", kind=Kind.SEARCH)
    nothing = read(2, "b.py", summary="No matches found", kind=Kind.SEARCH)
    assert only(found, nothing).finding == "3 lines for 'x': a, b"


def test_a_change_that_never_worked_is_blocked() -> None:
    node = only(edit(1, "a.py", outcome=Outcome.FAILED, summary="old_string not found"))
    assert (node.status, node.summary) == ("blocked", "1 failed; old_string not found")
