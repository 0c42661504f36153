from __future__ import annotations

import json
import re
import threading
from typing import Any

import pytest

from canvases.api import schemas_compress as shapes
from canvases.models import CompressionEvent, CompressionState, SignedEvent, ToolPair
from canvases.services.verification import agent_verify
from pipelines.messages.problems import problems
from tests.conftest import Api

REF = re.compile(r"ofl_[A-Z2-7]{13}")
WINDOW = 8_000


def result(number: int) -> str:
    return "".join(
        f"src/part_{number}/module_{line}.py:{line}: def parse_{number}_{line}(text)\n" for line in range(40)
    )


def talk(calls: int) -> list[dict[str, Any]]:
    """A conversation in which an agent greps and edits."""
    said: list[dict[str, Any]] = [{"role": "user", "content": "Find the parser and mend it"}]
    for number in range(calls):
        call = {
            "type": "tool_use",
            "id": f"c{number}",
            "name": "Grep",
            "input": {"pattern": f"parse_{number}"},
        }
        answer = {"type": "tool_result", "tool_use_id": f"c{number}", "content": result(number)}
        said += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [answer]}]
    return said


def post_results(api: Api, calls: int) -> None:
    api.pairs(
        *[
            {
                "tool_name": "Grep",
                "tool_call_id": f"c{number}",
                "params": {"pattern": f"parse_{number}"},
                "result": result(number),
            }
            for number in range(calls)
        ]
    )


def compress(api: Api, messages: list[dict[str, Any]], **fields: Any) -> dict[str, Any]:
    body = {"messages": messages, "context_window": WINDOW, **fields}
    answer = api.post("sessions/s1/compress", body)
    assert answer.status_code == 200, answer.content
    shapes.CompressOut.model_validate(answer.json(), strict=True)
    told: dict[str, Any] = answer.json()
    return told


def stubs(messages: list[dict[str, Any]]) -> list[str]:
    return [
        block["content"]
        for message in messages
        for block in message["content"]
        if isinstance(block, dict)
        and str(block.get("content", "")).startswith("[Offloaded Tool Result | node: ")
    ]


def test_old_results_become_stubs_that_lead_back_to_their_bytes(alice: Api) -> None:
    post_results(alice, 12)
    alice.process()
    told = compress(alice, talk(12))
    report = told["report"]
    assert report["level"] == "mild"
    assert report["fits"]
    assert report["tokens_after"] < report["tokens_before"] / 2
    assert problems(told["messages"]) == []
    shown = stubs(told["messages"])
    assert len(shown) == len([one for one in report["replaced"] if one["kind"] == "result"]) >= 10
    for stub in shown:
        assert re.match(
            r"\[Offloaded Tool Result \| node: (\d{3}-N\d+|N/A)\]\nSummary: .+\nresult_ref: ofl_", stub
        )
    for one in report["replaced"]:
        number = int(one["tool_call_id"][1:])
        assert alice.get(f"refs/{one['ref_id']}/raw").content.decode() == result(number)
    assert told["messages"][-1] == talk(12)[-1]


def test_results_that_nobody_posted_are_stored_first(alice: Api) -> None:
    told = compress(alice, talk(12))
    for one in told["report"]["replaced"]:
        number = int(one["tool_call_id"][1:])
        assert alice.get(f"refs/{one['ref_id']}/raw").content.decode() == result(number)
    stored = ToolPair.objects.filter(session=alice.session()).values_list("tool_call_id", "tool_name")
    assert {name for _, name in stored} == {"Grep"}
    assert agent_verify(alice.agent).to_json()["holds"] is True


def test_the_beginning_stays_to_the_byte_while_the_talk_goes_on(alice: Api) -> None:
    before = compress(alice, talk(12))["messages"]
    told = compress(alice, [*talk(12), {"role": "assistant", "content": "Found it."}])
    assert json.dumps(told["messages"][: len(before)]) == json.dumps(before)
    assert told["report"]["level"] == "fast"
    assert told["report"]["stable_prefix_tokens"] > 0
    again = compress(alice, [*before, {"role": "assistant", "content": "Found it."}])
    assert json.dumps(again["messages"]) == json.dumps(told["messages"])


def test_a_long_input_is_stored_and_leads_back(alice: Api) -> None:
    text = "line of a new file\n" * 200
    call = {"type": "tool_use", "id": "w1", "name": "Write", "input": {"file_path": "/a.py", "content": text}}
    messages = [
        {"role": "user", "content": "Write it"},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "w1", "content": "written"}]},
        *talk(8)[1:],
    ]
    told = compress(alice, messages)
    value = told["messages"][1]["content"][0]["input"]
    assert value["file_path"] == "/a.py"
    ref = REF.search(value["content"])
    assert ref is not None
    assert alice.get(f"refs/{ref[0]}/raw").content.decode() == text
    assert agent_verify(alice.agent).to_json()["holds"] is True


