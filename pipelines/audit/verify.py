"""Walk audit events and list everything that is wrong, in memory that does not grow with the chain."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from pipelines.audit import events as chain
from pipelines.audit.events import Checkpoint, Event, EventInvalid, Head
from pipelines.audit.report import KIND_OF_REFUSAL, Break, BreakKind, Report, Span
from pipelines.signing.keys import KeyRing, SignatureMissing, SignatureRefused


def verify(
    events: Iterable[Event],
    ring: KeyRing,
    *,
    checkpoints: Iterable[Checkpoint] = (),
    since: Iterable[Head] = (),
    heads: Iterable[Head] = (),
    must_be_signed: bool,
) -> Report:
    """Walk the events of one or more agents, each agent's by ascending sequence, and report all breaks.

    `checkpoints` come from where who can change the events cannot change them; they show a tail that was cut.
    `since` are heads that were verified before: an agent's events begin after its head, at 1 without one.
    `heads` are where the store itself says that the chains end, `sequence` 0 for a chain without events.
    `must_be_signed` is the policy's, never taken from the rows. A row's values may be of any type: what
    cannot be is reported. Memory is that of the agents, the checkpoints and the breaks.
    """
    walk = _Walk(ring, must_be_signed, since)
    walk.expect(checkpoints)
    walk.expect_ends(heads)
    for event in events:
        walk.step(event)
    return walk.end()


@dataclass(slots=True)
class _Place:
    """Where the walk stands in one agent's chain."""

    sequence: int
    event_hash: bytes | None
    furthest: int
    first: int | None = None
    rows: int = 0


@dataclass(slots=True)
class _Walk:
    ring: KeyRing
    must_be_signed: bool
    since: Iterable[Head]
    places: dict[str, _Place] = field(init=False)
    due: defaultdict[str, dict[int, set[bytes]]] = field(default_factory=lambda: defaultdict(dict))
    ends: dict[str, Head] = field(default_factory=dict)
    breaks: list[Break] = field(default_factory=list)
    failures: list[Break] = field(default_factory=list)
    row: int = 0
    unsigned: int = 0

    def __post_init__(self) -> None:
        self.places = {
            head.agent: _Place(head.sequence, head.event_hash, furthest=head.sequence) for head in self.since
        }

    def expect(self, checkpoints: Iterable[Checkpoint]) -> None:
        for point in checkpoints:
            try:
                at, signed = _readable_point(point)
            except EventInvalid as error:
                self._break(BreakKind.ODD_VALUE, point, "a checkpoint", str(error), row=None)
                continue
            if self._signature_holds(point, signed, at, row=None):
                self.due[point.agent].setdefault(point.sequence, set()).add(point.head_hash)
        for agent, place in self.places.items():
            self._compare(agent, place.sequence, place.event_hash)
            for sequence in [number for number in self.due[agent] if number < place.sequence]:
                del self.due[agent][sequence]

    def expect_ends(self, heads: Iterable[Head]) -> None:
        self.ends = {head.agent: head for head in heads}

    def step(self, event: Event) -> None:
        self.row += 1
        self.unsigned += event.signature is None
        event_hash: bytes | None = None
        try:
            at, signed = _readable(event)
        except EventInvalid as error:
            self._break(BreakKind.ODD_VALUE, event, "the values of an event", str(error))
        else:
            event_hash = chain.hash_of_bytes(signed, event.signature)
            self._signature_holds(event, signed, at, row=self.row)
        if _is_number(event.sequence) and isinstance(event.agent, str):
            self._advance(event, event_hash)

    def _advance(self, event: Event, event_hash: bytes | None) -> None:
        place = self.places.get(event.agent)
        if place is None:
            place = self.places[event.agent] = _Place(0, chain.GENESIS, furthest=0)
        expected = place.sequence + 1
        if event.sequence != expected:
            gap = event.sequence > expected
            kind = BreakKind.SEQUENCE_GAP if gap else BreakKind.SEQUENCE_REPEATED
            self._break(kind, event, str(expected), str(event.sequence))
        elif place.event_hash is not None and event.prev_hash != place.event_hash:
            self._break(BreakKind.PREV_HASH, event, place.event_hash.hex(), _shown(event.prev_hash))
        self._compare(event.agent, event.sequence, event_hash)
        place.sequence, place.event_hash = event.sequence, event_hash
        place.furthest = max(place.furthest, event.sequence)
        place.first = event.sequence if place.first is None else min(place.first, event.sequence)
        place.rows += 1

    def _compare(self, agent: str, sequence: int, event_hash: bytes | None) -> None:
        if agent not in self.due:
            return
        for head_hash in sorted(self.due[agent].pop(sequence, ())):
            if head_hash != event_hash:
                found = event_hash.hex() if event_hash else "a row that cannot be read"
                row = self.row or None
                self._note(BreakKind.CHECKPOINT_MISMATCH, agent, sequence, row, head_hash.hex(), found)

    def end(self) -> Report:
        for head in self.ends.values():
            self._end(head, self.places.get(head.agent) or _Place(0, chain.GENESIS, furthest=0))
        for agent, points in self.due.items():
            place = self.places.get(agent)
            furthest = place.furthest if place else 0
            for sequence, hashes in sorted(points.items()):
                cut = sequence > furthest
                kind = BreakKind.TAIL_CUT if cut else BreakKind.CHECKPOINT_MISMATCH
                found = f"the chain ends at {furthest}" if cut else "no row of this number"
                for head_hash in sorted(hashes):
                    self._note(kind, agent, sequence, None, head_hash.hex(), found)
        return Report(
            rows_checked=self.row,
            breaks=tuple(self.breaks),
            signature_failures=tuple(self.failures),
            unsigned=self.unsigned,
            spans={
                agent: Span(first=place.first, last=place.furthest, rows=place.rows)
                for agent, place in self.places.items()
                if place.first is not None
            },
        )

    def _end(self, head: Head, place: _Place) -> None:
        if place.furthest < head.sequence:
            found = f"the chain ends at {place.furthest}"
            self._note(BreakKind.TAIL_CUT, head.agent, head.sequence, None, head.event_hash.hex(), found)
        elif place.furthest > head.sequence:
            found = f"an end at {head.sequence}"
            self._note(BreakKind.HEAD, head.agent, place.furthest, None, f"an end at {place.furthest}", found)
        elif place.event_hash not in (None, head.event_hash):
            expected = _shown(place.event_hash)
            self._note(BreakKind.HEAD, head.agent, head.sequence, None, expected, head.event_hash.hex())

    def _signature_holds(
        self, signer: Event | Checkpoint, signed: bytes, at: datetime, *, row: int | None
    ) -> bool:
        if signer.key_id is None and signer.signature is None and not self.must_be_signed:
            return True
        try:
            self.ring.verify(signer.key_id, signer.signature, signed, at=at)
        except SignatureRefused as refusal:
            missing = isinstance(refusal, SignatureMissing)
            expected = "a signature" if missing else f"a signature of key {_shown(signer.key_id)}"
            found = Break(
                kind=KIND_OF_REFUSAL[type(refusal)],
                agent=signer.agent,
                sequence=signer.sequence,
                row=row,
                expected=expected,
                found=str(refusal),
            )
            self.failures.append(found)
            return False
        return True

    def _break(
        self, kind: BreakKind, where: Event | Checkpoint, expected: str, found: str, row: int | None = -1
    ) -> None:
        sequence = where.sequence if _is_number(where.sequence) else None
        place = self.row if row == -1 else row
        self._note(kind, _shown(where.agent), sequence, place, expected, found)

    def _note(
        self, kind: BreakKind, agent: str, sequence: int | None, row: int | None, expected: str, found: str
    ) -> None:
        self.breaks.append(
            Break(kind=kind, agent=agent, sequence=sequence, row=row, expected=expected, found=found)
        )


