"""Which dialect each message of a list is written in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pipelines.messages.anthropic import Anthropic
from pipelines.messages.openai_chat import OpenAIChat
from pipelines.messages.pi import Pi
from pipelines.messages.responses import Responses
from pipelines.messages.view import Dialect, Raw, View
from pipelines.messages.wrapped import Unknown, Wrapped

ANTHROPIC = Anthropic()
OPENAI_CHAT = OpenAIChat()
RESPONSES = Responses()
PI = Pi()
UNKNOWN = Unknown()
_PLAIN: tuple[Dialect, ...] = (OPENAI_CHAT, ANTHROPIC, RESPONSES, PI)
_WRAPPED: tuple[Dialect, ...] = (Wrapped(PI), Wrapped(ANTHROPIC), Wrapped(OPENAI_CHAT))
DIALECTS = (*_PLAIN, *_WRAPPED)
"""Every dialect; of several that a whole list fits, the first is taken."""


def views(raws: Sequence[Raw]) -> list[View]:
    """Return each message seen in its dialect, in order.

    A message that several dialects write alike (`{"role": "user", "content": "x"}`) is taken to be of the nearest
    message's that only one dialect writes so; in a list with none, of the first dialect that all of it fits. What
    no dialect knows is one part with Role.OTHER.
    """
    return [
        dialect.view(raw) or UNKNOWN.view(raw) for raw, dialect in zip(raws, _dialects(raws), strict=True)
    ]


def _dialects(raws: Sequence[Raw]) -> list[Dialect]:
    possible = [_possible(raw) for raw in raws]
    sure = [options[0] if len(options) == 1 else None for options in possible]
    before = _nearest(sure, range(len(raws)))
    after = _nearest(sure, range(len(raws) - 1, -1, -1))
    alike = next((one for one in DIALECTS if all(one in options for options in possible if options)), None)
    return [
        _choice(place, options, before[place], after[place], alike) for place, options in enumerate(possible)
    ]


def _possible(raw: Raw) -> tuple[Dialect, ...]:
    """Return the dialects a message may be of: one when only one writes so, none when it is of no dialect."""
    if raw.get("type") == "message" and isinstance(raw.get("message"), dict):
        fitting = tuple(dialect for dialect in _WRAPPED if dialect.fits(raw))
    else:
        fitting = tuple(dialect for dialect in _PLAIN if dialect.fits(raw))
    if len(fitting) < 2:
        return fitting
    return next(((dialect,) for dialect in fitting if dialect.owns(raw)), fitting)


def _nearest(sure: list[Dialect | None], order: Iterable[int]) -> list[tuple[int, Dialect] | None]:
    """Return for each message the last one before it, in this order, whose dialect is sure."""
    found: list[tuple[int, Dialect] | None] = [None] * len(sure)
    last: tuple[int, Dialect] | None = None
    for place in order:
        dialect = sure[place]
        if dialect is not None:
            last = (place, dialect)
        found[place] = last
    return found


def _choice(
    place: int,
    options: tuple[Dialect, ...],
    before: tuple[int, Dialect] | None,
    after: tuple[int, Dialect] | None,
    alike: Dialect | None,
) -> Dialect:
    near = [one for one in (before, after) if one is not None and one[1] in options]
    if near:
        return min(near, key=lambda one: abs(one[0] - place))[1]
    if alike is not None and alike in options:
        return alike
    return options[0] if options else UNKNOWN
