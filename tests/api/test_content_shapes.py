"""Large results in every shape that hosts post them in: measured, kept, summarised, read back and shown."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from django.test import Client

from pipelines import tokens
from tests.conftest import Api

LINES = [f"line {number} of a long log: worker-{number % 7} is 世界" for number in range(9_000)]
TEXT = "\n".join(LINES)
PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(3_000)).decode()
DATA = f"data:image/png;base64,{PNG}"
TEXTS = {
    "a string": TEXT,
    "Anthropic text": [{"type": "text", "text": TEXT}],
    "Anthropic, two texts": [{"type": "text", "text": part} for part in TEXT.split("\n", 1)],
    "Anthropic tool_result": [{"type": "tool_result", "tool_use_id": "t", "content": TEXT}],
    "Anthropic, nested": [{"type": "tool_result", "content": [{"type": "text", "text": TEXT}]}],
    "OpenAI input_text": [{"type": "input_text", "text": TEXT}],
    "OpenAI output_text": [{"type": "output_text", "text": TEXT, "annotations": []}],
    "MCP": {"content": [{"type": "text", "text": TEXT}], "isError": False},
    "MCP resource": {"content": [{"type": "resource", "resource": {"uri": "file:///a", "text": TEXT}}]},
    "Gemini": [{"functionResponse": {"name": "read", "response": {"output": TEXT}}}],
    "one block": {"type": "text", "text": TEXT},
}
DATA_OF_ITS_OWN = {
    "a shell": {"stdout": TEXT, "stderr": "", "interrupted": False},
    "strings": LINES,
    "an object": {"text": TEXT},
    "rows": [{"id": 1, "text": TEXT}],
}
IMAGES = {
    "Anthropic": {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}},
    "OpenAI": {"type": "input_image", "image_url": DATA},
    "OpenAI chat": {"type": "image_url", "image_url": {"url": DATA}},
    "MCP": {"type": "image", "data": PNG, "mimeType": "image/png"},
    "Gemini": {"inlineData": {"mimeType": "image/png", "data": PNG}},
}


def kept(api: Api, result: Any) -> dict[str, Any]:
    """Post and summarise the result; see that its exact bytes are kept; return what was told of it."""
    written = json.dumps(result, ensure_ascii=False, indent=1)
    body = '{"tool_pairs": [{"tool_name": "Bash", "params": {"command": "x"}, "result": ' + written + "}]}"
    ref = api.post("sessions/s1/tool-pairs", body.encode()).json()["refs"][0]
    raw = api.get(f"refs/{ref['ref_id']}/raw").content
    assert raw == (result.encode() if isinstance(result, str) else written.encode())
    api.process()
    return dict(ref)


def read_back(api: Api, ref: dict[str, Any]) -> str:
    parts, offset = [], 0
    while offset is not None:
        query = {"ref_id": ref["ref_id"], "offset": offset, "max_tokens": 16_000}
        item = api.get("deref", **query).json()["items"][0]
        parts.append(item["content"])
        offset = item["next_offset"]
    return "".join(parts)


@pytest.mark.parametrize("shape", TEXTS)
def test_a_long_text_is_measured_offloaded_and_read_back_in_any_shape(
    alice: Api, owner_client: Client, shape: str
) -> None:
    ref = kept(alice, TEXTS[shape])
    exact = tokens.count(TEXT)
    assert abs(ref["tokens"] - exact) < exact / 50
    entry = alice.get("sessions/s1/entries").json()["items"][0]
    assert entry["short"] is False
    assert len(entry["summary"]) <= 200
    figures = alice.get("sessions/s1").json()["tokens"]
    assert figures["offloaded"] == ref["tokens"]
    assert figures["saved_gross"] > 0.9 * exact
    assert TEXT in read_back(alice, ref)
    item = alice.get("deref", ref_id=ref["ref_id"], grep="line 8765 ").json()["items"][0]
    assert LINES[8765] in item["content"]
    html = owner_client.get(f"/sessions/{alice.session().pk}/entries/1/").content.decode()
    assert "line 0 of a long log" in html


@pytest.mark.parametrize("shape", DATA_OF_ITS_OWN)
def test_other_json_is_measured_and_offloaded_and_read_back_as_it_was_sent(alice: Api, shape: str) -> None:
    ref = kept(alice, DATA_OF_ITS_OWN[shape])
    assert ref["tokens"] > 0.95 * tokens.count(TEXT)
    assert alice.get("sessions/s1").json()["tokens"]["offloaded"] == ref["tokens"]
    assert json.loads(read_back(alice, ref)) == DATA_OF_ITS_OWN[shape]


@pytest.mark.parametrize("shape", IMAGES)
def test_text_beside_an_image_is_measured_and_read_back_without_the_images_letters(
    alice: Api, owner_client: Client, shape: str
) -> None:
    ref = kept(alice, [IMAGES[shape], {"type": "text", "text": TEXT}])
    exact = tokens.count(TEXT)
    assert exact < ref["tokens"] < exact + 5_000
    text = read_back(alice, ref)
    assert TEXT in text
    assert PNG[:40] not in text
    assert "[image/png, 3 008 bytes]" in text
    entry = alice.get("sessions/s1/entries").json()["items"][0]
    assert PNG[:40] not in entry["summary"] + "".join(entry["keys"])
    html = owner_client.get(f"/sessions/{alice.session().pk}/entries/1/").content.decode()
    assert f'<img src="{DATA}"' in html
    assert "line 0 of a long log" in html
