"""Transcripts of agents' sessions, read as a stream of events; the format is recognised by the content."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from pipelines.transcripts import claude_code
from pipelines.transcripts.events import Event, Oddity, PairSeen, PromptSeen, SessionSeen, UnknownFormat
from pipelines.transcripts.source import Source

__all__ = [
    "Event",
    "Oddity",
    "PairSeen",
    "PromptSeen",
    "SessionSeen",
    "UnknownFormat",
    "read",
    "session_id",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One kind of transcript; each has a module."""

    name: str
    recognises: Callable[[bytes], bool]
    """Say whether a file that begins with these bytes (up to 64 KiB) is of this kind."""
    read: Callable[[Source], Iterator[Event]]


FORMATS = (Format(name=claude_code.NAME, recognises=claude_code.recognises, read=claude_code.read),)


def read(stream: BinaryIO) -> Iterator[Event]:
    """Yield the events of the transcript in a binary stream (open at its beginning, seekable or not).

    Memory is bounded by the longest line and by what waits for its other half. Raises UnknownFormat at the
    first event when no format recognises the file; never raises for what is wrong inside one: that is
    reported as an Oddity, and everything around it is kept.
    """
    source = Source(stream)
    for kind in FORMATS:
        if kind.recognises(source.head):
            yield from kind.read(source)
            return
    names = ", ".join(kind.name for kind in FORMATS)
    what = "this is no transcript that can be read" if source.head.strip() else "the file is empty"
    raise UnknownFormat(f"{what}; send one of: {names}")


def session_id(stream: BinaryIO) -> str | None:
    """Return the id of the session a transcript tells of, or None when it names none.

    Reads no further than needed and leaves the stream there. Raises UnknownFormat as `read` does.
    """
    for event in read(stream):
        if isinstance(event, SessionSeen):
            return event.session_id
    return None
