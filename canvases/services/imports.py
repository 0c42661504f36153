"""Reading transcripts into sessions, through the same acts as the API."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import BinaryIO

from canvases.models import Agent, Session
from canvases.models.session import text_key
from canvases.services.ingest import batch_prepare, pairs_store, prompt_store
from canvases.services.processing import session_process
from canvases.services.quota import quota_check
from pipelines import transcripts
from pipelines.pairs import Batch, PostedPair

PAIRS_AT_ONCE = 40


@dataclass(slots=True, kw_only=True)
class Imported:
    """What came out of a transcript."""

    session_id: str
    session_pk: int | None = None
    pairs: int = 0
    duplicates: int = 0
    prompts: int = 0
    oddities: list[str] = field(default_factory=list)


class TranscriptImport:
    """One import. Prompts and pairs are stored in the transcript's order, and the session is brought up to
    date after each stretch, so that canvases grow as they would have live. Running it again adds nothing."""

    def __init__(self, *, agent: Agent, session_id: str) -> None:
        self.agent = agent
        self.done = Imported(session_id=session_id)
        self._buffer: list[PostedPair] = []
        self._sessions: set[str] = set()

    def run(self, stream: BinaryIO, *, progress: Callable[[int], None] = lambda position: None) -> Imported:
        """Import the whole stream; `progress` gets the position in bytes after each event."""
        for event in transcripts.read(stream):
            self._take(event)
            progress(stream.tell())
        self._flush()
        if len(self._sessions) > 1:
            told = f"the file tells of {len(self._sessions)} sessions; all of it went into one"
            self.done.oddities.append(told)
        return self.done

    def _take(self, event: transcripts.Event) -> None:
        if isinstance(event, transcripts.PairSeen):
            self._buffer.append(event.pair)
            if len(self._buffer) >= PAIRS_AT_ONCE:
                self._flush()
        elif isinstance(event, transcripts.PromptSeen):
            self._flush()
            self._prompt(event.text, event.timestamp)
        elif isinstance(event, transcripts.SessionSeen):
            self._sessions.add(event.session_id)
        elif isinstance(event, transcripts.Oddity):
            self.done.oddities.append(f"line {event.line}: {event.text}")

    def _prompt(self, text: str, timestamp: datetime | None) -> None:
        boundary, new = prompt_store(
            agent=self.agent,
            session_id=self.done.session_id,
            prompt=text,
            timestamp=timestamp,
            notify=False,
        )
        self.done.prompts += new
        self.done.session_pk = boundary.session_id

    def _flush(self) -> None:
        if self._buffer:
            batch = Batch(pairs=list(enumerate(self._buffer)))
            prepared = batch_prepare(agent=self.agent, batch=batch)
            quota_check(self.agent, (row.size_bytes for row in prepared.new_blobs.values()))
            stored = pairs_store(
                agent=self.agent,
                session_id=self.done.session_id,
                batch=prepared,
                actor="import",
                notify=False,
            )
            self.done.pairs += sum(not one.duplicate for one in stored)
            self.done.duplicates += sum(one.duplicate for one in stored)
            self._buffer.clear()
        session = Session.objects.filter(agent=self.agent, session_key=text_key(self.done.session_id)).first()
        if session is not None:
            self.done.session_pk = session.pk
            session_process(session.pk)
