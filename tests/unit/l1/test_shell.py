from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.l1.commands import read_shell
from pipelines.l1.splitting import split_commands
from pipelines.records import Act


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a b && c | d; e", [("a", "b"), ("c",), ("d",), ("e",)]),
        ("grep 'a|b && c' f", [("grep", "a|b && c", "f")]),
        ('echo "a \\" b"', [("echo", 'a " b')]),
        ("ls 2>/dev/null >out.txt", [("ls",)]),
        ("cat <<'EOF' > a.py\nx && y\nEOF\npython a.py", [("cat",), ("python", "a.py")]),
        ("find . -exec grep -l x {} \\;", [("find", ".", "-exec", "grep", "-l", "x", "{}", ";")]),
        ("a # a comment; b\nc", [("a",), ("c",)]),
        ("echo 'never closed", [("echo", "never closed")]),
        ("echo $(date; ls) x", [("echo", "$(date; ls)", "x")]),
        ("a \\\n  b", [("a", "b")]),
        ("", []),
    ],
)
def test_a_shell_text_splits_into_its_commands(text: str, words: list[tuple[str, ...]]) -> None:
    assert [command.words for command in split_commands(text)] == words


@given(st.text(alphabet="ab '\"\\$`(){}<>|&;\n#-", max_size=60) | st.text())
def test_no_text_breaks_the_splitting(text: str) -> None:
    assert isinstance(read_shell(text).check, str)
    assert all(command.words or command.writes for command in split_commands(text))


@pytest.mark.parametrize(
    ("command", "act"),
    [
        ("git status", Act.EXPLORE),
        ("git log --oneline -5 && git diff HEAD", Act.EXPLORE),
        ("cd /r && ls -la | head -20", Act.EXPLORE),
        ("sed -n '1,20p' a.py", Act.EXPLORE),
        ("rg -n foo src | sort | uniq -c", Act.EXPLORE),
        ("gh pr view 12", Act.EXPLORE),
        ("npm ls react", Act.EXPLORE),
        ("python --version", Act.EXPLORE),
        ("sed -i 's/a/b/' a.py", Act.CHANGE),
        ("cat > a.py <<EOF\nx\nEOF", Act.CHANGE),
        ("echo x >> notes.md", Act.CHANGE),
        ("go mod tidy", Act.CHANGE),
        ("npm install left-pad", Act.CHANGE),
        ("pip install -e .", Act.CHANGE),
        ("git add -A", Act.CHANGE),
        ("ruff format .", Act.CHANGE),
        ("mkdir -p a && mv b a/", Act.CHANGE),
        ("python job.py --fast", Act.RUN),
        ("./deploy-local", Act.RUN),
        ("cat > /tmp/x.py <<EOF\nprint(1)\nEOF\npython /tmp/x.py", Act.RUN),
        ("pytest -q", Act.TEST),
        ("python -m pytest tests", Act.TEST),
        (".venv/bin/python -m unittest", Act.TEST),
        ("python manage.py test app", Act.TEST),
        ("poetry run pytest", Act.TEST),
        ("npm test", Act.TEST),
        ("npm run test:unit -- --watch=false", Act.TEST),
        ("npx vitest run", Act.TEST),
        ("cargo test --all", Act.TEST),
        ("mvn -q test", Act.TEST),
        ("./gradlew :app:test", Act.TEST),
        ("make test", Act.TEST),
        ("mise run test:integration", Act.TEST),
        ("bundle exec rspec", Act.TEST),
        ("go vet ./... && go test ./...", Act.TEST),
        ("bash -lc 'cd /r && go test ./...'", Act.TEST),
        ("timeout 60 env A=1 pytest", Act.TEST),
        ("go build ./...", Act.VERIFY),
        ("npx tsc --noEmit", Act.VERIFY),
        ("npm run lint && npm run build", Act.VERIFY),
        ("ruff check . && ruff format --check .", Act.VERIFY),
        ("mypy src", Act.VERIFY),
        ("make", Act.VERIFY),
        ("git commit -m 'x'", Act.DELIVER),
        ("pytest -q && git commit -am x && git push", Act.DELIVER),
        ("gh pr create --fill", Act.DELIVER),
        ("npm publish", Act.DELIVER),
        ("", Act.RUN),
    ],
)
def test_a_command_is_judged_by_its_most_telling_part(command: str, act: Act) -> None:
    assert read_shell(command).act is act


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "go test -run TestResume ./cmd",
            "cd /r && go test ./cmd -run=TestResume -v -count=1 -timeout 60s 2>&1 | tail -50",
        ),
        ("pytest tests/a.py", "PYTHONPATH=. .venv/bin/python -m pytest -xvs --tb=short tests/a.py | head"),
        ("pytest", "poetry run pytest -q --color=no"),
        ("npm test", "npm run test --silent"),
        ("npm run check", "cd web && npm run check 2>&1 | grep error"),
        ("npx vitest run", "npx vitest --reporter=dot"),
        ("cargo test -p core", "RUST_BACKTRACE=1 cargo test -p core -- --nocapture"),
        ("./gradlew test", "gradle test --info"),
        ("ruff check src", "uv run ruff check src --output-format concise"),
        ("pytest tests/a.py", "cd /r && pytest /r/tests/a.py"),
    ],
)
def test_two_runs_of_the_same_check_are_equal(one: str, other: str) -> None:
    assert read_shell(one).check == read_shell(other).check != ""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("go test -run TestA ./cmd", "go test -run TestB ./cmd"),
        ("pytest tests/a.py", "pytest tests/b.py"),
        ("pytest -k a", "pytest -k b"),
        ("npm test", "npm run lint"),
        ("go test ./...", "go vet ./..."),
        ("go test -tags=e2e ./...", "go test ./..."),
    ],
)
def test_different_checks_stay_apart(one: str, other: str) -> None:
    assert read_shell(one).check != read_shell(other).check


@pytest.mark.parametrize("command", ["ls", "git commit -m x", "python job.py", "npm install x"])
def test_what_checks_nothing_has_no_check(command: str) -> None:
    assert read_shell(command).check == ""
