from __future__ import annotations

from typing import Any, NamedTuple

import pytest
from django.db import OperationalError

from canvases.models import ApiKey, ToolPair
from canvases.selectors import health
from tests.conftest import Api, pair


class Usage(NamedTuple):
    free: int


def failing(text: str) -> Any:
    def fail(*args: Any, **options: Any) -> None:
        raise OperationalError(text)

    return fail


FULL = ["database or disk is full", "could not extend file: No space left on device"]
SILENT = [
    "database is locked",
    "connection failed: Connection refused",
    "attempt to write a readonly database",
]


@pytest.mark.parametrize(
    ("error", "status"), [*[(text, 507) for text in FULL], *[(text, 503) for text in SILENT]]
)
def test_a_database_that_takes_nothing_is_said_with_what_to_do(
    alice: Api, monkeypatch: pytest.MonkeyPatch, error: str, status: int
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr("canvases.api.ingest.pairs_store", failing(error))
        broken.setattr("canvases.api.ingest.prompt_store", failing(error))
        for answer in (alice.pairs(pair()), alice.prompt("Fix it")):
            assert answer.status_code == status
            assert answer["Content-Type"] == "application/problem+json"
            assert "again" in answer.json()["detail"]
            assert error not in answer.content.decode()
    assert alice.pairs(pair()).json()["accepted"] == 1


def test_what_only_reads_works_while_nothing_can_be_written(
    alice: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = alice.pairs(pair("kept")).json()["refs"][0]["ref_id"]
    ApiKey.objects.update(last_used_at=None)
    monkeypatch.setattr(ApiKey, "note_use", failing(FULL[0]))
    assert alice.get(f"refs/{ref}/raw").content == b"kept"
    assert alice.get("sessions/s1").status_code == 200
    assert ToolPair.objects.count() == 1


def test_health_tells_of_a_disk_that_fills_up(alice: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health.connection, "vendor", "sqlite", raising=False)
    monkeypatch.setattr(health.shutil, "disk_usage", lambda folder: Usage(free=5 * 2**20))
    database = alice.get("health").json()["layers"]["database"]
    assert database["state"] == "failing"
    assert "5 MB left" in database["cause"]
    assert "Make room" in database["cure"]


def test_health_answers_while_the_database_does_not(alice: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health.Layer.objects, "all", failing("connection refused at 10.0.0.1"))
    answer = alice.get("health")
    assert answer.status_code == 200
    assert answer.json()["status"] == "degraded"
    assert answer.json()["layers"]["database"]["state"] == "down"
    assert "10.0.0.1" not in answer.content.decode()
