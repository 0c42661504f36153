from __future__ import annotations

import pytest

from pipelines.mermaid import EdgeView, write_drawing
from pipelines.mermaid.rows import rows
from tests.unit.mermaid.views import canvas, node


def shape(*sizes: int, earlier: int = 0) -> list[int]:
    nodes = [node(0, act="earlier", phase_number=place) for place in range(earlier)]
    for phase, size in enumerate(sizes, 1):
        nodes += [node(0, phase_number=phase) for _ in range(size)]
    return [len(row.nodes) for row in rows(nodes)]


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ((1,), [1]),
        ((1, 2), [3]),
        ((3, 3), [3, 3]),
        ((5,), [2, 3]),
        ((9,), [3, 3, 3]),
        ((1, 1, 1, 1, 1), [4, 1]),
    ],
)
def test_phases_become_rows_of_about_equal_length(sizes: tuple[int, ...], expected: list[int]) -> None:
    assert shape(*sizes) == expected


def test_folded_stretches_have_rows_of_their_own() -> None:
    assert shape(1, earlier=2) == [2, 1]


def test_a_row_has_the_names_of_its_phases() -> None:
    nodes = [node(1, phase="Add pty", phase_number=1), node(2, phase="Write helper", phase_number=2)]
    assert [row.title for row in rows(nodes)] == ["Add pty · Write helper"]


def test_status_is_class_mark_and_shape_and_never_a_word() -> None:
    shown = canvas(
        *[node(k, status=status) for k, status in enumerate(("done", "doing", "blocked", "paused"), 1)]
    )
    text = write_drawing(shown)
    declared = [
        line.strip() for line in text.splitlines() if "N" in line and '"' in line and "row" not in line
    ]
    assert len({line[7:9] for line in declared}) == 4
    assert not any("status" in line for line in declared)
    assert "class 001-N3 blocked;" in text
    assert "style" not in text
    assert "fill" not in text


def test_a_node_has_at_most_three_lines() -> None:
    shown = canvas(node(1, label="fix: " + "word " * 40, finding="found " * 40, counts="3 edits"))
    line = next(line for line in write_drawing(shown).splitlines() if "001-N1[" in line)
    assert line.count("<br/>") == 2


def declared(label: str) -> str:
    drawing = write_drawing(canvas(node(1, label=label, summary="")))
    return next(line for line in drawing.splitlines() if line.strip().startswith("001-N1["))


def test_wide_characters_take_their_room() -> None:
    assert declared("fix: " + "修 复 " * 40).count("修") < declared("fix: " + "a b " * 40).count("a")


def test_a_long_name_keeps_both_ends() -> None:
    line = declared("test: TestResume_LocalLogNewerTimestamp_UserConfirmsOverwrite")
    assert "TestResume" in line
    assert "Overwrite" in line


def test_links_between_rows_go_from_row_to_row() -> None:
    nodes = [node(k, phase_number=1 + k // 3) for k in range(1, 6)]
    outside = write_drawing(canvas(*nodes)).rsplit("    end\n", 1)[1]
    assert "row0 --> row1" in outside
    assert "-N1 -->" not in outside


def test_a_graph_that_is_no_chain_is_drawn_without_rows() -> None:
    shown = canvas(
        node(1),
        node(2),
        node(3),
        edges=(EdgeView(source="001-N1", target="001-N3"), EdgeView(source="001-N1", target="001-N7")),
    )
    text = write_drawing(shown)
    assert "subgraph" not in text
    assert "001-N1 --> 001-N3" in text
    assert "001-N7" not in text


def test_an_empty_canvas_is_a_drawing_without_nodes() -> None:
    assert write_drawing(canvas()) == "flowchart TB\n"
