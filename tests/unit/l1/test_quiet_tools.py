from __future__ import annotations

import pytest

from pipelines.records import Outcome
from tests.unit.l1.calls import ran, row

LONG = "y" * 200


@pytest.mark.parametrize(
    ("command", "log", "said"),
    [
        (
            "python -m compileall hourly tests",
            "Listing 'hourly'...\nCompiling 'hourly/__init__.py'...\nCompiling 'hourly/a.py'...\nListing 'tests'...\n",
            "compiled 2 files, no errors",
        ),
        ("python -m compileall hourly", "Listing 'hourly'...\n", "nothing left to compile, no errors"),
        (
            "pip install -r requirements.txt",
            "Requirement already satisfied: a in ./v (1.0)\nRequirement already satisfied: b in ./v (2.0)\n",
            "2 requirements already satisfied",
        ),
        (
            "make",
            (
                "make[1]: Entering directory '/r/src'\nmake[1]: Nothing to be done for 'all'.\n"
                "make[1]: Leaving directory '/r/src'\n"
            ),
            "make[1]: Nothing to be done for 'all'.",
        ),
        (
            "git pull",
            (
                "remote: Enumerating objects: 5, done.\nremote: Counting objects: 100% (5/5), done.\n"
                "remote: Total 3 (delta 1), reused 3 (delta 1)\nUnpacking objects: 100% (3/3), 1.2 KiB, done.\n"
                f"From git.example:{LONG}/r\n   1a2b3c4..5d6e7f8  main -> origin/main\nUpdating 1a2b3c4..5d6e7f8\n"
                "Fast-forward\n a.py | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n"
            ),
            "1 file (+1 −1): a.py",
        ),
        (
            "docker pull redis:7",
            (
                "7: Pulling from library/redis\naa11bb22cc33: Pulling fs layer\naa11bb22cc33: Download complete\n"
                f"aa11bb22cc33: Pull complete\nDigest: sha256:{'0a' * 32}\nStatus: Downloaded newer image for redis:7\n"
                f"docker.io/library/redis:7\n{LONG}\n"
            ),
            "Status: Downloaded newer image for redis:7",
        ),
        (
            "apt-get install -y jq",
            (
                "Reading package lists...\nThe following NEW packages will be installed:\n  jq libjq1\n"
                "0 upgraded, 2 newly installed, 0 to remove and 3 not upgraded.\nNeed to get 500 kB of archives.\n"
                "Get:1 http://deb.example/main jq 1.6\nFetched 500 kB in 1s\n"
                "Selecting previously unselected package jq.\n"
                "Preparing to unpack .../jq.deb ...\nUnpacking jq (1.6) ...\nSetting up jq (1.6) ...\n"
                "Processing triggers for man-db ...\n"
            ),
            "0 upgraded, 2 newly installed",
        ),
        (
            "terraform apply -auto-approve",
            (
                "aws_vpc.main: Refreshing state... [id=vpc-1]\naws_vpc.main: Still creating... [10s elapsed]\n"
                f"aws_vpc.main: Creation complete after 12s [id=vpc-1]\n{LONG}\n"
                "Apply complete! Resources: 1 added, 0 changed, 0 destroyed.\n"
            ),
            "Apply complete! Resources: 1 added, 0 changed, 0 destroyed.",
        ),
        (
            "kubectl rollout status deploy/web",
            'Waiting for deployment "web" rollout to finish: 1 of 3 updated...\n' * 4
            + 'deployment "web" successfully rolled out\n',
            'deployment "web" successfully rolled out',
        ),
        (
            "cargo build",
            (
                "    Updating crates.io index\n   Compiling a v0.1.0 (/r)\n"
                "    Finished `dev` profile [unoptimized + debuginfo] target(s) in 0.5s\n"
            ),
            "Finished `dev` profile",
        ),
        (
            "npm install",
            (
                "\nadded 3 packages, and audited 4 packages in 2s\n\n1 package is looking for funding\n"
                "  run `npm fund` for details\n\nfound 0 vulnerabilities\n"
            ),
            "added 3 packages",
        ),
    ],
)
def test_a_quiet_tools_result_is_told_without_what_it_prints_each_time(
    command: str, log: str, said: str
) -> None:
    found = ran(command, log)
    assert said in found.summary
    assert found.facts.outcome is not Outcome.FAILED
    for noise in (
        "Listing",
        "Enumerating",
        "Pulling fs",
        "Entering",
        "Selecting",
        "Refreshing",
        "Waiting",
        "Updating c",
    ):
        assert noise not in found.summary


