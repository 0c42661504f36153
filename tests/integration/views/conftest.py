"""A session whose every text tries to break out of the page, and a plain one."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

from canvases.models import Session
from tests.conftest import Api, pair

HOSTILE = {
    "markup": "<script>alert(1)</script><img src=x onerror=alert(2)>",
    "quotes": "\"' onmouseover=alert(3) x='",
    "nul": "before\x00after",
    "surrogate": "half \ud83d of a pair",
    "override": "user\u202etxt.exe",
    "rtl": "שלום مرحبا",
    "template": "{{ 7|add:35 }} {% now 'Y' %}",
    "long": "é" * 1500,
}


def hostile_pairs() -> list[dict[str, Any]]:
    return [
        pair(
            f"{text}\nline two of {name}",
            tool_name=text[:400],
            tool_call_id=text,
            params={text[:100]: text},
            error=text if name == "markup" else None,
        )
        for name, text in HOSTILE.items()
    ]


@pytest.fixture
def hostile(alice: Api) -> Session:
    """A long task in which names, ids, parameters, results and the prompt are hostile."""
    name = f"s/{HOSTILE['markup']}"
    path = quote(name.replace("/", "%2F"))
    alice.prompt("Fix <b>all</b> of " + " ".join(HOSTILE.values()), session=path)
    alice.pairs(*hostile_pairs(), session=path)
    alice.pairs(*work(20), session=path)
    alice.process(name)
    return alice.session(name)


@pytest.fixture
def session(alice: Api) -> Session:
    """A long task of plain work, drawn."""
    alice.prompt("Fix the failing parser tests in the repository and make all checks pass")
    alice.pairs(*work(12))
    alice.process()
    return alice.session()


def work(calls: int) -> list[dict[str, Any]]:
    """Return calls of an ordinary task: reading, editing, testing by turns."""
    return [
        pair(f"{place}\tdef parse(text):\n{place}\t    return text\n" * 30, **_call(place))
        for place in range(calls)
    ]


def _call(place: int) -> dict[str, Any]:
    kinds = [
        ("Read", {"file_path": f"/repo/src/module_{place}.py"}),
        ("Edit", {"file_path": f"/repo/src/module_{place}.py", "old_string": "a", "new_string": "b"}),
        ("Bash", {"command": f"pytest tests/test_{place}.py"}),
    ]
    name, params = kinds[place % 3]
    return {"tool_name": name, "params": params, "tool_call_id": f"call-{place}"}
