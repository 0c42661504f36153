from __future__ import annotations

import re
from urllib.parse import quote

import pytest
from django.test import Client

from canvases.models import Canvas, CanvasRevision, Session
from canvases.models.session import text_key
from canvases.views.pages import displayable
from tests.integration.views.conftest import HOSTILE


def paths(session: Session) -> list[str]:
    refs = [pair.blob.ref_id for pair in session.pairs.select_related("blob")[: len(HOSTILE)]]
    canvas = Canvas.objects.get(session=session)
    nodes = [node["node_id"] for node in CanvasRevision.objects.filter(canvas=canvas).last().nodes]
    base = f"/sessions/{session.pk}/"
    return [
        "/sessions/",
        "/health/",
        f"{base}timeline/",
        f"{base}canvases/{canvas.number}/",
        *[f"{base}canvases/{canvas.number}/?node={node}" for node in nodes],
        *[f"{base}entries/{seq}/" for seq in range(1, len(HOSTILE) + 1)],
        *[f"{base}entries/{seq}/?as=raw" for seq in range(1, len(HOSTILE) + 1)],
        *[f"/refs/{ref}/" for ref in refs],
    ]


def test_hostile_text_is_shown_and_never_becomes_markup(owner_client: Client, hostile: Session) -> None:
    seen = ""
    for path in paths(hostile):
        for headers in ({}, {"hx-request": "true"}):
            answer = owner_client.get(path, headers=headers)
            assert answer.status_code == 200, path
            html = answer.content.decode("utf-8")
            assert not re.search(r"<script(?![^>]* src=)", html), path
            assert "<img src=x" not in html
            assert not re.search(r"<[^>]* onmouseover=", re.sub(r'"[^"]*"', '""', html)), path
            assert "\x00" not in html
            assert "\u202e" not in html
            seen += html
    assert "&lt;script&gt;alert(1)" in seen
    assert "before␀after" in seen
    assert "half \ufffd of a pair" in seen
    assert "{{ 7|add:35 }}" in seen
    assert "שלום" in seen


def test_no_page_carries_inline_script_or_handlers(owner_client: Client, session: Session) -> None:
    for path in ("/sessions/", f"/sessions/{session.pk}/canvases/1/", f"/sessions/{session.pk}/entries/1/"):
        answer = owner_client.get(path)
        html = answer.content.decode()
        assert not re.search(r"<script(?![^>]* src=)", html)
        assert not re.search(r"\son\w+=", html)
        assert "script-src 'self'" in answer["Content-Security-Policy"]
        assert "unsafe-inline" not in answer["Content-Security-Policy"].split("script-src")[1].split(";")[0]


def test_the_twins_give_hostile_text_exactly(owner_client: Client, hostile: Session) -> None:
    for seq, text in enumerate(HOSTILE.values(), 1):
        twin = owner_client.get(f"/sessions/{hostile.pk}/entries/{seq}/", {"_format": "json"}).json()
        assert twin["pair"]["tool_call_id"] == text
        assert twin["pair"]["params"] == {text[:100]: text}


def test_a_long_id_is_cut_on_the_page_and_whole_behind_the_copy_button(
    owner_client: Client, hostile: Session
) -> None:
    seq = list(HOSTILE).index("long") + 1
    html = owner_client.get(f"/sessions/{hostile.pk}/entries/{seq}/").content.decode()
    assert f'data-copy="{HOSTILE["long"]}"' in html
    assert re.search(r">é{59}…<", html)


@pytest.mark.parametrize("name", ["a/b", "50%", "<i>", "ü?x#y", "a\\b"])
def test_a_session_is_found_by_the_clients_id(owner_client: Client, session: Session, name: str) -> None:
    Session.objects.filter(pk=session.pk).update(session_id=name, session_key=text_key(name))
    segment = quote(name.replace("%", "%25").replace("/", "%2F"))
    answer = owner_client.get(f"/sessions/{segment}/")
    assert answer.status_code == 302
    assert answer["Location"] == f"/sessions/{session.pk}/"


def test_displayable_text_keeps_line_ends_and_tabs() -> None:
    assert displayable("a\tb\r\nc") == "a\tb\r\nc"
    assert displayable("\x1b[0m\x7f\udfff") == "␛[0m␡\ufffd"
