from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.l1.findings.handles import handles_in
from tests.unit.l1.calls import ran, row

HASH = "0123456789abcdef0123456789abcdef01234567"


@pytest.mark.parametrize(
    ("command", "log", "keys"),
    [
        (
            "npx tsc --noEmit",
            "src/a.ts(4,7): error TS2322: Type 'x'.\nsrc/b.ts(9,1): error TS2304: Cannot find name 'y'.",
            {"src/a.ts:4", "TS2322", "src/b.ts:9", "TS2304"},
        ),
        (
            "ruff check .",
            "app.py:3:8: F401 [*] `os` imported but unused\napp.py:9:1: E501 Line too long\nFound 2 errors.",
            {"app.py:3", "F401", "app.py:9", "E501"},
        ),
        (
            "ruff check .",
            "F401 [*] `os` imported but unused\n --> app.py:3:8\n  |\n3 | import os\n  |\n\nFound 1 error.",
            {"app.py:3", "F401"},
        ),
        (
            "npx eslint src",
            "/r/src/a.ts\n  12:5  error  'x' is defined but never used  no-unused-vars\n\n✖ 1 problem (1 error)",
            {"/r/src/a.ts:12", "no-unused-vars"},
        ),
        (
            "mypy app",
            'app.py:7: error: Argument 1 to "f" has incompatible type  [arg-type]\nFound 1 error in 1 file',
            {"app.py:7", "arg-type"},
        ),
        (
            "cargo build",
            "error[E0308]: mismatched types\n  --> src/main.rs:4:18\n\nerror: could not compile `x`",
            {"src/main.rs:4", "E0308"},
        ),
        ("go build ./...", "# ex.org/a\n./main.go:7:2: undefined: foo", {"./main.go:7"}),
        (
            "python run.py",
            (
                'Traceback (most recent call last):\n  File "/r/app.py", line 12, in load\n    int("x")\n'
                '  File "/usr/lib/python3.11/json/decoder.py", line 3, in f\n    g()\nValueError: bad'
            ),
            {"/r/app.py:12", "ValueError"},
        ),
        (
            "npm install left-pad express",
            "added 2 packages\n+ left-pad@1.3.0\n+ express@4.18.2\n",
            {"left-pad@1.3.0", "express@4.18.2"},
        ),
        (
            "pip install requests",
            "Collecting requests\nSuccessfully installed idna-3.4 requests-2.31.0",
            {"requests-2.31.0"},
        ),
        (
            "git commit -m 'Mend it'",
            "[fix/round 1a2b3c4d] Mend it\n 1 file changed, 2 insertions(+)\n",
            {"1a2b3c4d", "fix/round"},
        ),
        (
            "git rev-parse HEAD",
            "0123456789abcdef0123456789abcdef01234567",
            {"0123456789abcdef0123456789abcdef01234567"},
        ),
        (
            "npm run dev &",
            "VITE v5.0.1 ready\n  Local: http://localhost:5173/\nstarted, pid 4711",
            {"http://localhost:5173/", "pid 4711", "VITE v5.0.1"},
        ),
        (
            "docker run -d web",
            "e83c5163316f89bfbde7d9ab23ca2e25604af290d1bd4c0e2a4b5ac2d5a1f3b7\n",
            {"e83c5163316f89bfbde7d9ab23ca2e25604af290d1bd4c0e2a4b5ac2d5a1f3b7"},
        ),
        ("make report", "wrote /srv/out/report-2.html\n", {"/srv/out/report-2.html"}),
        ("./serve.sh", "listening on port 8080\n", {"port 8080"}),
        ("gh pr create", "https://git.example/r/pull/7\n", {"https://git.example/r/pull/7"}),
    ],
)
def test_what_a_later_step_may_need_is_among_the_keys(command: str, log: str, keys: set[str]) -> None:
    assert keys <= set(ran(command, log).keys)


def test_json_keys_are_ids_names_and_states_and_no_bare_truth_values() -> None:
    found = row("get_order", {}, {"id": "ord_91", "name": "Books", "status": "open", "paid": True, "n": 0})
    assert {"ord_91", "Books", "open"} <= set(found.keys)
    assert not {"true", "0"} & set(found.keys)


def test_the_files_with_most_hits_of_a_search_come_first() -> None:
    hits = "a.py:1:x\n" + "".join(f"b.py:{n}:x\n" for n in range(1, 6)) + "c.py:2:x\n"
    keys = row("Grep", {"pattern": "x"}, hits).keys
    assert keys[0] == "b.py:1"
    assert {"a.py:1", "c.py:2"} <= set(keys)


def test_no_key_repeats_prose_of_the_summary() -> None:
    found = ran(
        "mix test", "  1) test rounds totals (CartTest)\n     test/c.exs:8\n     no\n\n2 tests, 1 failure\n"
    )
    heading = row(
        "WebFetch", {"url": "https://a.b"}, "# A plain heading\n\nSome words that stand here for long.\n"
    )
    assert "test/c.exs:8" in found.keys
    assert "A plain heading" not in heading.keys


@given(st.text(max_size=400))
def test_any_text_has_at_most_twelve_short_keys(text: str) -> None:
    keys = ran("./do", text).keys
    assert len(keys) <= 12
    assert all(0 < len(key) <= 80 for key in keys)


@pytest.mark.parametrize(
    "line", ["a/" * 60_000, "a.b" * 50_000, "0f" * 60_000, "a@1." * 40_000, "x-" * 60_000, "http://" * 20_000]
)
def test_names_are_looked_for_in_no_time(line: str) -> None:
    started = time.perf_counter()
    handles_in(line)
    assert time.perf_counter() - started < 0.1


def test_an_address_in_json_is_a_whole_key_or_none() -> None:
    url = "https://tracker.example/team/issue/ENT-53/clean-up-explain-output-now"
    found = row("get_issue", {}, {"id": "ENT-53", "url": url, "text": "many words " * 20})
    assert url in found.keys
    assert not [key for key in found.keys if "…" in key]


def test_a_file_whose_lines_are_keys_is_no_key_of_its_own() -> None:
    log = "../t/m.test.ts(16,5): error TS2345: no\n../t/m.test.ts(43,5): error TS2345: no\n"
    assert ran("npx tsc", log).keys == ("../t/m.test.ts:16", "../t/m.test.ts:43", "TS2345")
