from __future__ import annotations

import json

import pytest

from pipelines.records import Act, Kind, Outcome, PlanItem
from tests.unit.l1.calls import ran, row

CODE = (
    "import os\n\nLIMIT_OF_ROWS = 3\n\n\nclass Reader:\n    def load(self):\n"
    "        return 1\n\n\ndef main():\n    pass\n"
) + "x = 1\n" * 30
DIFF = (
    "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,3 @@ def load():\n-x\n+y\n+z\n"
    + " same\n" * 60
)
PAGE = (
    "<!DOCTYPE html><html><head><title>Ports &amp; docks</title></head><body><h1>Free ports</h1><p>"
    + "word " * 80
)
HITS = (
    "src/a.py:3:load()\nsrc/a.py:9:load(x)\nsrc/b.py:1:from a import load\n"
    "src/a.py:99:load(" + "x" * 200 + ")"
)


def test_a_read_file_is_told_by_what_it_defines() -> None:
    result = row("Read", {"file_path": "src/reader.py"}, CODE)
    assert result.facts.kind is Kind.FILE
    assert result.summary == "42 lines; defines LIMIT_OF_ROWS, Reader, main, load"
    assert result.keys == ("LIMIT_OF_ROWS:3", "Reader:6", "load:7", "main:11")
    assert result.facts.objects[:2] == ("src/reader.py", "LIMIT_OF_ROWS")


def test_line_numbers_of_a_part_are_those_of_the_file() -> None:
    text = "".join(f"{n:6d}→{'def found():' if n == 205 else '    pass'}\n" for n in range(200, 240))
    result = row("Read", {"file_path": "a.py", "offset": 200, "limit": 40}, text)
    assert result.summary == "lines 200–239; defines found"
    assert result.keys == ("found:205",)
    assert ran("sed -n '200,239p' a.py", "def found():\n" + "    pass\n" * 39).keys == ("found:200",)


def test_a_document_is_told_by_its_headings() -> None:
    assert (
        row("Read", {"file_path": "a.md"}, "# One\ntext\n## **Two**\n" + "words\n" * 90).summary
        == "93 lines: One, Two"
    )


def test_hits_are_counted_by_file() -> None:
    result = row("Grep", {"pattern": "load"}, HITS)
    assert result.facts.kind is Kind.SEARCH
    assert result.summary == "4 hits in 2 files for 'load'; a.py (3), b.py; first: load()"
    assert result.keys[:3] == ("src/a.py:3", "src/a.py:9", "src/b.py:1")
    assert result.facts.objects == ("load", "src/a.py", "src/b.py")


def test_context_lines_are_no_hits() -> None:
    text = "\n".join(f"{n}{':' if n % 5 == 0 else '-'}    line of some length {n}" for n in range(1, 41))
    assert row("Grep", {"pattern": "line", "path": "a.py"}, text).summary.startswith(
        "8 hits for 'line' at 5, 10,"
    )


@pytest.mark.parametrize("said", ["No matches found", "No files found", ""])
def test_nothing_found_is_said(said: str) -> None:
    assert row("Grep", {"pattern": "x"}, said).summary in ("No matches found", "No files found", "no output")


def test_a_listing_counts_entries_and_folders() -> None:
    lines = [f"drwxr-xr-x  2 u g 4096 Apr 30 08:32 {name}" for name in (".", "..", "src", "docs")]
    lines += [f"-rw-r--r--  1 u g  120 Apr 30 08:32 file_number_{n}.py" for n in range(9)]
    result = ran("ls -la", "total 8\n" + "\n".join(lines))
    assert result.summary.startswith("11 entries (2 folders): src/, docs/, file_number_0.py")


def test_paths_are_counted() -> None:
    paths = "\n".join(f"src/deep/er/module_{n}.py" for n in range(30)) + "\nREADME.md"
    assert row("Glob", {"pattern": "**"}, paths).summary.startswith("31 paths: module_0.py, module_1.py")


def test_an_edit_says_where_and_what() -> None:
    text = (
        "The file a.py has been updated. Here's the result of running `cat -n` on a snippet:\n"
        "    12→def f():\n    13→    pass\n"
    )
    result = row("Edit", {"file_path": "a.py", "old_string": "x", "new_string": "def f():\n    pass"}, text)
    assert (result.facts.kind, result.facts.act, result.facts.outcome) == (Kind.EDIT, Act.CHANGE, Outcome.OK)
    assert result.summary == "changed a.py (+2 −1) at lines 12–13; with f"
    assert result.facts.objects == ("a.py", "f")
    assert result.score == 9


