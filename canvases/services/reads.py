"""Reading stored contents for someone: checked, and written down before they are given out."""

from __future__ import annotations

from collections import defaultdict

from canvases.models import Agent, OffloadedBlob
from canvases.models.session import text_key
from canvases.selectors.contents import Read, blob_read
from canvases.services.audit import Draft, blob_payload, read_noted
from pipelines.audit.kinds import EventType, Outcome
from pipelines.blobs import BlobGone, BlobTooLarge, BlobUntrusted

LONGEST_NOTED = 200  # characters of an unknown name that the audit log keeps
_OUTCOMES: dict[type, Outcome] = {
    BlobGone: Outcome.EXPIRED,
    BlobTooLarge: Outcome.TOO_LARGE,
    BlobUntrusted: Outcome.SIGNATURE_REFUSED,
}


class Unknown(LookupError):
    """The agent has nothing by this name; what is unknown and what is another agent's are not told apart."""

    def __init__(self, what: str) -> None:
        super().__init__(f"no such {what}")
        self.what = what


class Reads:
    """Reads contents one after the other for `actor`, and notes them in their owners' chains together.

    `how` says by which way (`deref`, `raw`, `page`, `mcp`). Nothing may be given out before `note` has returned: when
    the notes cannot be written, the reads are not answered.
    """

    def __init__(self, *, actor: str, how: str) -> None:
        self.actor = actor
        self.how = how
        self._drafts: dict[Agent, list[Draft]] = defaultdict(list)

    def read(self, blob: OffloadedBlob) -> Read:
        """Read one content under the server's limit."""
        read = blob_read(blob)
        self._drafts[blob.agent].append(_draft(blob, read, self.actor, self.how))
        return read

    def note(self) -> None:
        """Write the reads down."""
        for agent, drafts in self._drafts.items():
            read_noted(agent, drafts)
        self._drafts.clear()


def content_read(blob: OffloadedBlob, *, actor: str, how: str) -> Read:
    """Read one content and note it."""
    reads = Reads(actor=actor, how=how)
    read = reads.read(blob)
    reads.note()
    return read


def _draft(blob: OffloadedBlob, read: Read, actor: str, how: str) -> Draft:
    payload = blob_payload(blob, how=how)
    if read.error is None:
        return Draft(event_type=EventType.DEREFERENCED, actor=actor, payload=payload)
    outcome = _OUTCOMES.get(type(read.error), Outcome.DAMAGED)
    return Draft(event_type=EventType.REFUSED, actor=actor, outcome=outcome, payload=payload)


def search_noted(agent: Agent, *, actor: str, query: str, ref_ids: list[str]) -> None:
    """Note a search and the refs it shows parts of, in one event; what was asked only by its hash."""
    payload = {"query_sha256": text_key(query), "shown": len(ref_ids), "ref_ids": ref_ids}
    read_noted(agent, [Draft(event_type=EventType.SEARCHED, actor=actor, payload=payload)])


def miss_noted(agent: Agent, *, actor: str, asked: dict[str, str]) -> None:
    """Note that something was asked for that is not the agent's."""
    asked = {name: value[:LONGEST_NOTED] for name, value in asked.items()}
    draft = Draft(event_type=EventType.REFUSED, actor=actor, outcome=Outcome.NOT_FOUND, payload=asked)
    read_noted(agent, [draft])