def test_a_compile_error_is_not_taken_for_a_quiet_run() -> None:
    log = "Listing 'hourly'...\nCompiling 'hourly/a.py'...\n*** Error compiling 'hourly/a.py'...\n"
    log += '  File "hourly/a.py", line 1\n    def (\n        ^\nSyntaxError: invalid syntax\n'
    found = ran("python -m compileall hourly", log, is_error=True)
    assert found.facts.outcome is Outcome.FAILED
    assert "no errors" not in found.summary


@pytest.mark.parametrize("gutter", ["{:6d}→", "{:6d}\t", "{}|", "{:4d} | ", "{}: ", "{:4d}│ "])
@pytest.mark.parametrize("lines", [["[rounding]", "# half a minute or more counts", "minutes = 'half_up'"]])
def test_a_small_file_is_told_by_its_lines_without_gutter_and_comment_marks(
    gutter: str, lines: list[str]
) -> None:
    shown = "\n".join(gutter.format(at) + line for at, line in enumerate(lines, start=1))
    found = row("Read", {"file_path": "billing.toml"}, shown)
    assert found.summary == "3 lines: [rounding]; half a minute or more counts; minutes = 'half_up'"


def test_a_file_of_imports_is_told_by_what_follows_them() -> None:
    text = "package x\n\nimport (\n)\n" + "import y\n" * 30 + "registerAll(everything)\n" + "}\n" * 3
    found = row("Read", {"file_path": "x.kts"}, text)
    assert "registerAll(everything)" in found.summary


def test_json_lines_are_told_by_their_fields() -> None:
    text = "\n".join(f'{{"type": "a", "uuid": "{at}", "text": "{LONG}"}}' for at in range(5))
    assert row("Read", {"file_path": "t.jsonl"}, text).summary == "5 lines: JSON lines with type, uuid, text"


@pytest.mark.parametrize(
    ("command", "log", "key"),
    [
        ("git branch --show-current", "fix/round-half\n", "fix/round-half"),
        ("node --version", "v20.11.1", "v20.11.1"),
        ("git diff HEAD --name-status", "D\tcmd/help.go\nM\tcmd/root.go\n", "cmd/root.go"),
        ("go test ./...", "ok  \tex.org/a\t1s\nFAIL\tex.org/b\t2.6s\nFAIL\n", "ex.org/b"),
        (
            "grep -E term go.mod",
            "\tgolang.org/x/term v0.39.0\n\tgolang.org/x/sys v0.40.0\n",
            "golang.org/x/sys v0.40.0",
        ),
        (
            "git add a && git commit",
            "The following paths are ignored by one of:\npriv/static\n",
            "priv/static",
        ),
        ("bd ready", "1. [P2] show-x7q.4: Show rows\n2. [P2] show-x7q.5: Hide rows\n", "show-x7q.5"),
        ("git status", "On branch fix/round\nnothing to commit, working tree clean", "fix/round"),
        ("gh issue list", "OPEN ENT-98 Cut the log\nOPEN ENT-99 Sign it\n", "ENT-98"),
    ],
)
def test_a_name_that_stands_alone_is_a_key(command: str, log: str, key: str) -> None:
    assert key in ran(command, log).keys


def test_no_key_names_a_system_program_or_a_place_that_is_no_file() -> None:
    trace = 'Traceback (most recent call last):\n  File "<string>", line 6, in <module>\nKeyError: 1'
    assert ran("make", "/bin/sh: 1: cd: can't cd to /w/build\nmake: *** [Makefile:1: b] Error 2").keys == (
        "/w/build",
    )
    assert ran("python -c 'x'", trace).keys == ("KeyError",)


def test_an_edit_that_failed_names_its_file_once() -> None:
    said = "error: Failed to find expected lines in /home/a/p/README.md:\n### Title"
    patch = "*** Begin Patch\n*** Update File: README.md\n@@\n-a\n+b\n*** End Patch"
    found = row("apply_patch", {"input": patch}, said)
    assert found.keys == ("README.md",)
    assert found.summary.startswith("not applied: Failed to find")


def test_prose_with_one_heading_is_told_by_its_first_sentence_too() -> None:
    text = "# Blue\n\nBlue is a primary colour of the model.\n\n" + "- Trust\n- Loyalty\n" * 20
    found = row("Read", {"file_path": "docs/blue.md"}, text)
    assert found.summary.endswith("lines: Blue; Blue is a primary colour of the model.")
