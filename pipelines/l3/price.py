"""What a step costs and saves where the beginning of a list is cached: from where on to replace."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

CACHED, NEW = 0.1, 1.25
"""What providers bill for a token they have cached and for one they have not, as shares of the input price."""


def billed(cached: int, total: int) -> float:
    """Return what a list of `total` tokens is billed as, of which `cached` are at its beginning and cached."""
    return CACHED * cached + NEW * (total - cached)


def best_start(savings: Iterable[tuple[int, int]], sent: Sequence[int], *, turns: float) -> int | None:
    """Return the number of the message from which on to replace all that can be, or None if nothing pays.

    `savings` are (number of a message, tokens that it loses when replaced); `sent` the tokens of the messages that
    were sent the last time just so and are cached. To replace in one of them bills it and all behind it anew; what
    is saved is saved in this turn and, at the price of cached tokens, in each of the `turns` that are still to come.
    """
    by_message: dict[int, int] = {}
    for number, tokens in savings:
        by_message[number] = by_message.get(number, 0) + tokens
    best, start = 0.0, None
    saved = behind = 0
    at = len(sent)
    for number in sorted(by_message, reverse=True):
        while at > number:
            at -= 1
            behind += sent[at]
        saved += by_message[number]
        gain = saved * (NEW + CACHED * turns) - behind * (NEW - CACHED)
        if gain > best:
            best, start = gain, number
    return start