def test_a_small_edit_quotes_its_first_new_line() -> None:
    params = {"file_path": "a.py", "old_string": "x = 1\n}", "new_string": "x = 1\n{\nwait = 5\n}"}
    said = "The file a.py has been updated successfully."
    assert row("Edit", params, said).summary == "changed a.py (+2); now: wait = 5"


def test_a_failed_edit_says_why() -> None:
    text = "No replacement was performed, old_str `a\nb` did not appear verbatim in a.py."
    result = row(
        "str_replace_editor",
        {"command": "str_replace", "path": "a.py", "old_str": "a\nb", "new_str": "c"},
        text,
    )
    assert result.facts.outcome is Outcome.FAILED
    assert result.summary == f"not applied: {text.replace(chr(10), ' ')}"


def test_a_diff_names_files_and_places() -> None:
    result = ran("git diff", DIFF)
    assert result.facts.kind is Kind.DIFF
    assert result.summary == "diff of 1 file (+2 −1): a.py; in def load():"


def test_json_is_told_by_its_identity_and_parts() -> None:
    issue = {
        "id": "9f",
        "identifier": "A-12",
        "title": "Mend it",
        "status": "Open",
        "labels": ["a", "b"],
        "body": "x" * 300,
    }
    result = row("mcp__tracker__get_issue", {"id": "A-12"}, json.dumps(issue))
    assert result.facts.kind is Kind.JSON
    assert result.summary.startswith("identifier A-12, title Mend it, status Open")
    assert "labels (2)" in result.summary
    assert result.facts.objects[0] == "A-12"


def test_a_json_list_is_counted_and_named() -> None:
    rows = [{"number": n, "title": f"Thing {n}", "state": "open"} for n in range(40)]
    assert row("list_issues", {}, json.dumps(rows)).summary.startswith("list of 40: 0 Thing 0, 1 Thing 1")


@pytest.mark.parametrize(("text", "words"), [("[]", "an empty list"), ("{}", "an empty object")])
def test_empty_documents_are_said_to_be_empty(text: str, words: str) -> None:
    assert row("list_issues", {}, text).summary == words


def test_a_page_is_told_by_title_and_headings() -> None:
    result = row("WebFetch", {"url": "https://a.b"}, PAGE)
    assert result.facts.kind is Kind.HTML
    assert result.summary == "page 'Ports & docks'; Free ports"


def test_a_web_search_lists_its_hits() -> None:
    links = json.dumps([{"title": f"Title {n}", "url": f"https://a.b/{n}"} for n in range(9)])
    result = row(
        "WebSearch",
        {"query": "q"},
        f'Web search results for query: "q"\n\nLinks: {links}\n\nprose ' + "x " * 99,
    )
    assert result.summary.startswith("9 hits: Title 0, Title 1")
    assert result.keys[0] == "https://a.b/0"


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (
            (
                'Traceback (most recent call last):\n  File "/r/app.py", line 9, in load\n    x()\n'
                '  File "/usr/lib/python3.11/json/__init__.py", line 3, in loads\nValueError: bad value'
            ),
            "ValueError: bad value (/r/app.py:9 in load)",
        ),
        (
            (
                'Traceback (most recent call last):\n  File "a.py", line 1\nKeyError: 1\n\n'
                "During handling of the above\n\n"
                'Traceback (most recent call last):\n  File "b.py", line 2, in go\nRuntimeError: second'
            ),
            "RuntimeError: second (b.py:2 in go)",
        ),
        (
            "x.js:3\nTypeError: a is not a function\n    at run (/r/x.js:3:5)\n    at node:internal/main:1:1",
            "TypeError: a is not a function (/r/x.js:3:5)",
        ),
        (
            "thread 'main' panicked at src/main.rs:4:5:\nindex out of bounds\nnote: run with",
            "panicked: index out of bounds (src/main.rs:4:5)",
        ),
        (
            (
                'Exception in thread "main" java.lang.IllegalStateException: no\n\tat a.B.c(B.java:7)\n'
                "Caused by: java.io.IOException: disk\n\tat a.D.e(D.java:8)"
            ),
            "Caused by: java.io.IOException: disk (D.java:8)",
        ),
    ],
)
def test_an_exception_is_told_with_its_place(text: str, error: str) -> None:
    result = ran("./job", text)
    assert (result.facts.kind, result.facts.outcome) == (Kind.TRACEBACK, Outcome.FAILED)
    assert result.facts.first_error == error


