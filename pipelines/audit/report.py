"""What a verification found, and the exit status that says it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum, StrEnum

from pipelines.signing import keys


class BreakKind(StrEnum):
    """What is wrong at one place."""

    SEQUENCE_GAP = "sequence_gap"  # rows are missing before this one
    SEQUENCE_REPEATED = "sequence_repeated"  # a row of this number, or a later one, came before
    PREV_HASH = "prev_hash"  # the row does not follow from the one before it
    ODD_VALUE = "odd_value"  # a field is empty or has a value that no event can have
    TAIL_CUT = "tail_cut"  # the chain ends before a place that it had reached
    CHECKPOINT_MISMATCH = "checkpoint_mismatch"  # at a checkpoint's place stands something else
    HEAD = "head"  # the store says that the chain ends elsewhere than it does
    SIGNATURE_MISSING = "signature_missing"  # unsigned, and must be signed or says that it is
    SIGNATURE_WRONG = "signature_wrong"  # the key did not sign this
    KEY_UNKNOWN = "key_unknown"  # the key is not trusted
    KEY_OUTSIDE_VALIDITY = "key_outside_validity"  # the key was not valid then
    KEY_REVOKED = "key_revoked"  # the key counts for nothing any more


KIND_OF_REFUSAL: dict[type[keys.SignatureRefused], BreakKind] = {
    keys.SignatureMissing: BreakKind.SIGNATURE_MISSING,
    keys.SignatureWrong: BreakKind.SIGNATURE_WRONG,
    keys.KeyUnknown: BreakKind.KEY_UNKNOWN,
    keys.KeyOutsideValidity: BreakKind.KEY_OUTSIDE_VALIDITY,
    keys.KeyRevoked: BreakKind.KEY_REVOKED,
}


class ExitCode(IntEnum):
    """The exit status of a verification."""

    HOLDS = 0  # nothing is wrong
    CHAIN_BROKEN = 1  # rows are missing, added, moved or changed
    USAGE = 2  # the command was not understood
    SIGNATURES = 3  # the chain holds, but a signature is missing, wrong or of no trusted key
    BLOBS = 4  # the chain holds, but the stored contents differ from it
    UNREADABLE = 5  # nothing could be verified


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """One thing that is wrong."""

    kind: BreakKind
    agent: str
    sequence: int | None
    """As the row says; None where it says no number."""
    row: int | None
    """The row's place among those that were read, from 1; None for a checkpoint."""
    expected: str
    found: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """The part of an agent's chain that was read."""

    first: int
    last: int
    rows: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """All that a walk over audit events found."""

    rows_checked: int
    breaks: tuple[Break, ...]
    signature_failures: tuple[Break, ...]
    unsigned: int
    """Rows without a signature, failures or not."""
    spans: dict[str, Span] = field(default_factory=dict)
    """By agent; without rows that have no number."""

    @property
    def holds(self) -> bool:
        """Nothing is wrong, with the chain or with a signature."""
        return not self.breaks and not self.signature_failures


def exit_code(report: Report, *, blobs_hold: bool = True) -> ExitCode:
    """Return the exit status: the gravest of what was found."""
    if report.breaks:
        return ExitCode.CHAIN_BROKEN
    if not blobs_hold:
        return ExitCode.BLOBS
    return ExitCode.SIGNATURES if report.signature_failures else ExitCode.HOLDS
