from __future__ import annotations

import threading
from datetime import timedelta
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.db import connection, connections, transaction
from django.utils import timezone

from canvases.models import Layer, OffloadedBlob, Reference, SearchDocument, SearchProgress, Session
from canvases.services import indexing, processing
from canvases.services.expiry import references_end
from canvases.services.indexing import contents_index, waiting_index
from pipelines.audit.kinds import EventType
from pipelines.search import terms
from tests.conftest import Api, pair

Note = SearchDocument.Note


def found(api: Api, q: str) -> list[int]:
    return [hit["seq"] for hit in api.get("search", q=q).json()["items"]]


def unindex(api: Api) -> None:
    SearchDocument.objects.all().delete()
    SearchProgress.objects.all().delete()


def test_running_twice_writes_each_document_once(alice: Api) -> None:
    alice.pairs(pair("word"), pair("word", tool_call_id="c2"), pair("other", tool_call_id="c3"))
    alice.process()
    assert SearchDocument.objects.filter(blob__isnull=False).count() == 2
    assert SearchDocument.objects.filter(entry__isnull=False).count() == 3
    assert contents_index(alice.session().pk) == 0
    SearchProgress.objects.update(through_seq=0)
    assert contents_index(alice.session().pk) == 3
    assert SearchDocument.objects.count() == 5
    assert found(alice, "word") == [2, 1]


