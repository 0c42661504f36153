"""What runs every few seconds, under the name that beat sends."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from celery import current_app
from django.contrib.sessions.models import Session as Login
from django.test import Client
from django.utils import timezone

from canvases.models import IdempotencyRecord, Layer, LoginLink, OffloadEntry, SearchDocument, Session
from canvases.services import checkpoints, queue
from canvases.services.verification import agent_verify
from tests.conftest import Api, pair

DAY = timedelta(days=1)


@pytest.fixture(autouse=True)
def home(settings: Any, tmp_path: Path) -> Path:
    settings.OFFLOAD_HOME = tmp_path
    return tmp_path


def run(name: str, *args: Any) -> None:
    """Run a task as a worker does: found by its public name."""
    current_app.loader.import_default_modules()
    current_app.tasks[name].apply(args=args).get()


def sweep() -> None:
    run("canvases.tasks.sweep")


def test_what_beat_sends_is_a_task_that_is_there() -> None:
    current_app.loader.import_default_modules()
    sent = {entry["task"] for entry in current_app.conf.beat_schedule.values()}
    assert "canvases.tasks.sweep" in sent
    assert sent | {queue.PROCESS} <= set(current_app.tasks)


def test_a_broker_is_waited_for_however_long_it_is_away() -> None:
    assert current_app.conf.broker_connection_max_retries is None
    assert current_app.conf.broker_connection_retry_on_startup


def test_a_session_whose_message_was_lost_is_sent_again_and_then_worked_on(
    alice: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice.pairs(pair("a"))
    Session.objects.update(waiting_since=timezone.now() - timedelta(minutes=1))
    monkeypatch.setattr(current_app, "send_task", lambda name, args: run(name, *args))
    sweep()
    assert OffloadEntry.objects.count() == 1
    assert alice.session().waiting_since is None
    assert Layer.objects.get(name="worker").last_success_at


def test_what_waits_to_be_searchable_is_indexed(alice: Api) -> None:
    alice.post("offload", {"content": "by hand"})
    SearchDocument.objects.update(codes="", waiting_since=timezone.now())
    sweep()
    assert alice.get("search", q="hand").json()["state"] == "found"


def test_without_a_broker_the_rest_of_the_sweep_is_done(alice: Api, home: Path) -> None:
    alice.pairs(pair("a"))
    Session.objects.update(waiting_since=timezone.now() - timedelta(minutes=1))
    IdempotencyRecord.objects.create(agent=alice.agent, status=202, created_at=timezone.now() - 2 * DAY)
    sweep()
    assert Layer.objects.get(name="broker").last_error
    assert not IdempotencyRecord.objects.exists()
    assert list((home / "checkpoints").iterdir())


def test_what_has_had_its_day_is_dropped_and_nothing_else(
    alice: Api, owner_client: Client, django_user_model: Any
) -> None:
    alice.prompt("once", **{"Idempotency-Key": "old"})
    IdempotencyRecord.objects.update(created_at=timezone.now() - 2 * DAY)
    alice.prompt("twice", **{"Idempotency-Key": "new"})
    owner = django_user_model.objects.get()
    LoginLink.issue(owner)
    LoginLink.objects.update(expires_at=timezone.now() - 3 * DAY)
    LoginLink.issue(owner)
    Client().force_login(owner)
    kept = owner_client.cookies["offload_session"].value
    Login.objects.exclude(pk=kept).update(expire_date=timezone.now() - DAY)
    assert (IdempotencyRecord.objects.count(), LoginLink.objects.count(), Login.objects.count()) == (2, 2, 2)
    sweep()
    sweep()
    assert (IdempotencyRecord.objects.count(), LoginLink.objects.count(), Login.objects.count()) == (1, 1, 1)
    assert alice.prompt("twice", **{"Idempotency-Key": "new"}).status_code == 202
    assert alice.session().boundaries.count() == 2
    assert owner_client.get("/sessions/").status_code == 200


def test_layers_have_one_row_each_however_often_work_is_done(alice: Api) -> None:
    rows = []
    for number in range(4):
        alice.pairs(pair(f"r{number}", tool_call_id=f"c{number}"))
        alice.process()
        sweep()
        rows.append(Layer.objects.count())
    assert len(set(rows)) == 1


def test_the_file_of_checkpoints_stays_small_and_the_newest_stay_good(
    alice: Api, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoints, "LARGEST_FILE", 6_000)
    monkeypatch.setattr(checkpoints, "KEPT", 5)
    ref = alice.pairs(pair("a")).json()["refs"][0]["ref_id"]
    for _ in range(40):
        alice.get("deref", ref_id=ref)
        sweep()
        assert sum(path.stat().st_size for path in (home / "checkpoints").iterdir()) < 7_000
    kept = [point.sequence for point in checkpoints.checkpoints(alice.agent, most=5)]
    assert kept == [37, 38, 39, 40, 41]
    assert [one.sequence for one in checkpoints.checkpoints(alice.agent, most=1)] == [41]
    assert agent_verify(alice.agent).to_json()["holds"] is True


def test_half_a_line_that_a_full_disk_left_is_passed_over(alice: Api, home: Path) -> None:
    alice.pairs(pair("a"))
    sweep()
    (path,) = (home / "checkpoints").iterdir()
    whole = path.read_text()
    path.write_text(whole + whole[:50])
    assert [point.sequence for point in checkpoints.checkpoints(alice.agent)] == [1]
    alice.pairs(pair("b"))
    sweep()
    sweep()
    assert checkpoints.checkpoints(alice.agent)[-1].sequence == 2
