"""What a strict provider would refuse in a list of messages."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pipelines.messages.dialects import views
from pipelines.messages.problem import Problem
from pipelines.messages.rules import RULES, Rules
from pipelines.messages.view import PartKind, Raw, Role, View
from pipelines.messages.wrapped import Wrapped


def problems(raws: Sequence[Raw], *, running: bool = False) -> list[Problem]:
    """Return what a strict provider would refuse, in the list's order.

    With `running` the calls of the last turn may be without results: their tools are still at work. A message of
    no known dialect is not looked at; of a list in several dialects each stretch in one is looked at by itself.
    """
    return problems_seen(views(raws), running=running)


def problems_seen(seen: Sequence[View], *, running: bool = False) -> list[Problem]:
    """Return the same of a list whose messages were read already."""
    found: list[Problem] = []
    for stretch in stretches(seen):
        rules = RULES[seen[stretch[0]].dialect.name]
        messages = [(index, inner(seen[index])) for index in stretch]
        found += rules.check(messages, running_from(seen, stretch, rules) if running else math.inf)
    return sorted(found, key=lambda problem: problem.index)


def inner(view: View) -> Raw:
    """Return the message, out of its envelope if it has one."""
    message: Raw = view.raw["message"] if isinstance(view.dialect, Wrapped) else view.raw
    return message


def stretches(seen: Sequence[View]) -> list[list[int]]:
    """Return the numbers of the messages, stretch by stretch of one dialect; messages of none are left out."""
    found: list[list[int]] = []
    for index, view in enumerate(seen):
        if view.dialect.name not in RULES:
            continue
        if not found or seen[found[-1][-1]].dialect is not view.dialect:
            found.append([])
        found[-1].append(index)
    return found


def running_from(seen: Sequence[View], stretch: Sequence[int], rules: Rules) -> float:
    """Return the first message of the last turn that calls, if only results follow it; infinity if more does."""
    if stretch[-1] != max((at for at, view in enumerate(seen) if view.dialect.name in RULES), default=-1):
        return math.inf
    first = math.inf
    for index in reversed(stretch):
        view = seen[index]
        if view.role is Role.ASSISTANT:
            first = index
            if not rules.whole_turns:
                break
        elif first < math.inf or not only_results(view):
            break
    return first


def only_results(view: View) -> bool:
    """Say whether a message holds results and nothing else (what is neither of the model nor a person's counts)."""
    return view.role is Role.OTHER or (
        bool(view.parts) and all(part.kind is PartKind.RESULT for part in view.parts)
    )
