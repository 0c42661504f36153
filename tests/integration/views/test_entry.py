from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

import pytest
from django.test import Client

from canvases.models import OffloadedBlob, Reference
from canvases.selectors.references import bundle_of
from canvases.services.keys import signing_key
from pipelines import blobs
from pipelines.signing import bundle
from tests.conftest import Api, pair

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def show(client: Client, alice: Api, result: Any, form: str = "", **fields: Any) -> str:
    alice.pairs(pair(result, **fields))
    answer = client.get(f"/sessions/{alice.session().pk}/entries/1/", {"as": form} if form else {})
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_call_shows_its_result_with_line_numbers_and_the_way_back(owner_client: Client, alice: Api) -> None:
    alice.prompt("Fix the failing tests of the parser and make the checks pass")
    alice.pairs(*[pair(f"one\ntwo {n}", tool_call_id=f"c{n}") for n in range(6)])
    alice.process()
    pk = alice.session().pk
    html = owner_client.get(f"/sessions/{pk}/entries/2/").content.decode()
    data = owner_client.get(f"/sessions/{pk}/entries/2/", {"_format": "json"}).json()
    assert '<span class="line" id="L2">' in html
    assert f'href="/sessions/{pk}/canvases/1/?node={data["pair"]["node_id"]}"' in html
    assert f'href="/refs/{data["pair"]["ref_id"]}/"' in html
    assert f'href="/sessions/{pk}/entries/1/"' in html
    assert f'href="/sessions/{pk}/entries/3/"' in html
    assert "verified, signed" in html
    assert data["integrity"]["state"] == "verified"


def test_the_twin_of_a_call_equals_the_api(owner_client: Client, alice: Api) -> None:
    alice.pairs(pair("some text"))
    alice.process()
    data = owner_client.get(f"/sessions/{alice.session().pk}/entries/1/", {"_format": "json"}).json()["pair"]
    told = alice.get("sessions/s1/entries").json()["items"][0]
    for key in ("seq", "summary", "score", "ref_id", "result_ref", "size_bytes", "tokens", "tool_call_id"):
        assert data[key] == told[key], key


def test_json_is_indented_and_its_text_one_click_away(owner_client: Client, alice: Api) -> None:
    html = show(owner_client, alice, {"name": "x", "count": [1, True, None]})
    assert '<span class="json-key">&quot;name&quot;</span>' in html
    assert '<span class="json-number">1</span>' in html
    assert 'href="?as=raw#result"' in html
    raw = owner_client.get(f"/sessions/{alice.session().pk}/entries/1/", {"as": "raw"}).content.decode()
    assert "{&quot;name&quot;: &quot;x&quot;, &quot;count&quot;: [1, true, null]}" in raw


def test_terminal_colours_become_classes(owner_client: Client, alice: Api) -> None:
    html = show(owner_client, alice, "\x1b[1;31mFAILED\x1b[0m plain\x1b[2K\n\x1b]0;windowname\x07done")
    assert '<span class="fg-red bold">FAILED</span> plain' in html
    assert "windowname" not in html


def test_an_image_block_is_shown_as_an_image(owner_client: Client, alice: Api) -> None:
    data = base64.b64encode(PNG).decode()
    source = {"type": "base64", "media_type": "image/svg+xml", "data": data}
    html = show(owner_client, alice, [{"type": "text", "text": "see"}, {"type": "image", "source": source}])
    assert f'<img src="data:image/png;base64,{data}"' in html
    assert "see" in html


@pytest.mark.parametrize(
    "content", [b"<svg xmlns='http://www.w3.org/2000/svg' onload='x()'/>", b"GIF", b"%PDF-1.7"]
)
def test_what_only_claims_to_be_an_image_is_not_shown_as_one(
    owner_client: Client, alice: Api, content: bytes
) -> None:
    source = {"type": "base64", "media_type": "image/png", "data": base64.b64encode(content).decode()}
    html = show(owner_client, alice, [{"type": "image", "source": source}])
    assert '<img src="data:' not in html


def test_a_large_result_shows_head_and_tail_and_says_what_is_left_out(
    owner_client: Client, alice: Api
) -> None:
    text = "\n".join(f"line {n} {'x' * 60}" for n in range(1, 20_001))
    html = show(owner_client, alice, text)
    assert len(html) < 2_000_000
    assert "20\u202f000 lines" in html
    assert ">line 1 x" in html
    assert ">line 20000 x" in html
    assert 'id="L20000"' in html
    assert "left out here" in html
    assert ">line 10000 x" not in html