def _readable(event: Event) -> tuple[datetime, bytes]:
    """Return the time and the signed bytes of an event; raise EventInvalid for a value that cannot be."""
    for name in ("agent", "event_type", "actor", "outcome"):
        _require(isinstance(getattr(event, name), str), name, event)
    _require(_is_number(event.sequence), "sequence", event)
    _require(isinstance(event.event_id, str) and chain.is_event_id(event.event_id), "event_id", event)
    _require(isinstance(event.payload, Mapping), "payload", event)
    _require(_is_hash(event.prev_hash), "prev_hash", event)
    return _readable_signature(event), chain.event_bytes(event)


def _readable_point(point: Checkpoint) -> tuple[datetime, bytes]:
    _require(isinstance(point.agent, str), "agent", point)
    _require(_is_number(point.sequence), "sequence", point)
    _require(_is_hash(point.head_hash), "head_hash", point)
    return _readable_signature(point), chain.checkpoint_bytes(point)


def _readable_signature(signer: Event | Checkpoint) -> datetime:
    _require(signer.key_id is None or isinstance(signer.key_id, str), "key_id", signer)
    _require(signer.signature is None or isinstance(signer.signature, bytes), "signature", signer)
    _require(isinstance(signer.timestamp, str), "timestamp", signer)
    return chain.time_of(signer.timestamp)


def _require(fulfilled: bool, name: str, where: Event | Checkpoint) -> None:
    if not fulfilled:
        raise EventInvalid(f"{name} is {_shown(getattr(where, name))}")


def _is_number(value: Any) -> bool:
    return type(value) is int and 0 < value < 2**63


def _is_hash(value: Any) -> bool:
    return isinstance(value, bytes) and len(value) == len(chain.GENESIS)


def _shown(value: Any) -> str:
    if isinstance(value, bytes):
        return value[:64].hex() or "empty"
    if isinstance(value, str):
        return value[:200] or "empty"
    # Python refuses to write out a very long number, and a container may hold one.
    short = value is None or isinstance(value, bool | float) or (type(value) is int and abs(value) < 2**63)
    return repr(value) if short else f"a value of type {type(value).__name__}"
