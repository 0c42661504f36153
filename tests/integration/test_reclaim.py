from __future__ import annotations

from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from canvases.models import Canvas, OffloadedBlob, Reference, Session, SignedEvent, ToolPair
from canvases.services import reclaim as reclaimer
from canvases.services.reclaim import Reclaimed, reclaim
from canvases.services.verification import agent_verify
from canvases.tasks import reclaim as reclaim_task
from tests.conftest import Api, pair

LONG_AGO = timezone.now() - timedelta(days=40)


def worked(api: Api, session: str, calls: int = 5, **fields: Any) -> Session:
    """An agent works in a session long enough to have a canvas."""
    api.prompt(f"Find out why the parser of {session} fails and mend it", session=session)
    results = [
        pair(
            f"{session} def parse_{number}(text):\n    return text\n" * 20,
            tool_call_id=f"c{number}",
            tool_name="Read",
            params={"file_path": f"/repo/{session}/module_{number}.py"},
        )
        for number in range(calls)
    ]
    api.pairs(*results, session=session)
    api.process(session)
    return api.session(session)


def quiet(*sessions: Session) -> None:
    """Let the sessions have been quiet for long."""
    for session in sessions:
        Session.objects.filter(pk=session.pk).update(updated_at=LONG_AGO)
        Canvas.objects.filter(session=session).update(updated_at=LONG_AGO)


def figures(done: Reclaimed) -> tuple[int, int, int]:
    return done.sessions, done.sessions_thinned, done.contents


@pytest.fixture
def one_canvas_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reclaimer, "CANVASES_KEPT", 1)


@pytest.mark.usefixtures("one_canvas_stays")
def test_a_quiet_session_goes_whole_and_its_results_say_so(alice: Api) -> None:
    old, new = worked(alice, "old"), worked(alice, "new")
    ref = alice.get("deref", session_id="old", tool_call_id="c1").json()["items"][0]["ref_id"]
    quiet(old)
    assert figures(reclaim(days=30)) == (1, 0, 5)
    assert list(Session.objects.all()) == [new]
    assert alice.get("sessions/old").status_code == 404
    gone = alice.get("deref", ref_id=ref)
    assert gone.status_code == 410
    assert "the content was reclaimed at" in gone.json()["detail"]
    assert SignedEvent.objects.filter(event_type="deleted", actor="reclaim").count() == 5
    assert agent_verify(alice.agent).to_json()["holds"] is True
    assert figures(reclaim(days=30)) == (0, 0, 0)


@pytest.mark.usefixtures("one_canvas_stays")
def test_a_dry_run_foresees_exactly_what_happens_and_does_nothing(alice: Api) -> None:
    sessions = [worked(alice, name) for name in ("one", "two", "three")]
    shared = pair("in all of them " * 50, tool_call_id="shared")
    for name in ("one", "two", "three"):
        alice.pairs(shared, session=name)
        alice.process(name)
    quiet(*sessions[:2])
    before = OffloadedBlob.objects.filter(gone_at=None).count()
    foreseen = reclaim(days=30, dry_run=True)
    assert OffloadedBlob.objects.filter(gone_at=None).count() == before
    assert Session.objects.count() == 3
    assert reclaim(days=30).to_json() == foreseen.to_json()
    assert figures(foreseen) == (2, 0, 10)
    assert alice.get("deref", session_id="three", tool_call_id="shared").status_code == 200


def test_what_the_last_canvas_stands_for_stays_however_old(alice: Api) -> None:
    session = worked(alice, "only")
    alice.prompt("thanks", session="only")
    alice.pairs(pair("short talk " * 30, tool_call_id="aside", tool_name="Other"), session="only")
    alice.process("only")
    quiet(session)
    uncited = ToolPair.objects.filter(session=session, entry__canvas=None).count()
    assert reclaim(days=3).sessions == 0
    cited = ToolPair.objects.filter(session=session, entry__canvas__isnull=False)
    assert cited.count() >= 5
    assert not cited.filter(blob__gone_at__isnull=False).exists()
    assert ToolPair.objects.filter(blob__gone_at__isnull=False).count() == uncited
    node = alice.get("sessions/only/canvases/1").json()["nodes"][0]["node_id"]
    assert alice.get("deref", session_id="only", node_id=node).status_code == 200


@pytest.mark.usefixtures("one_canvas_stays")
def test_a_session_with_work_due_is_let_alone(alice: Api) -> None:
    worked(alice, "newest")
    alice.pairs(pair("not summarised yet"), session="waiting")
    quiet(alice.session("waiting"))
    assert figures(reclaim(days=30)) == (0, 0, 0)


def test_results_of_a_session_that_is_not_there_are_let_go_of(alice: Api) -> None:
    session = worked(alice, "lost")
    session.delete()
    assert Reference.objects.count() == 5
    assert figures(reclaim(days=30)) == (0, 0, 0)
    later = timezone.now() + timedelta(days=31)
    assert reclaim(days=30, now=later).contents == 5
    assert agent_verify(alice.agent).to_json()["holds"] is True


@pytest.mark.usefixtures("one_canvas_stays")
def test_contents_put_away_by_hand_keep_their_own_time(alice: Api) -> None:
    old = worked(alice, "old", calls=1)
    worked(alice, "new")
    text = "old def parse_0(text):\n    return text\n" * 20
    ref = alice.post("offload", {"content": text}).json()["ref_id"]
    quiet(old)
    assert figures(reclaim(days=30)) == (1, 0, 0)
    assert alice.get(f"refs/{ref}/raw").content == text.encode()


def test_one_agents_sessions_do_not_keep_anothers(alice: Api, charlie: Api) -> None:
    old = worked(alice, "same")
    worked(charlie, "same")
    quiet(old)
    reclaim(days=30)
    assert charlie.get("deref", session_id="same", tool_call_id="c1").status_code == 200
    assert alice.get("sessions/same").status_code == 200, "the canvas alice worked on last stays"


@pytest.mark.parametrize("days", ["1", "2", "-1", "36501", "99999999999"])
def test_a_retention_of_a_day_or_two_or_of_more_than_a_century_is_refused(db: None, days: str) -> None:
    with pytest.raises(CommandError, match="3 to 36500"):
        call_command("reclaim", f"--days={days}")


def test_without_a_retention_nothing_goes(alice: Api) -> None:
    quiet(worked(alice, "old"))
    reclaim_task()
    out = StringIO()
    call_command("reclaim", stdout=out)
    assert "kept for ever" in out.getvalue()
    assert Session.objects.count() == 1
    assert Reference.objects.count() == 5


def test_large_logs_are_emptied_the_largest_first(db: None, settings: Any, tmp_path: Path) -> None:
    settings.OFFLOAD_HOME, settings.OFFLOAD_LOG_MAX_BYTES = tmp_path, 100
    for name, size in (("broker.log", 90), ("other.log", 80), ("small.log", 10)):
        (tmp_path / name).write_bytes(b"x" * size)
    (tmp_path / "offload.sqlite3").write_bytes(b"x" * 1000)
    assert reclaim(days=0, dry_run=True).logs == ["broker.log"]
    assert reclaim(days=0).logs == ["broker.log"]
    assert [path.stat().st_size for path in sorted(tmp_path.iterdir())] == [0, 1000, 80, 10]
