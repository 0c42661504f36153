"""The turns of the assistant in a list, and the places where their results may stand."""

from __future__ import annotations

from collections.abc import Mapping

from pipelines.messages.rules import Rules
from pipelines.messages.view import PartKind, Role, View


def turn_ends(seen: Mapping[int, View], rules: Rules) -> dict[int, int]:
    """Return for each message of the assistant the last one of its turn."""
    ends: dict[int, int] = {}
    turn: list[int] = []
    for at, view in seen.items():
        if view.role is Role.ASSISTANT:
            if not rules.whole_turns:
                turn = []
            turn.append(at)
            ends[at] = at
        elif not _is_between_the_lines(view, rules):
            ends.update(dict.fromkeys(turn, turn[-1]) if turn else {})
            turn = []
    return ends | (dict.fromkeys(turn, turn[-1]) if turn else {})


def clear_places(
    seen: Mapping[int, View], ends: Mapping[int, int], rules: Rules
) -> dict[int, tuple[int, int]]:
    """Return for each message that begins with results directly after a turn: the turn's end, and how many."""
    clear: dict[int, tuple[int, int]] = {}
    end: int | None = None
    for at, view in seen.items():
        if at in ends:
            end = ends[at]
            continue
        if end is None or _is_between_the_lines(view, rules):
            continue
        leading = next(
            (count for count, part in enumerate(view.parts) if part.kind is not PartKind.RESULT),
            len(view.parts),
        )
        if leading:
            clear[at] = (end, leading)
        if leading < len(view.parts) or not view.parts:
            end = None
    return clear


def calls_before_text(seen: Mapping[int, View], ends: Mapping[int, int]) -> list[tuple[int, int]]:
    """Return message and place of each call with a text after it in its turn."""
    found: list[tuple[int, int]] = []
    texts_in = -1
    for at in reversed(list(seen)):
        if at not in ends:
            continue
        for part in reversed(seen[at].parts):
            if part.kind is PartKind.TEXT:
                texts_in = ends[at]
            elif part.kind is PartKind.CALL and texts_in == ends[at]:
                found.append((at, part.place))
    return found[::-1]


def _is_between_the_lines(view: View, rules: Rules) -> bool:
    """Say whether a message ends no turn: what nobody says, and the system where it is no message of the list."""
    return view.role is Role.OTHER or (view.role is Role.SYSTEM and rules.whole_turns)
