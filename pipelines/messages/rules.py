"""The rules of each dialect, by its name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from pipelines.messages import rules_anthropic, rules_chat, rules_pi, rules_responses
from pipelines.messages.pi import is_incomplete
from pipelines.messages.problem import Message, Problem
from pipelines.messages.view import Raw


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What a dialect asks of a list, and what mending one must know."""

    check: Callable[[Sequence[Message], float], Iterator[Problem]]
    """Find what a strict provider would refuse; the second value is the message from which calls may be running."""
    tidied: Callable[[Raw], Raw | None]
    """Take what is empty out of a message; None when all of it is."""
    whole_turns: bool
    """Whether neighbouring messages of the assistant are one turn, answered together."""
    adjacent: bool
    """Whether the results must stand directly after the turn that calls."""
    ids_in_list: bool
    """Whether no two calls of a list may share an id, or only no two of a turn."""
    id_form: re.Pattern[str]
    calls_last: bool
    """Whether no text may follow a call in its turn."""
    closes: bool
    """Whether reasoning must be followed by what the model did next."""
    user_first: bool
    left_out: Callable[[Raw], bool]
    """Whether the host keeps a message from the model."""


_ANY_ID = re.compile(r"(?s).+")


def _never(raw: Raw) -> bool:
    return False


RULES = {
    "anthropic": Rules(
        check=rules_anthropic.check,
        tidied=rules_anthropic.tidied,
        whole_turns=True,
        adjacent=True,
        ids_in_list=True,
        id_form=rules_anthropic.ID,
        calls_last=True,
        closes=True,
        user_first=True,
        left_out=_never,
    ),
    "openai_chat": Rules(
        check=rules_chat.check,
        tidied=rules_chat.tidied,
        whole_turns=False,
        adjacent=True,
        ids_in_list=False,
        id_form=_ANY_ID,
        calls_last=False,
        closes=False,
        user_first=False,
        left_out=_never,
    ),
    "responses": Rules(
        check=rules_responses.check,
        tidied=rules_responses.tidied,
        whole_turns=True,
        adjacent=False,
        ids_in_list=True,
        id_form=_ANY_ID,
        calls_last=False,
        closes=True,
        user_first=False,
        left_out=_never,
    ),
    "pi": Rules(
        check=rules_pi.check,
        tidied=rules_pi.tidied,
        whole_turns=False,
        adjacent=True,
        ids_in_list=False,
        id_form=_ANY_ID,
        calls_last=False,
        closes=False,
        user_first=False,
        left_out=is_incomplete,
    ),
}