def test_a_single_line_of_megabytes_is_cut(owner_client: Client, alice: Api) -> None:
    html = show(owner_client, alice, "y" * 3_000_000)
    assert len(html) < 400_000
    assert "characters are left out" in html


def test_bytes_that_are_no_text_are_shown_in_hex(owner_client: Client, alice: Api) -> None:
    content = bytes(range(256)) * 2
    alice.pairs(pair("placeholder"))
    replace_content(content)
    html = owner_client.get(f"/sessions/{alice.session().pk}/entries/1/").content.decode()
    assert "00000010  10 11 12" in html
    assert "Binary" in html


def replace_content(content: bytes) -> OffloadedBlob:
    """Put other bytes in the place of the only content, as if they had been stored."""
    blob = OffloadedBlob.objects.get()
    digest = hashlib.sha256(content).hexdigest()
    blob.ref_id, blob.content_sha256 = blobs.ref_id_of_sha256(digest), digest
    blob.content_zstd, blob.size_bytes = blobs.pack(content), len(content)
    blob.save()
    reference = Reference.objects.get()
    signature = bundle.sign(bundle_of(reference, blob), signing_key())
    reference.signature_b64 = base64.urlsafe_b64encode(signature).decode().rstrip("=")
    reference.save()
    return blob


@pytest.mark.parametrize("stored", [b"garbage", blobs.pack(b"other bytes"), b""])
def test_damaged_bytes_are_withheld_and_the_rest_of_the_page_stays(
    owner_client: Client, alice: Api, stored: bytes
) -> None:
    alice.pairs(pair("the true content"))
    alice.process()
    OffloadedBlob.objects.update(content_zstd=stored)
    path = f"/sessions/{alice.session().pk}/entries/1/"
    html = owner_client.get(path).content.decode()
    assert 'class="badge damaged"' in html
    assert "other bytes" not in html
    assert "are not shown" in html
    assert "c1" in html
    assert owner_client.get(path, {"_format": "json"}).json()["integrity"]["state"] == "damaged"


def test_the_raw_bytes_are_exact_and_cannot_run(owner_client: Client, alice: Api) -> None:
    text = "<script>alert(1)</script>\r\n\x00é"
    alice.pairs(pair(text))
    blob = OffloadedBlob.objects.get()
    answer = owner_client.get(f"/refs/{blob.ref_id}/raw")
    assert answer.content == text.encode()
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert answer["ETag"] == f'"{blob.content_sha256}"'
    again = owner_client.get(f"/refs/{blob.ref_id}/raw", headers={"if-none-match": answer["ETag"]})
    assert again.status_code == 304


def test_a_damaged_ref_is_never_given_out(owner_client: Client, alice: Api) -> None:
    alice.pairs(pair("text"))
    OffloadedBlob.objects.update(content_zstd=blobs.pack(b"else"))
    blob = OffloadedBlob.objects.get()
    answer = owner_client.get(f"/refs/{blob.ref_id}/raw")
    assert answer.status_code == 500
    assert answer["Content-Type"] == "application/problem+json"
    assert b"else" not in answer.content
    assert "damaged" in owner_client.get(f"/refs/{blob.ref_id}/").content.decode()


def test_a_ref_lists_every_content_that_carries_its_label(
    owner_client: Client, alice: Api, charlie: Api
) -> None:
    same, different = "offload collision probe 4b15f00d2bf6c0d8", "offload collision probe 08c7a835b456a701"
    alice.pairs(pair(same), pair(different, tool_call_id="c2"))
    charlie.pairs(pair(same))
    ref = blobs.ref_id(same.encode())
    other = OffloadedBlob.objects.get(content_sha256=hashlib.sha256(different.encode()).hexdigest())
    data = owner_client.get(f"/refs/{ref}/", {"_format": "json"}).json()
    assert len(data["contents"]) == 3
    assert {content["agent"] for content in data["contents"]} == {"alice", "charlie"}
    html = owner_client.get(f"/refs/{ref}/").content.decode()
    for content in data["contents"]:
        assert content["content_sha256"] in html
    several = owner_client.get(f"/refs/{ref}/raw")
    assert several.status_code == 409
    assert sorted(json.loads(several.content)["sha256"]) == sorted(
        {c["content_sha256"] for c in data["contents"]}
    )
    one = owner_client.get(f"/refs/{ref}/raw", {"sha256": other.content_sha256})
    assert one.content == different.encode()
