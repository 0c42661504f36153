from __future__ import annotations

from typing import Any

from django.test import Client

from canvases.services.expiry import references_expire
from tests.conftest import Api, pair


def shown(client: Client) -> dict[str, Any]:
    data: dict[str, Any] = client.get("/storage/", {"_format": "json"}).json()["storage"]
    return data


def test_an_empty_store_says_so(owner_client: Client) -> None:
    html = owner_client.get("/storage/").content.decode()
    assert "Nothing is stored yet" in html
    assert "Everything is kept, for ever" in html


def test_each_agent_is_listed_with_what_it_keeps(owner_client: Client, alice: Api, charlie: Api) -> None:
    same = "the same result again and again " * 100
    alice.pairs(pair(same), pair(same, tool_call_id="c2"), pair("other", tool_call_id="c3"))
    charlie.post("offload", {"content": "gone soon", "ttl_seconds": 1})
    references_expire(at=2**40)
    by_name = {row["agent"]: row for row in shown(owner_client)["agents"]}
    one = by_name["alice"]
    assert (one["sessions"], one["calls"], one["contents"], one["gone"]) == (1, 3, 2, 0)
    assert one["posted_bytes"] == 2 * len(same) + 5
    assert one["content_bytes"] == len(same) + 5
    assert 0 < one["packed_bytes"] < one["content_bytes"]
    other = by_name["charlie"]
    assert (other["contents"], other["content_bytes"], other["packed_bytes"], other["gone"]) == (0, 0, 0, 1)
    assert shown(owner_client)["total"]["calls"] == 3
    html = owner_client.get("/storage/").content.decode()
    assert "alice" in html
    assert "charlie" in html


def test_what_waits_for_the_sweep_is_told(owner_client: Client, alice: Api, monkeypatch: Any) -> None:
    told = alice.post("offload", {"content": "x", "ttl_seconds": 60}).json()
    assert shown(owner_client)["overdue"] == {"references": 0, "oldest_seconds": 0}
    monkeypatch.setattr("canvases.selectors.storage.seconds_now", lambda: told["expires_at"] + 5)
    assert shown(owner_client)["overdue"] == {"references": 1, "oldest_seconds": 5}
    assert (
        "1 is over and waits for the sweep, the first for 5 s"
        in owner_client.get("/storage/").content.decode()
    )


def test_the_retention_is_told(owner_client: Client, settings: Any) -> None:
    settings.OFFLOAD_RETENTION_DAYS = 30
    assert "nobody used for 30 days" in owner_client.get("/storage/").content.decode()


def test_strangers_are_sent_to_log_in(client: Client, db: None) -> None:
    assert client.get("/storage/").status_code == 302
