"""Reading parts of results back by any name an agent holds, for a context: found, checked, noted, then given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from canvases.models import Agent, OffloadedBlob, Session, ToolPair
from canvases.reading.json_path import parse
from canvases.selectors import deref, paging
from canvases.selectors.contents import Read
from canvases.selectors.sessions import agent_session
from canvases.services.reads import Reads, Unknown, miss_noted
from canvases.services.ref_reads import RefRefused, refusal_of
from pipelines.readback import ReadError

NAMES = ("node_id", "ref_id", "tool_call_id", "result_ref")
_Found = tuple[OffloadedBlob, ToolPair | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Which results to read: a name and its kind (one of NAMES), the session it is of, a page's token."""

    name: str
    value: str
    session_id: str | None = None
    after: str = ""


def asked(names: Mapping[str, str | None], *, session_id: str | None, after: str = "") -> Asked:
    """Return what is asked for by the one of NAMES that is given. Raises ReadError."""
    given = [name for name in NAMES if names.get(name) is not None]
    if len(given) != 1:
        raise ReadError(f"Send exactly one of {', '.join(NAMES)}")
    if given[0] != "ref_id" and session_id is None:
        raise ReadError(f"{given[0]} needs session_id beside it")
    return Asked(name=given[0], value=names[given[0]] or "", session_id=session_id, after=after)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """Who reads, as the audit log names them, and by which way."""

    agent: Agent
    actor: str
    how: str


def results_read(
    reader: Reader, asked: Asked, reading: deref.Reading, *, json_path: str = "", lone_refused: bool = False
) -> paging.Page:
    """Return a page of the results that answer to a name, as `selectors.deref.items` gives them, and note it.

    Raises Unknown, ReadError, and BlobGone when nothing of it is kept. With `lone_refused` a single content
    that is not given out raises RefRefused, else its item tells why.
    """
    reads = Reads(actor=reader.actor, how=reader.how)
    try:
        path = parse(json_path) if json_path else None
        page = paging.cut(_found(reader, asked), deref.MAX_ITEMS, tokens=_token)
        is_alone = lone_refused and len(page.items) == 1

        def read(blob: OffloadedBlob) -> Read:
            done = reads.read(blob)
            if is_alone and done.content is None:
                raise RefRefused(blob.ref_id, refusal_of(done.error), str(done.error))
            return done

        return paging.Page(deref.items(page.items, reading, read=read, path=path), page.next)
    finally:
        reads.note()  # the words of a refusal tell of the content too


def _token(found: _Found) -> str:
    return paging.token(found[1].seq if found[1] else 0)


def _found(reader: Reader, asked: Asked) -> list[_Found]:
    if asked.name == "ref_id":
        blobs = deref.blobs_by_ref(reader.agent, asked.value)
        if not blobs:
            raise _missed(reader, asked, "ref")
        return [(blob, deref.first_pair(blob)) for blob in blobs]
    at = paging.position(asked.after, int) or [0]
    session = agent_session(reader.agent, asked.session_id or "")
    if session is None:
        raise Unknown("session")
    pairs = _pairs(session, asked, at[0])
    if not pairs:
        raise _missed(reader, asked, "result")
    return [(pair.blob, pair) for pair in pairs]


def _pairs(session: Session, asked: Asked, after: int) -> list[ToolPair] | None:
    if asked.name == "node_id":
        return deref.pairs_by_node(session, asked.value, after)
    if asked.name == "tool_call_id":
        return deref.pairs_by_call(session, asked.value, after)
    return deref.pairs_by_result_ref(session, asked.value)


def _missed(reader: Reader, asked: Asked, what: str) -> Unknown:
    """Note the miss and return the error for it."""
    miss_noted(reader.agent, actor=reader.actor, asked={asked.name: asked.value})
    return Unknown(what)
