"""What a transcript tells, one event after the other."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from pipelines.pairs import PostedPair


class UnknownFormat(ValueError):
    """The file is no transcript of a kind that can be read; the text names the kinds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSeen:
    """The transcript names its session, or tells more about it than before."""

    session_id: str
    cwd: str | None = None
    """The working folder where the session began, as the host wrote it."""
    title: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptSeen:
    """A person asked for something."""

    text: str
    timestamp: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairSeen:
    """A tool call got its result."""

    pair: PostedPair


@dataclass(frozen=True, slots=True, kw_only=True)
class Oddity:
    """Something was not as it should be, or was left out: what, and in which line of the file (from 1)."""

    line: int
    text: str


Event = SessionSeen | PromptSeen | PairSeen | Oddity
