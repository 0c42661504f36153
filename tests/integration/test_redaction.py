"""With redaction on, no secret reaches the database, by whatever way it comes in."""

from __future__ import annotations

import base64
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.core.management import call_command
from django.db import connection
from django.test import Client

from canvases.mcp.server import TOOLS
from canvases.mcp.tool import Caller
from canvases.models import OffloadedBlob, SignedEvent
from canvases.selectors.contents import blob_content
from canvases.services.verification import agent_verify
from tests.conftest import Api, pair

ROOT = Path(__file__).resolve().parents[2]
PASSWORD = "correct-horse-17"
KEY = "sk-proj-abcdEFGH1234ijklMNOP5678qrst"
ENV = f"DB_PASSWORD={PASSWORD}\nOPENAI={KEY}\nPORT=5432\n"
SECRETS = (PASSWORD, KEY)


@pytest.fixture
def redacting(settings: LazySettings) -> None:
    settings.OFFLOAD_REDACT = True


def everything() -> str:
    """Return all that is in the database, contents decompressed too."""
    told = [
        blob_content(blob).decode("utf-8", "replace")
        for blob in OffloadedBlob.objects.select_related("agent")
    ]
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names():
            cursor.execute(f'SELECT * FROM "{table}"')
            for row in cursor.fetchall():
                told += [
                    bytes(one).decode("latin-1") if isinstance(one, bytes | memoryview) else str(one)
                    for one in row
                ]
    return "\n".join(told)


def nothing_is_stored(marks: int = 1) -> str:
    stored = everything()
    assert [secret for secret in SECRETS if secret in stored] == []
    assert stored.count("[redacted:") >= marks
    return stored


RESULTS: list[Any] = [
    ENV,
    {"db": {"password": PASSWORD, "port": 5432, "exact": 10000000000000000000001}, "key": KEY},
    [{"type": "text", "text": ENV}, {"type": "text", "text": json.dumps({"password": PASSWORD, "k": KEY})}],
    {"stdout": ENV, "stderr": "", "exit_code": 0},
]


@pytest.mark.parametrize("result", RESULTS, ids=["text", "object", "blocks", "output"])
def test_no_result_brings_one_in(alice: Api, redacting: None, result: Any) -> None:
    alice.prompt("Look at the settings")
    ref = alice.pairs(pair(result)).json()["refs"][0]
    alice.process()
    assert "5432" in nothing_is_stored()
    kept = alice.get(f"refs/{ref['ref_id']}/raw").content.decode()
    assert "[redacted:password]" in kept
    assert SignedEvent.objects.filter(event_type="offloaded").get().payload["redacted"] >= 2
    assert agent_verify(alice.agent).to_json()["holds"] is True
    if isinstance(result, dict) and "db" in result:
        assert '"exact": 10000000000000000000001' in kept


def test_no_call_brings_one_in(alice: Api, redacting: None) -> None:
    params = {
        "command": f"PGPASSWORD={PASSWORD} psql",
        "headers": {"Authorization": f"Bearer {KEY}"},
        "n": 1.50,
    }
    alice.pairs(
        pair("ok", params=params, tool_call_id="token=abcd1234efgh"),
        {"tool_name": "Bash", "error": f"refused: password={PASSWORD}", "params": {"api_key": KEY}},
    )
    alice.process()
    stored = nothing_is_stored(4)
    assert "token=abcd1234efgh" in stored, "the id by which a call is found stays"
    again = alice.pairs(pair("ok", params=params, tool_call_id="token=abcd1234efgh")).json()
    assert again["duplicates"] == 1


def test_no_prompt_and_no_message_bring_one_in(alice: Api, redacting: None) -> None:
    messages = [{"role": "user", "content": ENV}, {"role": "tool", "content": [{"text": ENV, "token": KEY}]}]
    body = {"prompt": f"Log in, the password: {PASSWORD}", "recent_messages": messages}
    assert alice.post("sessions/s1/prompts", body).status_code == 202
    alice.post("sessions/s1/tool-pairs", {"tool_pairs": [pair("ok")], "recent_messages": messages})
    alice.process()
    nothing_is_stored(3)


@pytest.mark.parametrize("name", ["content", "content_base64"])
def test_no_content_put_away_brings_one_in(alice: Api, redacting: None, name: str) -> None:
    broken = ENV.encode() + b"\xff\n"
    value = ENV if name == "content" else base64.b64encode(broken).decode()
    told = alice.post("offload", {name: value}, **{"idempotency-key": "k"}).json()
    nothing_is_stored(2)
    kept = alice.get(f"refs/{told['ref_id']}/raw").content
    assert kept.startswith(b"DB_PASSWORD=[redacted:password]\n")
    assert kept.endswith(b"PORT=5432\n" + (b"" if name == "content" else b"\xff\n"))
    assert SignedEvent.objects.get(event_type="offloaded").payload["redacted"] == 2


