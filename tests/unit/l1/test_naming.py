from __future__ import annotations

import pytest

from tests.unit.l1.calls import row

PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n+z\n*** Add File: b.py\n+1\n*** End Patch"


@pytest.mark.parametrize(
    ("tool", "params", "name"),
    [
        ("Read", {"file_path": "cmd/resume.go", "offset": 40, "limit": 81}, "Read cmd/resume.go:40-120"),
        ("read_file", {"path": "a.py"}, "Read a.py"),
        ("str_replace_editor", {"command": "view", "path": "a.py", "view_range": [1, 9]}, "Read a.py:1-9"),
        (
            "str_replace_editor",
            {"command": "create", "path": "a.py", "file_text": "x\ny\n"},
            "Write a.py (2 lines)",
        ),
        ("Write", {"file_path": "a.py", "content": "x"}, "Write a.py (1 line)"),
        ("Edit", {"file_path": "a.py", "old_string": "x\ny", "new_string": "x\nz\nw"}, "Edit a.py (+2 −1)"),
        ("edit", {"path": "a.py", "oldText": "x", "newText": "y"}, "Edit a.py (+1 −1)"),
        (
            "MultiEdit",
            {
                "file_path": "a.py",
                "edits": [{"old_string": "x", "new_string": "y"}, {"old_string": "p", "new_string": ""}],
            },
            "Edit a.py (+1 −2)",
        ),
        ("Grep", {"pattern": "foo", "path": "src/"}, 'Grep "foo" in src/'),
        ("Grep", {"pattern": "foo", "glob": "*.go"}, 'Grep "foo" (*.go)'),
        ("Glob", {"pattern": "**/*.py"}, "Glob **/*.py"),
        (
            "Bash",
            {"command": "cd /r && go test -run TestX ./cmd 2>&1 | tail -50"},
            "go test -run TestX ./cmd",
        ),
        ("shell", {"command": ["bash", "-lc", "cd x; ls -la"]}, "ls -la"),
        ("shell", {"command": ["git", "commit", "-m", "two words"]}, "git commit -m 'two words'"),
        ("exec_command", {"cmd": "pwd"}, "pwd"),
        ("bash", "ls", "ls"),
        ("bash", '{"command": "ls"}', "ls"),
        ("apply_patch", {"input": PATCH}, "Patch a.py, new b.py (+3 −1)"),
        ("apply_patch", PATCH, "Patch a.py, new b.py (+3 −1)"),
        ("shell", {"command": ["apply_patch", PATCH]}, "Patch a.py, new b.py (+3 −1)"),
        ("Bash", {"command": f"apply_patch <<'EOF'\n{PATCH}\nEOF"}, "Patch a.py, new b.py (+3 −1)"),
        (
            "Bash",
            {"command": "cat > a.py <<'EOF'\nlong body\nEOF\npython a.py"},
            "write a.py from a heredoc (1 line) ; python a.py",
        ),
        ("WebSearch", {"query": "how to x"}, 'Web search "how to x"'),
        ("WebFetch", {"url": "https://a.b/c", "prompt": "p"}, "Fetch https://a.b/c"),
        (
            "Task",
            {"description": "Find callers", "prompt": "p", "subagent_type": "Explore"},
            "Task: Find callers (Explore)",
        ),
        (
            "TodoWrite",
            {"todos": [{"content": "A", "status": "completed"}, {"content": "B", "status": "pending"}]},
            "TodoWrite: 1/2 done, next: B",
        ),
        ("mcp__tracker__get_issue", {"id": "A-1"}, "tracker get_issue id=A-1"),
        (
            "book_flight",
            {"user": "u1", "legs": [{}, {}], "fast": True},
            "book_flight user=u1 legs=[2] fast=true",
        ),
        ("mystery", None, "mystery"),
        ("mystery", [1, 2], "mystery value=1,2"),
        ("", None, "tool"),
    ],
)
def test_a_call_is_named_as_a_person_would(tool: str, params: object, name: str) -> None:
    assert row(tool, params).tool_call == name


def test_long_paths_lose_their_head() -> None:
    path = "/home/someone/projects/worktrees/feature-x/src/pkg/module/file.py"
    assert row("Read", {"file_path": path}).tool_call == "Read …/worktrees/feature-x/src/pkg/module/file.py"


def test_a_long_chain_is_named_by_its_telling_part() -> None:
    files = " ".join(f"src/module_{n}.py" for n in range(20))
    command = f"git add {files} && git commit -m \"$(cat <<'EOF'\nMend the reader\n\nBody.\nEOF\n)\""
    assert row("Bash", {"command": command}).tool_call == '… && git commit -m "Mend the reader"'


def test_a_name_fits_whatever_the_parameters() -> None:
    for params in (
        "x" * 9_999,
        {"command": "y" * 9_999},
        {"path": "/z" * 9_999},
        {"k" * 999: "v"},
        {"pattern": "错" * 999},
    ):
        for tool in ("bash", "read", "Grep", "edit", "write", "Task", "unknown" * 99):
            assert len(row(tool, params).tool_call) <= 150
