from __future__ import annotations

import time

import pytest

from tests.unit.l1.calls import ran

BODY = "import json\nfrom pathlib import Path\n\n# read the totals\ntotals = json.load(open('t.json'))\nprint(totals)"


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (f'python -c "{BODY}"', "python -c (6 lines): totals = json.load(open('t.json'))"),
        (f"cd /r && python3 - <<'PY'\n{BODY}\nPY", "python3 - (6 lines): totals = json.load(open('t.json'))"),
        (f"python <<PY | head -5\n{BODY}\nPY", "python (6 lines): totals = json.load(open('t.json'))"),
        ('python -c "print(1)"', 'python -c "print(1)"'),
        ("node -e \"const a = 1;\nconsole.log('x')\"", "node -e (2 lines): const a = 1;"),
        (
            'node -e \'import fs from "fs";\nfs.readFileSync("a")\'',
            'node -e (2 lines): fs.readFileSync("a")',
        ),
        (f"cat > src/a.py <<'EOF'\n{BODY}\nEOF", "write src/a.py from a heredoc (6 lines)"),
        (f"cat <<EOF > src/a.py\n{BODY}\nEOF\n", "write src/a.py from a heredoc (6 lines)"),
        (f"cat <<EOF >> src/a.py\n{BODY}\nEOF\n", "append to src/a.py from a heredoc (6 lines)"),
        (f"tee conf.toml <<EOF\n{BODY}\nEOF\n", "write conf.toml from a heredoc (6 lines)"),
        (
            f"mkdir -p src && cat > src/a.py <<'EOF'\n{BODY}\nEOF\npython src/a.py",
            "mkdir -p src && write src/a.py from a heredoc (6 lines) ; python src/a.py",
        ),
        (
            "psql app <<SQL\n-- count\nselect count(*) from t;\nSQL",
            "psql app (2 lines): select count(*) from t;",
        ),
        ("git commit -m \"$(cat <<'EOF'\nMend\n\nBody\nEOF\n)\"", 'git commit -m "$(cat <<… )"'),
        ("sh -c 'a' <<", "sh -c 'a' <<"),
    ],
)
def test_a_script_inside_a_command_is_named_by_its_size_and_its_first_telling_statement(
    command: str, name: str
) -> None:
    assert ran(command).tool_call == name


@pytest.mark.parametrize(
    "piece", ['python -c "', "<<EOF\n", "cat > a <<E\n", "node -e '\n", "python - <<P\nx\nP\n"]
)
def test_naming_a_hostile_command_takes_no_time(piece: str) -> None:
    started = time.perf_counter()
    ran(piece * 20_000)
    assert time.perf_counter() - started < 0.3
