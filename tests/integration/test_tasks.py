from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from celery import current_app
from django.db import transaction
from django.utils import timezone

from canvases.models import CanvasRevision, Layer, OffloadedBlob, OffloadEntry, Session
from canvases.services import processing, queue
from canvases.services.sessions import session_held
from tests.conftest import Api, pair


def task() -> Any:
    """Return the task as a worker finds it: by its public name."""
    current_app.loader.import_default_modules()
    return current_app.tasks["canvases.tasks.session_process"]


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, list[int]]]:
    """Record the messages that would go to the broker."""
    messages: list[tuple[str, list[int]]] = []

    def send_task(name: str, args: list[int]) -> None:
        messages.append((name, args))

    monkeypatch.setattr(current_app, "send_task", send_task)
    return messages


def test_the_task_under_its_public_name_makes_the_entry_and_the_drawing(alice: Api) -> None:
    alice.pairs(pair("a"))
    task().apply(args=[alice.session().pk]).get()
    assert OffloadEntry.objects.count() == 1
    assert CanvasRevision.objects.count() == 1


def test_a_run_with_nothing_to_do_is_no_success_of_a_layer(alice: Api) -> None:
    alice.pairs(pair("a"))
    alice.process()
    Layer.objects.all().delete()
    alice.process()
    assert not Layer.objects.filter(name__in=["l1", "l15", "l2"]).exists()


def test_a_task_for_a_session_that_is_gone_is_no_work(db: None) -> None:
    task().apply(args=[12345]).get()
    assert not Layer.objects.exists()


def test_a_clock_that_was_set_back_keeps_no_session_waiting(alice: Api) -> None:
    alice.pairs(pair("a"))
    now = timezone.now()
    for waiting, retry in ((5, None), (-5, None), (5, 5), (-5, 5)):
        Session.objects.update(
            waiting_since=now - timedelta(hours=waiting), retry_at=retry and now + timedelta(hours=retry)
        )
        assert processing.waiting_sessions() == [alice.session().pk], (waiting, retry)
    Session.objects.update(retry_at=now + timedelta(minutes=5))
    assert processing.waiting_sessions() == []


def test_a_message_too_many_costs_one_look(alice: Api, django_assert_num_queries: Any) -> None:
    alice.pairs(pair("a"))
    pk = alice.session().pk
    task().apply(args=[pk]).get()
    with django_assert_num_queries(1):
        task().apply(args=[pk]).get()


def test_a_message_is_sent_only_once_the_pairs_are_committed(
    alice: Api, sent: list[Any], run_on_commit: Callable[..., Any]
) -> None:
    with run_on_commit():
        alice.pairs(pair("a"))
        assert sent == []
    assert sent == [(queue.PROCESS, [alice.session().pk])]


def test_a_request_without_a_broker_is_answered_and_the_work_is_found_later(
    alice: Api, run_on_commit: Callable[..., Any]
) -> None:
    with run_on_commit():
        assert alice.pairs(pair("a")).status_code == 202
    assert Layer.objects.get(name="broker").last_error
    assert processing.waiting_sessions() == []
    Session.objects.update(waiting_since=timezone.now() - timedelta(seconds=10))
    assert processing.waiting_sessions() == [alice.session().pk]


def test_a_failing_layer_is_named_put_off_and_tried_again(
    alice: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice.pairs(pair("a"))
    with monkeypatch.context() as broken:
        broken.setattr("canvases.services.drawings.mermaid.write_text", lambda view, max_chars: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            alice.process()
    assert OffloadEntry.objects.count() == 1
    assert CanvasRevision.objects.count() == 0
    session = alice.session()
    assert session.failures == 1
    assert session.retry_at is not None
    assert "ZeroDivisionError" in Layer.objects.get(name="worker").last_error
    Session.objects.update(waiting_since=timezone.now() - timedelta(seconds=10))
    assert processing.waiting_sessions() == []
    Session.objects.update(retry_at=timezone.now())
    assert processing.waiting_sessions() == [session.pk]
    alice.process()
    assert CanvasRevision.objects.count() == 1
    assert alice.session().failures == 0


def test_a_result_that_cannot_be_read_gets_an_entry_that_says_so(alice: Api) -> None:
    alice.pairs(pair("first"), pair("second", tool_call_id="c2"))
    OffloadedBlob.objects.filter(pairs__seq=1).update(content_zstd=b"broken")
    alice.process()
    summaries = list(OffloadEntry.objects.order_by("seq").values_list("summary", flat=True))
    assert "BlobDamaged" in summaries[0]
    assert "BlobDamaged" not in summaries[1]
    assert Layer.objects.get(name="l1").last_error


def test_idle_sessions_cost_the_sweep_nothing(alice: Api, django_assert_num_queries: Any) -> None:
    for number in range(5):
        alice.pairs(pair("a"), session=f"s{number}")
        alice.process(f"s{number}")
    with django_assert_num_queries(1):
        assert processing.waiting_sessions() == []


def test_a_session_that_changed_meanwhile_stays_on_the_list(alice: Api) -> None:
    alice.pairs(pair("a"))
    pk = alice.session().pk
    seen = processing._newest(pk)
    alice.pairs(pair("b"))
    assert processing._rest(pk, seen) is False
    with transaction.atomic():
        assert session_held(pk).waiting_since is not None