def test_a_commit_names_itself() -> None:
    text = (
        "[main 1a2b3c4] Mend the reader\n 2 files changed, 10 insertions(+), 3 deletions(-)\n create mode 100644 "
        + "a" * 150
    )
    result = ran("git add -A && git commit -m 'Mend the reader'", text)
    assert (result.facts.act, result.facts.outcome) == (Act.DELIVER, Outcome.OK)
    assert result.summary == "commit 1a2b3c4 on main: Mend the reader; 2 files (+10 −3)"
    assert result.facts.objects == ("Mend the reader",)


@pytest.mark.parametrize(
    ("tool", "params", "result"),
    [
        (
            "TodoWrite",
            {"todos": [{"content": "A", "status": "completed"}, {"content": "B", "status": "in_progress"}]},
            "Todos have been modified",
        ),
        (
            "update_plan",
            {"plan": [{"step": "A", "status": "completed"}, {"step": "B", "status": "in_progress"}]},
            "Plan updated",
        ),
        ("TaskList", {}, "#1. [completed] A\n#2. [in_progress] B"),
        ("todo", {"markdown": "- [x] A\n- [~] B"}, "ok"),
    ],
)
def test_the_agents_own_list_is_kept(tool: str, params: object, result: str) -> None:
    told = row(tool, params, result)
    assert told.facts.plan == (PlanItem(text="A", done=True), PlanItem(text="B", done=False, active=True))
    assert told.summary == "1/2 done, now: B"
    assert told.facts.act is Act.PLAN


def test_an_image_is_named_with_its_size() -> None:
    result = row(
        "screenshot", {}, [{"type": "image", "data": "iVBORw0KGgo" + "A" * 989, "mimeType": "image/png"}]
    )
    assert (result.facts.kind, result.short) == (Kind.IMAGE, False)
    assert result.summary == "1 image: image/png, 750 bytes"
    assert result.score <= 3


def test_printed_bytes_are_binary() -> None:
    assert row("cat_it", {}, "\x00\x01\x7fELF\x02\x01\x01\ufffd" * 40).facts.kind is Kind.BINARY


def test_a_sub_agents_answer_is_quoted_from_its_first_telling_sentence() -> None:
    text = (
        "Perfect! I have it now.\n\n## Where it is\n\nThe loader lives in src/load.py:12 and is called by main.\n"
        + "More.\n" * 60
    )
    result = row("Task", {"description": "Find the loader", "prompt": "p"}, [{"type": "text", "text": text}])
    assert (result.facts.kind, result.facts.act) == (Kind.AGENT, Act.DELEGATE)
    assert result.summary.startswith("The loader lives in src/load.py:12")


@pytest.mark.parametrize(
    ("result", "score"),
    [
        (ran("git add a", "", is_error=False), (10, 10)),
        (ran("pytest", "\n".join(f"t{n}.py ." for n in range(90)) + "\n90 passed in 1s"), (8, 9)),
        (ran("pytest", "\n".join(f"a.py::t{n} FAILED" for n in range(90)) + "\n90 failed in 1s"), (4, 5)),
        (row("Read", {"file_path": "a.py"}, CODE * 60), (2, 4)),
        (row("Grep", {"pattern": "load"}, HITS * 20), (4, 6)),
    ],
)
def test_the_score_says_how_well_the_summary_stands_in(result: object, score: tuple[int, int]) -> None:
    assert score[0] <= result.score <= score[1]  # type: ignore[attr-defined]


def test_the_more_is_left_out_the_lower_the_score() -> None:
    scores = [row("Read", {"file_path": "a.py"}, CODE * times).score for times in (1, 5, 60, 300)]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] > scores[-1]


def test_a_short_result_is_its_own_summary() -> None:
    result = ran("python x.py", "345", is_error=False)
    assert (result.summary, result.score, result.short) == ("345", 10, True)


def test_chinese_text_is_cut_on_whole_characters() -> None:
    result = row("ask_model", {}, "这个模块负责读取配置文件并且检查每一个字段的类型" * 40)
    assert len(result.summary) <= 200
    assert result.summary.startswith("这个模块负责读取配置文件")
    assert not result.short
