"""What is posted never becomes a path, and what is named like a file has a name by rule."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from django.core.management import call_command
from django.test import Client

from canvases.models import Agent
from canvases.services.checkpoints import checkpoints_write
from tests.conftest import Api, pair

HOSTILE = [
    "../../x",
    "..",
    "/etc/passwd",
    "..\\..\\x",
    "%2e%2e%2f",
    "C:\\x.txt",
    'a"; filename="b.html',
    "two\r\nSet-Cookie: a=b",
    "nul\x00byte",
    "x" * 3000,
    "世界",
    "\ud800",
    "~",
    "refs/000001-ofl_AAAAAAAAAAAAA.md",
]
RESULT_REF = re.compile(r"refs/[0-9]{6}-ofl_[A-Z2-7]{13}\.md")
CANVAS = re.compile(r"[0-9]{3}-[a-z0-9][a-z0-9-]{0,29}\.mmd")
KEPT = re.compile(r"(signing\.key|local\.key|checkpoints(/agent-[0-9]+\.jsonl)?)")


@pytest.fixture
def home(settings: Any, tmp_path: Path) -> Path:
    settings.OFFLOAD_HOME = tmp_path / "deep" / "inside" / "home"
    settings.OFFLOAD_HOME.mkdir(parents=True)
    return tmp_path


def segment(text: str) -> str:
    return quote(text.replace("%", "%25").replace("/", "%2F"), safe="", errors="surrogatepass")


def use(api: Api, text: str) -> dict[str, Any]:
    """Put the text wherever a client can; return what was answered of the pair."""
    path = f"/api/v1/sessions/{segment(text)}"
    prompt = {"prompt": f"{text} fix the tests {text}", "recent_messages": [{"role": text, "content": text}]}
    assert api.post(path.removeprefix("/api/v1/") + "/prompts", prompt).status_code == 202
    edit = {"file_path": text, "path": text, "command": text, text[:50]: text}
    hostile = pair(text, tool_name=text[:2000], tool_call_id=text, params=edit, error=text)
    plain = pair("updated", tool_name="Edit", tool_call_id="e", params={**edit, "old_string": "a"})
    answer = api.pairs(hostile, plain, session=segment(text), **{"Idempotency-Key": segment(text)})
    assert answer.status_code == 202
    api.process(text)
    return dict(answer.json()["refs"][0])


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_names_of_files_come_from_numbers_and_hashes(home: Path, alice: Api, text: str) -> None:
    told = use(alice, text)
    assert RESULT_REF.fullmatch(told["result_ref"])
    base = f"/api/v1/sessions/{segment(text)}"
    for canvas in alice.client.get(f"{base}/canvases").json()["items"]:
        assert CANVAS.fullmatch(canvas["filename"])
        file = alice.client.get(f"{base}/canvases/{canvas['number']}.mmd")
        assert file["Content-Disposition"] == f'inline; filename="{canvas["filename"]}"'
    assert alice.client.get(f"{base}/canvases").json()["items"]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_nothing_is_written_but_what_the_server_names_itself(
    home: Path, alice: Api, owner_client: Client, text: str
) -> None:
    if text.isprintable() and len(text) < 200:
        alice.agent = Agent.objects.create(name=f"{text}/../agent")
        alice.client = Api(alice.agent).client
    use(alice, text)
    for name in ("ref_id", "node_id", "tool_call_id", "result_ref"):
        query = quote(text, safe="", errors="surrogatepass")
        alice.client.get(f"/api/v1/deref?session_id={query}&{name}={query}")
    for path in (f"/api/v1/refs/{segment(text)}/raw", f"/api/v1/sessions/{segment(text)}/canvases/{query}"):
        assert alice.client.get(path).status_code == 404
    for path in (f"/refs/{segment(text)}/", f"/refs/{segment(text)}/raw"):
        assert owner_client.get(path).status_code == 404
    checkpoints_write()
    call_command("export_audit", str(home / "log.jsonl"), agent=alice.agent.name, stdout=io.StringIO())
    written = {path.relative_to(home).as_posix() for path in home.rglob("*")}
    inside = "deep/inside/home/"
    outside = {path for path in written if not path.startswith(inside)}
    assert outside == {"deep", "deep/inside", "deep/inside/home", "log.jsonl", "standalone_verify.py"}
    for path in written - outside:
        assert KEPT.fullmatch(path.removeprefix(inside)), path
