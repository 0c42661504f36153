"""The audit rows of ai-memory, in both of their byte layouts, and a walk that lists what is wrong with them."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum

from pipelines.audit.events import GENESIS
from pipelines.audit.report import Break, BreakKind, Report, Span
from pipelines.signing.keys import PublicKey, SignatureRefused

UNSIGNED = "unsigned"
# Its keys have no validity.
_ANY_TIME = datetime(1970, 1, 1, tzinfo=UTC)


class Layout(StrEnum):
    """How a row becomes the bytes that the next row's `prev_hash` is of."""

    V07 = "v0.7"  # fields with 0x1F between them, which two different rows can share
    V10 = "v1.0"  # fields with their lengths before them, and the hash of a cause


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row of its table `signed_events`, as it stands there."""

    id: str
    agent_id: str
    event_type: str
    payload_hash: bytes
    """SHA-256 of the signed bundle."""
    signature: bytes | None
    attest_level: str
    timestamp: str
    """The text that was hashed, with as many digits as it had."""
    prev_hash: bytes | None
    sequence: int | None
    cause_hash: bytes | None = None
    """Only in v1.0."""


def row_bytes(row: Row, layout: Layout) -> bytes:
    """Return the bytes of a row that are hashed. Raises struct.error without a 64-bit sequence number."""
    fields = [
        row.id.encode(),
        row.agent_id.encode(),
        row.event_type.encode(),
        row.payload_hash,
        row.signature or b"",
        row.attest_level.encode(),
        row.timestamp.encode(),
    ]
    sequence = struct.pack(">q", row.sequence)
    if layout is Layout.V07:
        return b"\x1f".join([*fields, sequence])
    cause = b"\x00" if row.cause_hash is None else b"\x01" + _with_length(row.cause_hash)
    return b"".join(map(_with_length, fields)) + sequence + cause


def row_hash(row: Row, layout: Layout) -> bytes:
    """Return the SHA-256 (32 bytes) that the next row's `prev_hash` must be."""
    return hashlib.sha256(row_bytes(row, layout)).digest()


def walk(
    rows: Iterable[Row], *, public: bytes | None = None, bundles: Mapping[bytes, bytes] | None = None
) -> Report:
    """Walk the rows of one table by ascending sequence from 1 on, and list everything that is wrong.

    The table has one chain for all its agents. Its layout may change once from v0.7 to v1.0, never back. With
    `public` (32 raw bytes) each row whose level is not `unsigned` must bear a signature of that key, over its
    `payload_hash` or over the bundle of that hash, from `bundles`; without it no signature is checked.
    """
    key = PublicKey(public=public, valid_from=_ANY_TIME) if public else None
    found = _Walk(key, bundles or {})
    for row in rows:
        found.step(row)
    return found.report()


@dataclass(slots=True)
class _Walk:
    key: PublicKey | None
    bundles: Mapping[bytes, bytes]
    previous: Row | None = None
    layouts: tuple[Layout, ...] = tuple(Layout)
    row: int = 0
    unsigned: int = 0
    first: int = 0
    last: int = 0
    breaks: list[Break] = field(default_factory=list)
    failures: list[Break] = field(default_factory=list)

    def step(self, row: Row) -> None:
        self.row += 1
        self.unsigned += not row.signature
        if oddity := _oddity(row):
            self._note(BreakKind.ODD_VALUE, row, "the values of a row", oddity)
            return
        if self.key and not self._signature_holds(self.key, row):
            kind = BreakKind.SIGNATURE_WRONG if row.signature else BreakKind.SIGNATURE_MISSING
            self._note(
                kind, row, f"a signature of key {self.key.key_id}", (row.signature or b"").hex() or "none"
            )
        sequence = row.sequence or 0
        expected = (self.previous.sequence or 0) + 1 if self.previous else 1
        if sequence != expected:
            gap = sequence > expected
            kind = BreakKind.SEQUENCE_GAP if gap else BreakKind.SEQUENCE_REPEATED
            self._note(kind, row, str(expected), str(sequence))
        else:
            self._follow(row)
        self.previous = row
        self.first, self.last = self.first or sequence, max(self.last, sequence)

    def _follow(self, row: Row) -> None:
        if self.previous is None:
            hashes = {GENESIS: self.layouts}
        else:
            # Once a row was bound the newer way, those after it must be.
            hashes = {
                row_hash(self.previous, layout): self.layouts[number:]
                for number, layout in enumerate(self.layouts)
            }
        found = row.prev_hash or b""
        if found in hashes:
            self.layouts = hashes[found]
        else:
            expected = " or ".join(known.hex() for known in hashes)
            self._note(BreakKind.PREV_HASH, row, expected, found.hex() or "nothing")

    def _signature_holds(self, key: PublicKey, row: Row) -> bool:
        if not row.signature:
            return row.attest_level == UNSIGNED
        for message in (row.payload_hash, self.bundles.get(row.payload_hash)):
            if message is None or hashlib.sha256(message).digest() != row.payload_hash != message:
                continue
            try:
                key.verify(row.signature, message, at=_ANY_TIME)
            except SignatureRefused:
                continue
            return True
        return False

    def _note(self, kind: BreakKind, row: Row, expected: str, found: str) -> None:
        signature = kind in (BreakKind.SIGNATURE_WRONG, BreakKind.SIGNATURE_MISSING)
        (self.failures if signature else self.breaks).append(
            Break(
                kind=kind,
                agent=str(row.agent_id)[:200],
                sequence=row.sequence if type(row.sequence) is int else None,
                row=self.row,
                expected=expected,
                found=found,
            )
        )

    def report(self) -> Report:
        return Report(
            rows_checked=self.row,
            breaks=tuple(self.breaks),
            signature_failures=tuple(self.failures),
            unsigned=self.unsigned,
            spans={"": Span(first=self.first, last=self.last, rows=self.row)} if self.first else {},
        )


def _oddity(row: Row) -> str:
    """Return which value of a row cannot be, in words; empty for a good row."""
    if type(row.sequence) is not int or not 0 < row.sequence < 2**63:
        return "sequence is empty or no number from 1 on"
    for name in ("id", "agent_id", "event_type", "attest_level", "timestamp"):
        if not isinstance(getattr(row, name), str):
            return f"{name} is no text"
        try:
            getattr(row, name).encode()
        except UnicodeEncodeError:
            return f"{name} has a lone surrogate"
    for name in ("payload_hash", "prev_hash", "cause_hash"):
        value = getattr(row, name)
        if not (value is None and name == "cause_hash") and not (
            isinstance(value, bytes) and len(value) == 32
        ):
            return f"{name} is not 32 bytes"
    return "" if row.signature is None or isinstance(row.signature, bytes) else "signature is not bytes"


def _with_length(raw: bytes) -> bytes:
    return struct.pack(">Q", len(raw)) + raw
