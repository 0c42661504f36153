from __future__ import annotations

from pipelines.mermaid import EdgeView, write_drawing
from tests.unit.mermaid.views import canvas, node


def test_status_is_class_mark_and_shape_and_never_a_word() -> None:
    shown = canvas(
        *[node(k, status=status) for k, status in enumerate(("done", "doing", "blocked", "paused"), 1)]
    )
    text = write_drawing(shown)
    declared = [line.strip() for line in text.splitlines() if "N" in line and '"' in line]
    assert len({line[6:8] for line in declared}) == 4
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


def test_every_arrow_goes_from_node_to_node() -> None:
    nodes = [node(k, phase_number=1 + k // 3, phase=f"phase {k // 3}") for k in range(1, 6)]
    text = write_drawing(canvas(*nodes))
    assert "subgraph" not in text
    links = [line.split() for line in text.splitlines() if "-->" in line]
    assert links == [[f"001-N{k}", "-->", f"001-N{k + 1}"] for k in range(1, 5)]


def test_an_edge_to_a_node_that_is_not_drawn_is_left_out() -> None:
    shown = canvas(
        node(1),
        node(2),
        node(3),
        edges=(EdgeView(source="001-N1", target="001-N3"), EdgeView(source="001-N1", target="001-N7")),
    )
    text = write_drawing(shown)
    assert "001-N1 --> 001-N3" in text
    assert "001-N7" not in text


def test_an_empty_canvas_is_a_drawing_without_nodes() -> None:
    assert write_drawing(canvas()) == "flowchart TB\n"
