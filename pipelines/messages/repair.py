"""Lists of messages made valid: results brought to their calls, calls answered, what cannot be sent taken out."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from pipelines.messages.dialects import views
from pipelines.messages.exchanges import Exchange, exchanges, orphans
from pipelines.messages.ids import new_ids
from pipelines.messages.problems import inner, problems, running_from, stretches
from pipelines.messages.rules import RULES, Rules
from pipelines.messages.turns import calls_before_text, clear_places, turn_ends
from pipelines.messages.view import Dialect, PartKind, Raw, Role, View

NO_RESULT = "[No result: the call was interrupted, or its result is no longer kept.]"
START = "[The conversation began earlier.]"

Key = tuple[int, int, int, int]
"""Where a piece goes: message, then 0 for what stays there, 1 for calls and 2 for results brought behind it."""
Piece = tuple[Key, Raw]


def repaired(raws: list[Raw], *, running: bool = False) -> tuple[list[Raw], list[str]]:
    """Return the list as a strict provider takes it, and a note for each change.

    Results that stand elsewhere are brought to their calls, calls without one get a short answer that says so,
    results without a call and empty messages are dropped, ids that are missing or repeated are made unique. A list
    without problems comes back as the very same object. `running` as in `problems`.
    """
    if not problems(raws, running=running):
        return raws, []
    seen = views(raws)
    pieces: list[Piece] = [
        ((at, 0, 0, 0), view.raw) for at, view in enumerate(seen) if view.dialect.name not in RULES
    ]
    notes: list[str] = []
    for stretch in stretches(seen):
        dialect = seen[stretch[0]].dialect
        rules = RULES[dialect.name]
        mender = _Mender(
            dialect=dialect,
            seen={at: seen[at] for at in stretch},
            rules=rules,
            running_from=running_from(seen, stretch, rules) if running else math.inf,
            notes=notes,
        )
        pieces += mender.pieces()
    return [raw for _, raw in sorted(pieces, key=lambda piece: piece[0])], notes


@dataclass(slots=True)
class _Mender:
    """One stretch of a list being mended."""

    dialect: Dialect
    seen: dict[int, View]
    rules: Rules
    running_from: float
    notes: list[str]
    raws: dict[int, Raw] = field(default_factory=dict)
    ends: dict[int, int] = field(default_factory=dict)

    def pieces(self) -> list[Piece]:
        """Return the messages of the stretch, mended, each with the place it goes to."""
        self.ends = turn_ends(self.seen, self.rules)
        self._tidy()
        clear = clear_places(self.seen, self.ends, self.rules)
        paired, lost = self._paired()
        for exchange, call_id in new_ids(paired, self.rules.id_form, in_list=self.rules.ids_in_list):
            self._rename(exchange, call_id)
        moved: dict[tuple[int, int], Key] = {}
        added: list[Piece] = []
        for one in paired:
            key = (self.ends[one.call_at], 2, one.call_at, one.call.place)
            if one.result_at is None:
                if one.call_at < self.running_from:
                    added.append((key, self._answer(one)))
            elif one.result is not None and not self._stands_well(
                one.result_at, one.result.place, one, clear
            ):
                moved[one.result_at, one.result.place] = key
                self.notes.append(f"Message {one.result_at}: a result was brought to its call.")
        if self.rules.calls_last:
            for at, place in calls_before_text(self.seen, self.ends):
                moved[at, place] = (self.ends[at], 1, at, place)
                self.notes.append(f"Message {at}: a call was brought behind the text after it.")
        pieces = sorted(added + self._parted(moved, lost), key=lambda piece: piece[0])
        return self._closed(pieces)

    def _tidy(self) -> None:
        for at, view in list(self.seen.items()):
            message = inner(view)
            left = self.rules.tidied(message)
            if left is message:
                self.raws[at] = view.raw
                continue
            self.notes.append(f"Message {at}: what was empty in it was dropped.")
            tidied = (
                None if left is None else view.raw | {"message": left} if view.raw is not message else left
            )
            changed = None if tidied is None else self.dialect.view(tidied)
            if changed is None:
                del self.seen[at]
            else:
                self.seen[at] = changed
                self.raws[at] = changed.raw

    def _paired(self) -> tuple[list[Exchange], set[tuple[int, int]]]:
        """Return the exchanges to keep, and the places of results that answer nothing."""
        places = list(self.seen)
        listed = [self.seen[at] for at in places]
        found = exchanges(listed)
        lost = {(places[at], part.place) for at, part in orphans(listed, found)}
        kept: list[Exchange] = []
        for one in found:
            at = places[one.call_at]
            result_at = None if one.result_at is None else places[one.result_at]
            if not self.rules.left_out(inner(self.seen[at])):
                kept.append(Exchange(call_at=at, call=one.call, result_at=result_at, result=one.result))
            elif result_at is not None and one.result is not None:
                lost.add((result_at, one.result.place))
        self.notes += [f"Message {at}: a result without a call was dropped." for at, _ in sorted(lost)]
        return kept, lost

    def _rename(self, one: Exchange, call_id: str) -> None:
        if one.call.call_id != call_id:
            self.raws[one.call_at] = self.dialect.with_id(self.raws[one.call_at], one.call.place, call_id)
            self.notes.append(f"Message {one.call_at}: a call got the id {call_id}.")
        if one.result_at is not None and one.result is not None and one.result.call_id != call_id:
            at = one.result_at
            self.notes.append(f"Message {at}: a result got the id {call_id}.")
            self.raws[at] = self.dialect.with_id(self.raws[at], one.result.place, call_id)

    def _answer(self, one: Exchange) -> Raw:
        self.notes.append(f"Message {one.call_at}: a call without a result was answered.")
        return self.dialect.answer(self.raws[one.call_at], one.call.place, NO_RESULT)

    def _stands_well(self, at: int, place: int, one: Exchange, clear: dict[int, tuple[int, int]]) -> bool:
        if not self.rules.adjacent:
            return True
        end, leading = clear.get(at, (-1, 0))
        return end == self.ends[one.call_at] and place < leading

    def _parted(self, moved: dict[tuple[int, int], Key], lost: set[tuple[int, int]]) -> list[Piece]:
        """Return what stays of each message, and what is moved out of it as messages of their own."""
        found: list[Piece] = []
        for at, view in self.seen.items():
            places = frozenset(part.place for part in view.parts)
            moving = [place for place in places if (at, place) in moved]
            gone = frozenset(place for place in places if (at, place) in lost).union(moving)
            for place in moving:
                alone = self.dialect.without(self.raws[at], places - {place})
                if alone is not None:
                    found.append((moved[at, place], alone))
            left = self.dialect.without(self.raws[at], gone)
            if left is not None:
                found.append(((at, 0, 0, 0), left))
        return found

    def _closed(self, pieces: list[Piece]) -> list[Piece]:
        """Take out reasoning that nothing follows any more, and let the user begin, where the dialect asks it."""
        if not self.rules.closes:
            return pieces
        kept: list[Piece] = []
        next_is_model = False
        for key, raw in reversed(pieces):
            view = self.dialect.view(raw)
            if view is None or (view.role is Role.SYSTEM and self.rules.user_first):
                kept.append((key, raw))
                continue
            left = raw if next_is_model else self._without_last_thinking(view)
            if left is not raw:
                self.notes.append(f"Message {key[0]}: reasoning that nothing follows was dropped.")
            if left is not None:
                kept.append((key, left))
                next_is_model = view.role not in (Role.USER, Role.TOOL, Role.SYSTEM)
        kept.reverse()
        return self._begun(kept) if self.rules.user_first else kept

    def _begun(self, pieces: list[Piece]) -> list[Piece]:
        seen = [view for view in map(self.dialect.view, (raw for _, raw in pieces)) if view is not None]
        first = next((view.role for view in seen if view.role is not Role.SYSTEM), Role.USER)
        if first is Role.USER:
            return pieces
        self.notes.append("The list did not begin with the user; a message that says so was put before it.")
        return [((pieces[0][0][0], -1, 0, 0), self.dialect.user_message(START)), *pieces]

    def _without_last_thinking(self, view: View) -> Raw | None:
        parts = list(view.parts)
        while parts and parts[-1].kind is PartKind.THINKING:
            parts.pop()
        if len(parts) == len(view.parts):
            return view.raw
        return self.dialect.without(view.raw, frozenset(part.place for part in view.parts[len(parts) :]))