def test_no_plain_body_brings_one_in(alice: Api, redacting: None) -> None:
    told = alice.client.put("/api/v1/contents", ENV.encode(), content_type="text/plain").json()
    nothing_is_stored(2)
    assert alice.get(f"refs/{told['ref_id']}/raw").content.endswith(b"PORT=5432\n")


def test_bytes_that_are_no_text_stay_as_they_are(alice: Api, redacting: None) -> None:
    content = b"\x89PNG\0\xff" + ENV.encode()
    told = alice.post("offload", {"content_base64": base64.b64encode(content).decode()}).json()
    assert alice.get(f"refs/{told['ref_id']}/raw").content == content


def test_no_tool_of_the_other_protocol_brings_one_in(alice: Api, redacting: None) -> None:
    TOOLS["memory_offload"].run(Caller(agent=alice.agent, actor="key x"), {"content": ENV})
    nothing_is_stored(2)


def test_no_command_brings_one_in(alice: Api, redacting: None, tmp_path: Path) -> None:
    (tmp_path / "env").write_text(ENV)
    call_command("offload", str(tmp_path / "env"), stdout=io.StringIO())
    lines = [
        {"type": "user", "message": {"role": "user", "content": f"My password: {PASSWORD}"}},
        {
            "type": "assistant",
            "message": {
                "id": "m1",
                "role": "assistant",
                "content": [
                    {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": f"x --token={KEY}"}}
                ],
            },
        },
        {
            "type": "user",
            "message": {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "t1", "content": ENV}],
            },
        },
    ]
    common = {"sessionId": "s9", "timestamp": "2026-01-31T12:00:00Z", "version": "2.0.0"}
    rows = [json.dumps({**common, "uuid": str(number), **line}) for number, line in enumerate(lines)]
    (tmp_path / "s9.jsonl").write_text("\n".join(rows))
    said = io.StringIO()
    call_command("import_session", str(tmp_path / "s9.jsonl"), stdout=said)
    assert said.getvalue().startswith("1 pairs stored, 0 were there already, 1 prompts")
    nothing_is_stored(4)


def test_a_result_at_the_limit_can_still_be_read(alice: Api, redacting: None, settings: LazySettings) -> None:
    settings.OFFLOAD_MAX_RESULT_BYTES = settings.OFFLOAD_MAX_READ_BYTES = (
        settings.OFFLOAD_MAX_OFFLOAD_BYTES
    ) = 1000
    result = f"password=abc1\n{'x' * 985}\n"
    assert len(result) == 1000
    ref = alice.pairs(pair(result)).json()["refs"][0]
    assert alice.get(f"refs/{ref['ref_id']}/raw").content.decode() == result.replace("abc1", "****")


def test_nothing_is_taken_out_unless_it_is_asked_for(alice: Api) -> None:
    ref = alice.pairs(pair(ENV)).json()["refs"][0]
    assert alice.get(f"refs/{ref['ref_id']}/raw").content.decode() == ENV
    assert "redacted" not in SignedEvent.objects.get(event_type="offloaded").payload


def test_the_page_says_which_is_on(owner_client: Client, settings: LazySettings) -> None:
    assert "Secrets are stored as they come" in owner_client.get("/health/").content.decode()
    settings.OFFLOAD_REDACT = True
    assert "Secrets are taken out before anything is stored" in owner_client.get("/health/").content.decode()
    assert owner_client.get("/health/", {"_format": "json"}).json()["redacting"] is True


WRITES = {  # what this file posts to, or what takes no text to store
    "/api/v1/sessions/{session_id}/tool-pairs",
    "/api/v1/sessions/{session_id}/prompts",
    "/api/v1/sessions/{session_id}/compress",
    "/api/v1/offload",
    "/api/v1/contents",
    "/api/v1/audit/verify",
}


def test_every_address_that_stores_is_tested_here(db: None) -> None:
    paths = Client().get("/api/v1/openapi.json").json()["paths"]
    assert {path for path, methods in paths.items() if set(methods) & {"post", "put", "patch"}} == WRITES
    assert {name for name, tool in TOOLS.items() if not tool.reads_only} == {"memory_offload"}


def test_whatever_packs_contents_or_keeps_prompts_takes_secrets_out() -> None:
    for path in (ROOT / "canvases").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        packs = re.search(r"(?<!def )\b(?:content_packed|contents_keep)\(|\bprompt=prompt\b", text)
        if packs:
            assert "from canvases.services.redaction import" in text, path


def test_a_message_list_that_is_compressed_leaves_no_secret_behind(alice: Api, redacting: None) -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 4
    text = f"export GITHUB_TOKEN={secret}\n" + "a line of a long result, number 7\n" * 60
    call = {"type": "tool_use", "id": "c1", "name": "Write", "input": {"content": text}}
    messages = [
        {"role": "user", "content": "Go on"},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": text}]},
        {"role": "assistant", "content": "done"},
        {"role": "user", "content": "more"},
    ] * 6
    answer = alice.post("sessions/s1/compress", {"messages": messages, "level": "mild"})
    assert answer.json()["report"]["replaced"]
    alice.process()
    assert secret not in everything()
