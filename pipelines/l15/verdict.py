"""What the boundary judge is told of canvases, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class VerdictKind(StrEnum):
    """How the work after a prompt is kept."""

    LONG = "long"  # on a canvas
    SHORT = "short"  # without a canvas, so far
    PENDING = "pending"  # nothing was done yet


@dataclass(frozen=True, slots=True, kw_only=True)
class CanvasBrief:
    """A canvas in a few words."""

    number: int
    label: str
    goal: str
    status: str
    objects: tuple[str, ...]
    """What its calls were about: paths, symbols, packages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Where the work after a prompt belongs."""

    kind: VerdictKind
    canvas: int | None
    """The number of a canvas to go on with; None with `long` asks for a new one."""
    label: str
    """Lower-case words joined by hyphens, at most 30 characters."""
    goal: str
    """What the person asked for, in their words, one line of at most 160 characters."""
    reason: str
    """One plain sentence for the page."""
