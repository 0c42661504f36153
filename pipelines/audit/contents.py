"""Compare stored contents with what the audit events say must be there, as it was stored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pipelines.audit.events import Event
from pipelines.audit.kinds import EventType

_ADDS = frozenset({EventType.OFFLOADED, EventType.IMPORTED})
_TAKES_AWAY = frozenset({EventType.EXPIRED, EventType.DELETED})


class BlobFailureKind(StrEnum):
    """How the store differs from the events."""

    MISSING = "missing"  # no event took the content away, and it is gone
    ALTERED = "altered"  # the bytes are not those of the hash, or cannot be read
    SIZE = "size"  # the bytes are not as many as were stored
    UNRECORDED = "unrecorded"  # no event tells where the content comes from
    UNKEPT = "unkept"  # a namespace keeps it by the events, and no reference says so
    UNASKED = "unasked"  # a reference keeps it for a namespace that no event tells of
    LIFE = "life"  # a reference keeps it for another time than the events tell
    SIGNATURE = "signature"  # a reference says something else than was signed
    TOKENS = "tokens"  # it counts for other tokens than were counted when it was stored
    END = "end"  # it went in another way than the events tell, or is there though it went
    ROW = "row"  # its row contradicts itself


@dataclass(frozen=True, slots=True, kw_only=True)
class Life:
    """For how long a namespace keeps a content; times are Unix seconds."""

    ttl_seconds: int | None
    expires_at: int | None
    stored_at: int | None = None
    """None: not compared."""

    def differs(self, other: Life) -> bool:
        """Say whether both cannot be of one reference."""
        if None not in (self.stored_at, other.stored_at) and self.stored_at != other.stored_at:
            return True
        return (self.ttl_seconds, self.expires_at) != (other.ttl_seconds, other.expires_at)

    def __str__(self) -> str:
        return f"until {self.expires_at}" if self.expires_at is not None else "for good"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredContent:
    """A content as the store has it now."""

    agent: str
    content_sha256: str
    """64 hex digits: the key under which it is kept."""
    actual_sha256: str | None
    """Of the bytes as they were read just now; None when they cannot be read."""
    size_bytes: int | None
    """Of the bytes as they were read just now; as the row says where they are gone."""
    tokens: int | None = None
    """As the store has them; None: not compared."""
    lives: Mapping[str, Life] | None = None
    """By namespace, what its reference says; None: not compared."""
    refused: tuple[tuple[str, str], ...] = ()
    """Namespaces whose reference failed its check, each with the reason."""
    gone_why: str | None = None
    """Set when the store says that the bytes were taken away, and how: an event type."""
    gone_at: str | None = None
    """When, as the events write it; None: not compared."""
    odd: tuple[tuple[str, str], ...] = ()
    """Where the row contradicts itself: what it should say, and what it says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BlobFailure:
    """One content that differs."""

    kind: BlobFailureKind
    agent: str
    content_sha256: str
    sequence: int | None
    """The event that last stored it; None when there is none."""
    expected: str
    found: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BlobReport:
    """What the comparison found."""

    blobs_checked: int
    failures: tuple[BlobFailure, ...]

    @property
    def holds(self) -> bool:
        """Every content that must be there is, unchanged, and there is none of unknown origin."""
        return not self.failures


@dataclass(slots=True)
class _Known:
    """What the events say of one content."""

    sequence: int
    size_bytes: int | None
    tokens: int | None
    lives: dict[str, Life]
    ended_by: str = ""
    gone_at: str | None = None
    seen: bool = False


def check_blobs(events: Iterable[Event], blobs: Iterable[StoredContent]) -> BlobReport:
    """Compare the contents with the events of the same agents, whose chain was verified before.

    A payload names contents by `content_sha256` with `namespace` and, where it stores them, `size_bytes` and
    `tokens`, and for how long (`ttl_seconds`, `expires_at`, `stored_at`); or by a list `refs` of such objects, which
    take a missing `namespace` from the payload. A content must be there as long as one namespace keeps it, and its
    row for ever. Memory is that of the distinct contents and their namespaces.
    """
    known: dict[tuple[str, str], _Known] = {}
    for event in events:
        _follow(known, event)
    failures: list[BlobFailure] = []
    checked = 0
    for blob in blobs:
        checked += 1
        record = known.get((blob.agent, blob.content_sha256))
        failures.extend(_differences(blob, record))
        if record:
            record.seen = True
    for (agent, sha256), record in known.items():
        if not record.seen:
            failures.append(
                BlobFailure(
                    kind=BlobFailureKind.MISSING,
                    agent=agent,
                    content_sha256=sha256,
                    sequence=record.sequence,
                    expected="stored" if record.lives else f"a row that says {record.ended_by}",
                    found="absent",
                )
            )
    return BlobReport(blobs_checked=checked, failures=tuple(failures))


