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
    return Reader().views(raws)


class Reader:
    """Sees lists that have messages in common, and looks at each message (the very object) once."""

    def __init__(self) -> None:
        self._possible: dict[int, tuple[Dialect, ...]] = {}
        self._views: dict[tuple[int, int], View] = {}

    def views(self, raws: Sequence[Raw], *, seen: Iterable[View] = ()) -> list[View]:
        """Return what the function `views` does. `seen` are views of some of the messages, made elsewhere."""
        for view in seen:
            self._views.setdefault((id(view.raw), id(view.dialect)), view)
        dialects = _dialects([self._options(raw) for raw in raws])
        return [self._view(raw, dialect) for raw, dialect in zip(raws, dialects, strict=True)]

    def _options(self, raw: Raw) -> tuple[Dialect, ...]:
        found = self._possible.get(id(raw))
        if found is None:
            found = self._possible[id(raw)] = _possible(raw)
        return found

    def _view(self, raw: Raw, dialect: Dialect) -> View:
        found = self._views.get((id(raw), id(dialect)))
        if found is None:
            # A view holds its message, so that the message's id is no other's meanwhile.
            found = self._views[id(raw), id(dialect)] = dialect.view(raw) or UNKNOWN.view(raw)
        return found


def _dialects(possible: Sequence[tuple[Dialect, ...]]) -> list[Dialect]:
    sure = [options[0] if len(options) == 1 else None for options in possible]
    before = _nearest(sure, range(len(possible)))
    after = _nearest(sure, range(len(possible) - 1, -1, -1))
    alike = next((one for one in DIALECTS if all(one in options for options in possible if options)), None)
    return [
        _choice(place, options, before[place], after[place], alike) for place, options in enumerate(possible)
    ]


def _possible(raw: Raw) -> tuple[Dialect, ...]:
    """Return the dialects a message may be of: one when only one writes so, none when it is of no dialect."""
    is_wrapped = raw.get("type") == "message" and isinstance(raw.get("message"), dict)
    fitting = []
    for dialect in _WRAPPED if is_wrapped else _PLAIN:
        if dialect.fits(raw):
            if dialect.owns(raw):
                return (dialect,)
            fitting.append(dialect)
    return tuple(fitting)


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
