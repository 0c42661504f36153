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


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredContent:
    """A content as the store has it now."""

    agent: str
    content_sha256: str
    """64 hex digits: the key under which it is kept."""
    actual_sha256: str | None
    """Of the bytes as they were read just now; None when they cannot be read."""
    size_bytes: int | None
    """Of the bytes as they were read just now."""


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
    left_over: int
    """Contents whose references all expired or were deleted, and whose bytes wait to be reclaimed."""

    @property
    def holds(self) -> bool:
        """Every content that must be there is, unchanged, and there is none of unknown origin."""
        return not self.failures


@dataclass(slots=True)
class _Known:
    """What the events say of one content."""

    sequence: int
    size_bytes: int | None
    namespaces: set[str]
    seen: bool = False


def check_blobs(events: Iterable[Event], blobs: Iterable[StoredContent]) -> BlobReport:
    """Compare the contents with the events of the same agents, whose chain was verified before.

    A payload names contents by `content_sha256` with `namespace` and, where it stores them, `size_bytes`;
    or by a list `refs` of such objects, which take a missing `namespace` from the payload. A content must be
    there as long as one namespace keeps it. Memory is that of the distinct contents.
    """
    known: dict[tuple[str, str], _Known] = {}
    for event in events:
        _follow(known, event)
    failures: list[BlobFailure] = []
    checked = left_over = 0
    for blob in blobs:
        checked += 1
        record = known.get((blob.agent, blob.content_sha256))
        failures.extend(_differences(blob, record))
        if record:
            record.seen = True
            left_over += not record.namespaces
    for (agent, sha256), record in known.items():
        if record.namespaces and not record.seen:
            failures.append(
                BlobFailure(
                    kind=BlobFailureKind.MISSING,
                    agent=agent,
                    content_sha256=sha256,
                    sequence=record.sequence,
                    expected="stored",
                    found="absent",
                )
            )
    return BlobReport(blobs_checked=checked, failures=tuple(failures), left_over=left_over)


def _follow(known: dict[tuple[str, str], _Known], event: Event) -> None:
    if event.outcome != "ok" or event.event_type not in _ADDS | _TAKES_AWAY:
        return
    for sha256, namespace, size_bytes in _named(event.payload):
        key = (event.agent, sha256)
        record = known.get(key)
        if event.event_type in _TAKES_AWAY:
            if record:
                record.namespaces.discard(namespace)
            continue
        if record is None:
            record = known[key] = _Known(event.sequence, size_bytes, set())
        record.namespaces.add(namespace)
        record.sequence = event.sequence


def _named(payload: Mapping[str, Any]) -> Iterator[tuple[str, str, int | None]]:
    """Yield hash, namespace and size of each content that a payload names."""
    refs = payload.get("refs")
    for ref in refs if isinstance(refs, list) else [payload]:
        sha256 = ref.get("content_sha256") if isinstance(ref, dict) else None
        if isinstance(sha256, str):
            size = ref.get("size_bytes")
            namespace = ref.get("namespace", payload.get("namespace", ""))
            yield sha256, str(namespace), size if type(size) is int else None


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
    if blob.actual_sha256 != blob.content_sha256:
        yield failure(BlobFailureKind.ALTERED, blob.content_sha256, blob.actual_sha256 or "unreadable bytes")
    elif record and record.size_bytes is not None and record.size_bytes != blob.size_bytes:
        yield failure(BlobFailureKind.SIZE, f"{record.size_bytes} bytes", f"{blob.size_bytes} bytes")
