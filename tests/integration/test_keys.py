from __future__ import annotations

import os
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from canvases import server_key
from canvases.models import SignedEvent, SigningKeyRecord
from canvases.services.key_changes import key_rotate
from canvases.services.keys import signing_key
from canvases.services.verification import agent_verify
from pipelines.signing.keys import from_seed
from tests.conftest import Api, pair


@pytest.fixture(autouse=True)
def home(settings: Any, tmp_path: Path) -> Path:
    settings.OFFLOAD_HOME = tmp_path
    return tmp_path


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("signing_keys", *arguments, stdout=out)
    return out.getvalue()


def holds(api: Api) -> bool:
    return bool(agent_verify(api.agent).to_json()["holds"])


def readable(api: Api, call: str) -> bool:
    item = api.get("deref", session_id="s1", tool_call_id=call).json()["items"][0]
    return bool(item["verified"])


def test_what_an_old_key_signed_stays_good_and_the_new_one_goes_on(alice: Api) -> None:
    alice.pairs(pair("one"))
    old = signing_key().key_id
    said = run("rotate")
    new = signing_key().key_id
    assert said == f"{new} signs from now on\n"
    assert new != old
    alice.pairs(pair("two", tool_call_id="c2"))
    assert SignedEvent.objects.order_by("sequence").last().key_id == new  # type: ignore[union-attr]
    assert readable(alice, "c1")
    assert readable(alice, "c2")
    assert holds(alice)
    kinds = SignedEvent.objects.filter(event_type__startswith="key_").values_list("event_type", flat=True)
    assert list(kinds) == ["key_added", "key_retired"]
    assert "retired" in run("list").splitlines()[0]
    assert run("list").splitlines()[1].endswith("signs")


def test_keys_can_follow_each_other_any_number_of_times(alice: Api) -> None:
    for number in range(4):
        alice.pairs(pair(f"result {number}", tool_call_id=f"c{number}"))
        key_rotate(actor="cli test")
    assert all(readable(alice, f"c{number}") for number in range(4))
    assert holds(alice)
    assert SigningKeyRecord.objects.count() == 5


def test_a_revoked_key_counts_for_nothing(alice: Api) -> None:
    alice.pairs(pair("one"))
    old = signing_key().key_id
    run("rotate")
    alice.pairs(pair("two", tool_call_id="c2"))
    run("revoke", old)
    assert not readable(alice, "c1")
    assert readable(alice, "c2")
    assert not holds(alice)
    with pytest.raises(CommandError, match="rotate first"):
        run("revoke", signing_key().key_id)


def test_a_key_put_into_the_table_is_not_trusted(alice: Api) -> None:
    alice.pairs(pair("one"))
    forger = from_seed(bytes(32))
    mine = SigningKeyRecord.objects.get()
    SigningKeyRecord.objects.create(
        key_id=forger.key_id, public=forger.public, valid_from=mine.valid_from, endorsement=mine.endorsement
    )
    SignedEvent.objects.update(key_id=forger.key_id)
    found = agent_verify(alice.agent).to_json()
    assert {one["kind"] for one in found["signature_failures"]} == {"key_unknown"}
    assert "not trusted" in run("list")


@pytest.mark.parametrize("change", [{"revoked": False}, {"valid_to": None}, {"endorsement": None}])
def test_the_terms_of_a_key_cannot_be_edited(alice: Api, change: dict[str, Any]) -> None:
    alice.pairs(pair("one"))
    old = signing_key().key_id
    run("rotate")
    run("revoke", old)
    SigningKeyRecord.objects.filter(key_id=old).update(**change)
    assert not readable(alice, "c1")
    assert not holds(alice)


@pytest.mark.parametrize("stopped", ["before the new key was registered", "before it took its place"])
def test_a_rotation_that_was_cut_short_leaves_a_key_that_signs(
    alice: Api, monkeypatch: pytest.MonkeyPatch, stopped: str
) -> None:
    alice.pairs(pair("one"))
    if "registered" in stopped:
        server_key.next_key_make()
    else:
        with monkeypatch.context() as patched:
            patched.setattr(server_key, "next_key_take", lambda: None)
            key_rotate(actor="cli test")
    assert server_key.next_key_path().exists()
    assert readable(alice, "c1")
    alice.pairs(pair("two", tool_call_id="c2"))
    assert readable(alice, "c2")
    assert holds(alice)
    key_rotate(actor="cli test")
    assert not server_key.next_key_path().exists()
    assert readable(alice, "c1")
    assert readable(alice, "c2")
    assert holds(alice)


def test_a_key_from_the_environment_is_changed_there(alice: Api, settings: Any) -> None:
    settings.OFFLOAD_SIGNING_KEY = "11" * 32
    alice.pairs(pair("one"))
    old = signing_key().key_id
    with pytest.raises(CommandError, match="OFFLOAD_SIGNING_KEY gives the key"):
        run("rotate")
    settings.OFFLOAD_SIGNING_KEY = "22" * 32
    assert not readable(alice, "c1")
    run("trust", old)
    assert readable(alice, "c1")
    assert holds(alice)


@pytest.mark.parametrize(
    "arguments", [("rotate", "x"), ("trust",), ("revoke", "0000000000000000"), ("list", "x")]
)
def test_a_wrong_use_says_what_to_do(db: None, arguments: tuple[str, ...]) -> None:
    with pytest.raises(CommandError, match=r"takes|No key"):
        run(*arguments)


def test_new_keys_are_for_their_owner_alone(db: None) -> None:
    key_rotate(actor="cli test")
    assert os.stat(server_key.key_path()).st_mode & 0o777 == 0o600


@pytest.mark.parametrize("change", [{"public": b""}, {"public": b"\0" * 31}])
def test_a_damaged_key_is_listed_and_not_trusted_again(alice: Api, change: dict[str, Any]) -> None:
    alice.pairs(pair("one"))
    old = signing_key().key_id
    run("rotate")
    SigningKeyRecord.objects.filter(pk=old).update(**change)
    assert "not trusted by this server's key" in run("list").splitlines()[0]
    with pytest.raises(CommandError, match="is damaged"):
        run("trust", old)
    with pytest.raises(CommandError, match="is damaged"):
        run("revoke", old)