def test_a_run_that_dies_half_way_is_made_good_by_the_next(
    alice: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice.pairs(*[pair(f"word{n}", tool_call_id=f"c{n}") for n in range(5)])
    monkeypatch.setattr(indexing, "BATCH", 2)
    work = indexing._of_entry
    left = [3]

    def dies(entry: Any) -> SearchDocument:
        left[0] -= 1
        if not left[0]:
            raise MemoryError
        return work(entry)

    with monkeypatch.context() as broken:
        broken.setattr(indexing, "_of_entry", dies)
        with pytest.raises(MemoryError):
            alice.process()
    assert SearchProgress.objects.get().through_seq == 2
    assert alice.get("search", q="word4").json()["pending"] == 3
    Session.objects.update(waiting_since=timezone.now() - timedelta(seconds=10), retry_at=None)
    assert processing.waiting_sessions() == [alice.session().pk]
    alice.process()
    assert [found(alice, f"word{n}") for n in range(5)] == [[n + 1] for n in range(5)]


def test_a_pair_is_not_passed_over_before_it_has_its_entry(alice: Api) -> None:
    alice.pairs(pair("word"))
    assert contents_index(alice.session().pk) == 0
    alice.process()
    assert found(alice, "word") == [1]


def test_what_cannot_be_searched_is_noted_and_stops_nothing(
    alice: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice.pairs(*[pair(f"text {n} shared", tool_call_id=f"c{n}") for n in range(4)])
    blobs = list(OffloadedBlob.objects.order_by("pk"))
    OffloadedBlob.objects.filter(pk=blobs[0].pk).update(content_zstd=b"broken")
    read = indexing.blob_content
    odd = {blobs[1].pk: b"\xff\x00\xfe", blobs[2].pk: None}

    def content(blob: OffloadedBlob) -> bytes:
        if blob.pk not in odd:
            return read(blob)
        given = odd[blob.pk]
        if given is None:
            raise RuntimeError("odd")
        return given

    monkeypatch.setattr(indexing, "blob_content", content)
    alice.process()
    notes = {row.blob_id: row.note for row in SearchDocument.objects.filter(blob__isnull=False)}
    assert notes == dict(
        zip([blob.pk for blob in blobs], [Note.DAMAGED, Note.BINARY, Note.FAILED, Note.ALL], strict=True)
    )
    answer = alice.get("search", q="3 shared").json()
    assert (answer["pending"], answer["in_part"]) == (0, 3)
    assert [hit["seq"] for hit in answer["items"]] == [4]
    assert Layer.objects.get(name="worker").last_error


def test_a_result_with_too_many_words_is_found_by_its_first_ones(alice: Api) -> None:
    many = terms.MOST_TERMS
    alice.pairs(pair(" ".join(f"w{n:07x}" for n in range(many * 3))), pair("plain", tool_call_id="c2"))
    alice.process()
    document = SearchDocument.objects.get(blob__pairs__seq=1)
    assert document.note == Note.CUT
    assert found(alice, f"w{5:07x}") == [1]
    assert found(alice, "plain") == [2]
    assert alice.get("search", q="absent").json()["in_part"] == 1


def test_terms_go_with_the_bytes_and_come_back_with_them(alice: Api) -> None:
    posted = pair("once unique words")
    alice.pairs(posted, pair("others", tool_call_id="c2"))
    alice.process()
    reference = Reference.objects.select_related("blob__agent").get(blob__pairs__seq=1)
    with transaction.atomic():
        references_end([reference], why=EventType.DELETED, actor="test")
    document = SearchDocument.objects.defer("codes").get(blob=reference.blob)
    assert document.note == Note.GONE
    answer = alice.get("search", q="unique").json()
    assert all(place["where"] != "result" for hit in answer["items"] for place in hit["places"])
    assert (answer["unreadable"], answer["in_part"]) == (0, 1)
    alice.pairs(posted)
    assert alice.get("search", q="unique").json()["pending"] == 1
    assert waiting_index() == 1
    assert alice.get("search", q="unique").json()["pending"] == 0
    [hit] = alice.get("search", q="unique").json()["items"]
    assert hit["places"][-1]["where"] == "result"


def test_bytes_that_go_while_they_are_indexed_leave_no_terms(
    alice: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice.pairs(pair("short lived words"))
    work = indexing._of_blob

    def too_late(blob: OffloadedBlob) -> SearchDocument:
        document = work(blob)
        with transaction.atomic():
            references = list(blob.references.select_related("blob__agent"))
            references_end(references, why=EventType.DELETED, actor="test")
        return document

    monkeypatch.setattr(indexing, "_of_blob", too_late)
    alice.process()
    [document] = SearchDocument.objects.filter(blob__isnull=False)
    assert (document.note, document.codes) == (Note.GONE, "")


def test_the_index_is_sound_after_documents_came_and_went(alice: Api) -> None:
    for n in range(6):
        alice.pairs(pair(f"text number {n}", tool_call_id=f"c{n}"))
        alice.process()
    SearchDocument.objects.filter(blob__pairs__seq__in=[1, 3]).delete()
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("INSERT INTO search_codes(search_codes, rank) VALUES ('integrity-check', 1)")
    unindex(alice)
    contents_index(alice.session().pk)
    assert found(alice, "number") == [6, 5, 4, 3, 2, 1]


def test_an_index_step_loads_each_content_by_itself(alice: Api, django_assert_max_num_queries: Any) -> None:
    alice.pairs(*[pair(f"text {n}", tool_call_id=f"c{n}") for n in range(30)])
    alice.process()
    with django_assert_max_num_queries(4):
        contents_index(alice.session().pk)


def test_what_was_stored_before_is_marked_and_indexed_some_at_a_time(
    alice: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in range(3):
        alice.post("offload", {"content": f"by hand {n}", "namespace": f"n{n}"})
    alice.pairs(
        pair("plain"),
        pair({"a": "of JSON"}, tool_call_id="c2"),
        pair(None, error="broken", tool_call_id="c3"),
    )
    alice.process()
    SearchDocument.objects.filter(blob__pairs=None, entry=None).delete()
    SearchDocument.objects.filter(entry__seq=3).update(codes="")
    migration = import_module("canvases.migrations.0010_search_waiting")
    monkeypatch.setattr(migration, "AT_ONCE", 2)
    migration.mark(apps, None)
    migration.mark(apps, None)
    waiting = SearchDocument.objects.filter(waiting_since__isnull=False)
    assert {row.entry.seq if row.entry else row.blob.size_bytes for row in waiting} == {3, 9, 16}
    answer = alice.get("search", q="hand").json()
    assert (answer["state"], answer["pending"]) == ("not_indexed_yet", 5)
    assert found(alice, "JSON") == [2]
    monkeypatch.setattr(indexing, "BATCH", 4)
    assert [waiting_index(), waiting_index(), waiting_index()] == [4, 1, 0]
    answer = alice.get("search", q="hand").json()
    assert (len(answer["items"]), answer["pending"]) == (3, 0)
    assert found(alice, "broken") == [3]


def test_a_document_that_kills_its_worker_holds_up_no_others(
    alice: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in range(5):
        alice.post("offload", {"content": f"number {n}"})
    SearchDocument.objects.update(codes="", waiting_since=timezone.now())
    work = indexing._of_blob

    def dies(blob: OffloadedBlob) -> SearchDocument:
        if blob.pk == first:
            raise MemoryError
        return work(blob)

    first = OffloadedBlob.objects.order_by("pk")[0].pk
    monkeypatch.setattr(indexing, "_of_blob", dies)
    with pytest.raises(MemoryError):
        waiting_index()
    with pytest.raises(MemoryError):
        waiting_index()
    assert [row.blob_id for row in SearchDocument.objects.filter(waiting_since__isnull=False)] == [first]
    assert len(alice.get("search", q="number").json()["items"]) == 4


def test_bytes_that_go_while_a_waiting_document_is_worked_out_leave_no_terms(
    alice: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice.post("offload", {"content": "short lived"})
    SearchDocument.objects.update(codes="", waiting_since=timezone.now())
    work = indexing._of_blob

    def too_late(blob: OffloadedBlob) -> SearchDocument:
        document = work(blob)
        with transaction.atomic():
            references = list(blob.references.select_related("blob__agent"))
            references_end(references, why=EventType.DELETED, actor="test")
        return document

    monkeypatch.setattr(indexing, "_of_blob", too_late)
    assert waiting_index() == 1
    document = SearchDocument.objects.get()
    assert (document.note, document.codes, document.waiting_since) == (Note.GONE, "", None)


@pytest.mark.django_db(transaction=True)
def test_the_same_put_away_by_several_at_once_is_found_once(alice: Api) -> None:
    start = threading.Barrier(4)
    statuses: list[int] = []

    def work(number: int) -> None:
        try:
            start.wait()
            body = {"content": "the same words", "namespace": f"n{number}"}
            statuses.append(alice.post("offload", body).status_code)
        finally:
            connections.close_all()

    workers = [threading.Thread(target=work, args=[number]) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert statuses == [201] * 4
    [hit] = alice.get("search", q="same").json()["items"]
    assert sorted(hit["namespaces"]) == ["n0", "n1", "n2", "n3"]


@pytest.mark.django_db(transaction=True)
def test_two_workers_at_once_write_each_document_once(alice: Api) -> None:
    alice.pairs(*[pair(f"word{n} shared", tool_call_id=f"c{n}") for n in range(120)])
    alice.process()
    unindex(alice)
    pk = alice.session().pk
    start = threading.Barrier(2)
    failed: list[Exception] = []

    def work() -> None:
        try:
            start.wait()
            contents_index(pk)
        except Exception as error:
            failed.append(error)
        finally:
            connections.close_all()

    workers = [threading.Thread(target=work) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert failed == []
    assert SearchDocument.objects.count() == 240
    assert SearchProgress.objects.get().through_seq == 120
    assert alice.get("search", q="word119").json()["items"][0]["seq"] == 120