def _follow(known: dict[tuple[str, str], _Known], event: Event) -> None:
    if event.outcome != "ok" or event.event_type not in _ADDS | _TAKES_AWAY:
        return
    for sha256, namespace, told in _named(event.payload):
        key = (event.agent, sha256)
        record = known.get(key)
        if event.event_type in _TAKES_AWAY:
            if record:
                record.lives.pop(namespace, None)
                record.ended_by = str(event.payload.get("why", event.event_type))
                record.gone_at = _text(event.payload.get("gone_at"))
            continue
        if record is None:
            size, tokens = _number(told.get("size_bytes")), _number(told.get("tokens"))
            record = known[key] = _Known(event.sequence, size, tokens, {})
        record.lives[namespace] = Life(
            ttl_seconds=_number(told.get("ttl_seconds")),
            expires_at=_number(told.get("expires_at")),
            stored_at=_number(told.get("stored_at")),
        )
        record.sequence = event.sequence


def _named(payload: Mapping[str, Any]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Yield hash and namespace of each content that a payload names, and the object that names it."""
    refs = payload.get("refs")
    for ref in refs if isinstance(refs, list) else [payload]:
        sha256 = ref.get("content_sha256") if isinstance(ref, dict) else None
        if isinstance(sha256, str):
            yield sha256, str(ref.get("namespace", payload.get("namespace", ""))), ref


def _number(value: Any) -> int | None:
    return value if type(value) is int else None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _differences(blob: StoredContent, record: _Known | None) -> Iterator[BlobFailure]:
    def failure(kind: BlobFailureKind, expected: str, found: str) -> BlobFailure:
        return BlobFailure(
            kind=kind,
            agent=blob.agent,
            content_sha256=blob.content_sha256,
            sequence=record.sequence if record else None,
            expected=expected,
            found=found,
        )

    if record is None:
        yield failure(BlobFailureKind.UNRECORDED, "an event that stored it", "none")
    for namespace, reason in blob.refused:
        yield failure(BlobFailureKind.SIGNATURE, f"what was signed for {namespace!a}", reason)
    for expected, found in blob.odd:
        yield failure(BlobFailureKind.ROW, expected, found)
    if blob.gone_why is None and blob.actual_sha256 != blob.content_sha256:
        yield failure(BlobFailureKind.ALTERED, blob.content_sha256, blob.actual_sha256 or "unreadable bytes")
    elif record and record.size_bytes is not None and record.size_bytes != blob.size_bytes:
        yield failure(BlobFailureKind.SIZE, f"{record.size_bytes} bytes", f"{blob.size_bytes} bytes")
    if record is None:
        return
    if None not in (record.tokens, blob.tokens) and record.tokens != blob.tokens:
        yield failure(BlobFailureKind.TOKENS, f"{record.tokens} tokens", f"{blob.tokens} tokens")
    if record.lives and blob.gone_why is not None:
        yield failure(BlobFailureKind.MISSING, "stored", blob.gone_why)
    elif not record.lives:
        if record.ended_by != blob.gone_why:
            yield failure(BlobFailureKind.END, record.ended_by, blob.gone_why or "stored")
        elif None not in (record.gone_at, blob.gone_at) and record.gone_at != blob.gone_at:
            yield failure(BlobFailureKind.END, f"gone at {record.gone_at}", f"gone at {blob.gone_at}")
    if blob.lives is not None:
        for kind, expected, found in _life_differences(record.lives, blob.lives):
            yield failure(kind, expected, found)


def _life_differences(
    told: Mapping[str, Life], kept: Mapping[str, Life]
) -> Iterator[tuple[BlobFailureKind, str, str]]:
    for namespace in sorted(told.keys() - kept.keys()):
        yield BlobFailureKind.UNKEPT, f"a reference of {namespace!a}", "none"
    for namespace in sorted(kept.keys() - told.keys()):
        yield BlobFailureKind.UNASKED, "none", f"a reference of {namespace!a}"
    for namespace in sorted(told.keys() & kept.keys()):
        if told[namespace].differs(kept[namespace]):
            yield BlobFailureKind.LIFE, f"{namespace!a} {told[namespace]}", str(kept[namespace])
