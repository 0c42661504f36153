from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from canvases.selectors.timeline import SHOWN_PROMPT_CHARACTERS
from tests.conftest import Api, pair


def timeline(client: Client, api: Api, **query: str) -> dict[str, Any]:
    path = f"/sessions/{api.session().pk}/timeline/"
    data: dict[str, Any] = client.get(path, {**query, "_format": "json"}).json()
    return data


def seqs(client: Client, api: Api, words: str) -> list[int]:
    return [row["seq"] for row in timeline(client, api, q=words)["rows"]]


def call(tool: str, subject: str, result: str = "one line") -> dict[str, Any]:
    return pair(result, tool_name=tool, tool_call_id=f"{tool} {subject}", params={"file_path": subject})


def test_the_filter_keeps_the_calls_that_have_every_word(owner_client: Client, alice: Api) -> None:
    alice.prompt("Look at the parser")
    alice.pairs(call("Read", "src/parser.py"), call("Read", "src/lexer.py"), call("Glob", "docs/parser.md"))
    alice.process()
    assert seqs(owner_client, alice, "parser") == [1, 3]
    assert seqs(owner_client, alice, "  PARSER  read ") == [1]
    assert seqs(owner_client, alice, "parser nowhere") == []
    assert len(timeline(owner_client, alice, q=" ")["rows"]) == 4


def test_calls_that_wait_for_their_summary_are_found_by_their_tool(owner_client: Client, alice: Api) -> None:
    alice.pairs(call("Read", "a.py"), call("Glob", "b.py"))
    assert seqs(owner_client, alice, "glob") == [2]


@pytest.mark.parametrize("sign", ["%", "_", "\\", "'", '"', "\x00", "é", "取"])
def test_a_sign_in_the_filter_stands_for_itself(owner_client: Client, alice: Api, sign: str) -> None:
    alice.pairs(call("Read", "plain"), call(f"Odd{sign}Tool", "x"))
    assert seqs(owner_client, alice, f"d{sign}T") == [2]


def test_filtered_pages_keep_the_words_and_give_every_call_once(owner_client: Client, alice: Api) -> None:
    alice.pairs(*[call("Read" if n % 2 else "Glob", f"file{n}.py") for n in range(150)])
    path = f"/sessions/{alice.session().pk}/timeline/"
    seen: list[int] = []
    after = ""
    while True:
        data = timeline(owner_client, alice, q="read", after=after)
        html = owner_client.get(path, {"q": "read", "after": after}).content.decode()
        seen += [row["seq"] for row in data["rows"]]
        if not data["next"]:
            break
        assert f"?q=read&amp;after={data['next']}" in html
        after = data["next"]
    assert seen == list(range(2, 151, 2))


def test_a_filter_is_shown_as_it_was_sent_and_never_as_markup(owner_client: Client, alice: Api) -> None:
    alice.pairs(call("Read", "a.py"))
    path = f"/sessions/{alice.session().pk}/timeline/"
    html = owner_client.get(path, {"q": '"><b>x</b>' + "y" * 500}).content.decode()
    assert "<b>x" not in html
    assert 'value="&quot;&gt;&lt;b&gt;x&lt;/b&gt;yyy' in html
    assert "No call has all of these words" in html


@pytest.mark.parametrize("letter", ["x", "\\", "ü", "🙂"])
def test_of_a_long_prompt_the_start_is_shown_and_the_whole_is_a_link_away(
    owner_client: Client, alice: Api, letter: str
) -> None:
    prompt = f"Fix it. {letter * 5000}"
    alice.prompt(prompt)
    alice.pairs(call("Read", "a.py"))
    row = timeline(owner_client, alice)["rows"][0]
    assert row["prompt_characters"] == len(prompt)
    assert prompt.startswith(row["prompt"])
    assert SHOWN_PROMPT_CHARACTERS / 2 <= len(row["prompt"]) <= SHOWN_PROMPT_CHARACTERS
    address = f"/sessions/{alice.session().pk}/prompts/{row['number']}/"
    assert address in owner_client.get(f"/sessions/{alice.session().pk}/timeline/").content.decode()
    answer = owner_client.get(address)
    assert answer.content.decode() == prompt
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    assert answer["Content-Security-Policy"] == "default-src 'none'; sandbox"


def test_whole_prompts_are_not_loaded_for_the_timeline(owner_client: Client, alice: Api) -> None:
    alice.prompt("Fix it. " + "x" * 100_000)
    alice.pairs(call("Read", "a.py"))
    with CaptureQueriesContext(connection) as seen:
        timeline(owner_client, alice)
    assert not [one["sql"] for one in seen if '"boundaries"."prompt",' in one["sql"].split("FROM")[0]]


def test_a_prompt_of_another_session_is_not_given(owner_client: Client, alice: Api) -> None:
    alice.prompt("secret", session="other")
    alice.pairs(call("Read", "a.py"))
    alice.pairs(call("Read", "a.py"), session="other")
    number = owner_client.get(f"/sessions/{alice.session('other').pk}/timeline/", {"_format": "json"}).json()[
        "rows"
    ][0]["number"]
    assert owner_client.get(f"/sessions/{alice.session().pk}/prompts/{number}/").status_code == 404
    assert Client().get(f"/sessions/{alice.session('other').pk}/prompts/{number}/").status_code == 302