@pytest.mark.parametrize("level", ["aggressive", "emergency"])
def test_deeper_levels_take_exchanges_out_and_say_so(alice: Api, level: str) -> None:
    post_results(alice, 30)
    alice.process()
    told = compress(alice, talk(30), level=level, context_window=3_000)
    report = told["report"]
    assert report["deleted"]
    assert "<current_task_context" in report["injected"][0]
    assert report["fits"] or report["level"] == "emergency"
    assert problems(told["messages"]) == []
    assert told["messages"][0]["content"] == "Find the parser and mend it"


def test_what_was_taken_out_is_kept_whole_and_named_where_it_was(alice: Api) -> None:
    told = compress(alice, talk(30), level="aggressive", context_window=3_000)
    ref = REF.search(told["report"]["injected"][0])
    assert ref is not None
    kept = json.loads(alice.get(f"refs/{ref[0]}/raw").content)
    assert len(kept) == len(told["report"]["deleted"])
    assert [one["role"] for one in kept[:2]] == ["assistant", "user"]
    assert kept[0]["content"] == talk(30)[1]["content"]


def test_a_text_that_was_cut_is_kept_whole_and_named_where_it_was_cut(alice: Api) -> None:
    prose = "The parser reads a line at a time. " * 900
    said = [{"role": "user", "content": text} for text in ("Find the parser", prose, "Go on")]
    told = compress(alice, said, level="emergency", context_window=2_000)
    cut = str(told["messages"])
    assert "characters are left out here | result_ref: " in cut
    refs = {ref: alice.get(f"refs/{ref}/raw").content.decode() for ref in REF.findall(cut)}
    assert any(prose in text for text in refs.values())
    assert told["messages"][-1] == said[-1]
    assert told["report"]["fits"]


def test_a_result_that_nobody_posted_is_stored_with_the_whole_input_of_its_call(alice: Api) -> None:
    text = "line of a new file\n" * 200
    call = {"type": "tool_use", "id": "w1", "name": "Write", "input": {"file_path": "/a.py", "content": text}}
    answer = {"type": "tool_result", "tool_use_id": "w1", "content": "written " * 100}
    messages = [
        talk(1)[0],
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [answer]},
    ]
    first = compress(alice, messages)
    assert "[Offloaded Tool Input" in str(first["messages"])
    assert "[Offloaded Tool Result" not in str(first["messages"])
    second = compress(alice, [*first["messages"], *talk(4)[1:]])
    assert "[Offloaded Tool Result" in str(second["messages"][2])
    assert json.loads(ToolPair.objects.get(tool_call_id="w1").params) == call["input"]


def test_the_report_says_what_is_billed_with_us_and_without(alice: Api) -> None:
    first = compress(alice, talk(12))["report"]
    assert first["billed_tokens"] == round(1.25 * first["tokens_after"])
    assert first["billed_tokens_without"] == round(1.25 * first["tokens_before"])
    second = compress(alice, talk(12))["report"]
    assert second["billed_tokens"] == round(0.1 * first["tokens_after"])
    assert second["billed_tokens_without"] == round(0.1 * first["tokens_before"])


def test_a_broken_list_comes_back_valid_and_what_was_changed_is_kept(alice: Api) -> None:
    orphan = {"type": "tool_result", "tool_use_id": "nobody", "content": "of a call that was cut away"}
    unanswered = {"type": "tool_use", "id": "c9", "name": "Bash", "input": {"command": "ls"}}
    messages = [
        {"role": "user", "content": [orphan, {"type": "text", "text": "Go on"}]},
        {"role": "assistant", "content": [unanswered]},
        {"role": "user", "content": "Stop that"},
    ]
    assert problems(messages)
    told = compress(alice, messages)
    assert problems(told["messages"]) == []
    notes = told["report"]["notes"]
    assert [note for note in notes if note.startswith("the list was mended: ")]
    kept = json.loads(alice.get(f"refs/{REF.findall(notes[-1])[0]}/raw").content)
    assert messages[0] in kept
    again = compress(alice, messages)
    assert json.dumps(again["messages"]) == json.dumps(told["messages"])


def test_a_dry_run_stores_nothing_of_it(alice: Api) -> None:
    post_results(alice, 12)
    told = compress(alice, talk(12), dry_run=True)
    assert told["report"]["event_id"] is None
    assert told["report"]["replaced"]
    assert not CompressionEvent.objects.exists()
    assert not CompressionState.objects.exists()


def test_tools_that_are_to_stay_stay(alice: Api) -> None:
    told = compress(alice, talk(12), keep_tools=["Grep"], context_window=100_000, level="mild")
    assert told["messages"] == talk(12)


