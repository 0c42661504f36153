"""`verify_chain` as a person or a program runs it."""

from __future__ import annotations

import io
import json

import pytest
from django.core.management import CommandError, call_command

from canvases.models import Agent, SignedEvent
from tests.integration.refs.acts import put


def verify(*words: str) -> tuple[int, str]:
    """Run the check; return its exit status and what it printed."""
    out = io.StringIO()
    try:
        call_command("verify_chain", *words, stdout=out)
    except SystemExit as left:
        return int(str(left.code)), out.getvalue()
    return 0, out.getvalue()


@pytest.fixture
def three(agent: Agent) -> Agent:
    for text in ("one", "two", "three"):
        put(agent, text)
    return agent


def test_empty_db(agent: Agent) -> None:
    assert verify() == (0, "ai:alice OK: 0 events and 0 contents checked\n")


def test_populated_db(three: Agent) -> None:
    assert verify() == (0, "ai:alice OK: 3 events and 3 contents checked\n")


def test_since_filter(three: Agent) -> None:
    status, text = verify("--since=1", "--format=json")
    assert (status, json.loads(text)[0]["rows_checked"]) == (0, 2)


def test_broken_chain_text(three: Agent) -> None:
    SignedEvent.objects.filter(sequence=3).update(sequence=99)
    status, text = verify()
    assert status == 1
    assert text.startswith("ai:alice FAIL")
    assert "event 99: sequence_gap, expected 3, found 99" in text


def test_broken_chain_json(three: Agent) -> None:
    SignedEvent.objects.filter(sequence=3).update(sequence=99)
    status, text = verify("--format=json")
    (found,) = json.loads(text)
    assert (status, found["holds"]) == (1, False)
    assert [one["sequence"] for one in found["breaks"] if one["kind"] == "sequence_gap"] == [99]


def test_default_format_falls_back_to_text(three: Agent) -> None:
    """A format that is not known is an error of usage: who asked for it would read the text wrongly."""
    assert verify()[1].startswith("ai:alice OK")
    with pytest.raises(CommandError, match="invalid choice: 'yaml'"):
        verify("--format=yaml")


def test_failures_of_signatures_alone_have_an_exit_status_of_their_own(three: Agent) -> None:
    SignedEvent.objects.filter(sequence=3).update(signature=b"\1" * 64)
    assert verify()[0] != 0


def test_migration_is_idempotent(three: Agent) -> None:
    before = list(SignedEvent.objects.order_by("sequence").values())
    call_command("migrate", verbosity=0)
    assert list(SignedEvent.objects.order_by("sequence").values()) == before
    assert verify()[0] == 0
