"""The list of what is kept."""

from __future__ import annotations

from canvases.api import schemas as shapes
from tests.conftest import Api, pair


def test_all_that_is_kept_is_listed_newest_first_in_pages(alice: Api) -> None:
    alice.pairs(pair("a result"))
    alice.post("offload", {"content": "a plan", "namespace": "plans", "ttl_seconds": 60})
    alice.post("offload", {"content": "a log"})
    first = alice.get("refs?limit=2").json()
    shapes.ReferenceListOut.model_validate(first, strict=True)
    assert [row["namespace"] for row in first["items"]] == ["auto", "plans"]
    assert [bool(row["expires_at"]) for row in first["items"]] == [False, True]
    rest = alice.get(f"refs?limit=2&after={first['next']}").json()
    assert [row["namespace"] for row in rest["items"]] == ["session/s1"]
    assert rest["next"] is None
    for row in first["items"] + rest["items"]:
        assert len(alice.get(f"refs/{row['ref_id']}/raw").content) == row["size_bytes"]


def test_the_list_can_be_that_of_one_namespace(alice: Api) -> None:
    alice.post("offload", {"content": "a plan", "namespace": "plans"})
    alice.post("offload", {"content": "a log"})
    assert [row["namespace"] for row in alice.get("refs?namespace=plans").json()["items"]] == ["plans"]
    assert alice.get("refs?namespace=none").json()["items"] == []


def test_what_is_gone_is_not_listed(alice: Api) -> None:
    ref_id = alice.post("offload", {"content": "a log"}).json()["ref_id"]
    alice.client.delete(f"/api/v1/refs/{ref_id}")
    assert alice.get("refs").json()["items"] == []


def test_nobody_sees_what_is_anothers(alice: Api, charlie: Api) -> None:
    alice.post("offload", {"content": "a log"})
    assert charlie.get("refs").json()["items"] == []