def test_of_a_tool_with_a_threshold_only_what_reaches_it_is_replaced(alice: Api) -> None:
    least = compress(alice, talk(12), dry_run=True)["report"]["replaced"][0]["tokens_before"]
    for threshold, is_replaced in ((least - 40, True), (least + 40, False)):
        asked = {"tool_thresholds": {"Grep": threshold}, "context_window": 100_000, "level": "mild"}
        assert bool(stubs(compress(alice, talk(12), dry_run=True, **asked)["messages"])) == is_replaced


def test_without_read_back_nothing_is_replaced(alice: Api) -> None:
    told = compress(alice, talk(12), can_deref=False)
    assert told["messages"] == talk(12)
    assert told["report"]["replaced"] == []
    assert not told["report"]["fits"]
    assert "can_deref is false" in told["report"]["notes"][0]


def test_each_call_is_an_event_with_what_was_done(alice: Api, charlie: Api) -> None:
    first = compress(alice, talk(12))["report"]
    compress(alice, talk(12))
    listed = alice.get("sessions/s1/compressions").json()
    shapes.CompressionListOut.model_validate(listed, strict=True)
    assert [row["level"] for row in listed["items"]] == ["fast", "mild"]
    one = alice.get(f"sessions/s1/compressions/{first['event_id']}").json()
    shapes.CompressionOut.model_validate(one, strict=True)
    assert one["report"]["replaced"] == first["replaced"]
    assert alice.get("sessions/s1/compressions/999999").status_code == 404
    assert charlie.get(f"sessions/s1/compressions/{first['event_id']}").status_code == 404
    assert SignedEvent.objects.filter(event_type="compressed").count() == 1


def test_what_another_agent_sent_is_never_seen(alice: Api, charlie: Api) -> None:
    compress(alice, talk(12))
    told = compress(charlie, talk(12))
    for one in told["report"]["replaced"]:
        assert charlie.get(f"refs/{one['ref_id']}/raw").status_code == 200
    assert CompressionState.objects.count() == 2


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ([], "Send a JSON object"),
        ({}, "messages must be a list"),
        ({"messages": [5]}, "messages must be a list"),
        ({"messages": [], "context_window": 0}, "context_window must be a whole number"),
        ({"messages": [], "context_window": "8k"}, "context_window must be a whole number"),
        ({"messages": [], "total_tokens": -1}, "total_tokens must be a whole number"),
        ({"messages": [], "level": "deep"}, "level must be one of fast, mild, aggressive, emergency"),
        ({"messages": [], "keep_tools": "Grep"}, "keep_tools must be a list"),
        ({"messages": [], "tool_thresholds": {"Grep": "2k"}}, "tool_thresholds must be an object"),
        ({"messages": [], "can_deref": 1}, "can_deref must be true or false"),
        ({"messages": [], "dry_run": None}, "dry_run must be true or false"),
    ],
)
def test_what_cannot_be_asked_says_what_to_send(alice: Api, body: Any, says: str) -> None:
    answer = alice.post("sessions/s1/compress", body)
    assert answer.status_code == 422
    assert says in answer.json()["detail"]


def test_an_empty_list_is_given_back(alice: Api) -> None:
    assert compress(alice, [])["messages"] == []


@pytest.mark.django_db(transaction=True)
def test_calls_at_once_for_one_session_leave_one_consistent_state() -> None:
    from canvases.models import Agent

    api = Api(Agent.objects.create(name="alice"))
    answers: list[Any] = []

    def run(calls: int) -> None:
        from django.db import connections

        try:
            body = {"messages": talk(calls), "context_window": WINDOW}
            answers.append(api.post("sessions/s1/compress", body))
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(10 + number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {answer.status_code for answer in answers} <= {200, 409}
    good = [answer.json() for answer in answers if answer.status_code == 200]
    assert good
    for told in good:
        assert problems(told["messages"]) == []
        for one in told["report"]["replaced"]:
            assert api.get(f"refs/{one['ref_id']}/raw").status_code == 200
    assert CompressionState.objects.get().version == len(good)
    assert agent_verify(api.agent).to_json()["holds"] is True


def test_what_was_decided_keeps_the_order_of_keys(alice: Api) -> None:
    text = "line of a new file\n" * 200
    value = {"path": "/a.py", "content": text, "backup": True, "a": {"z": 1, "b": 2}}
    call = {"type": "tool_use", "id": "w1", "name": "Write", "input": value}
    answer = {"type": "tool_result", "tool_use_id": "w1", "content": "written"}
    messages = [
        {"role": "user", "content": "Write it"},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [answer]},
        *talk(8)[1:],
    ]
    for level in (None, "aggressive"):
        first = compress(alice, messages, level=level, context_window=3_000)
        again = compress(alice, messages, context_window=30_000)
        assert json.dumps(again["messages"]) == json.dumps(first["messages"])
        assert again["report"]["stable_prefix_tokens"] == first["report"]["tokens_after"]
    assert "[Offloaded Tool Input" in str(compress(alice, messages[:3], dry_run=True)["messages"])
