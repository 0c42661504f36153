"""Ids of calls made good: none missing, none repeated where a provider wants them apart."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import count

from pipelines.messages.exchanges import Exchange

_REFUSED = re.compile(r"[^a-zA-Z0-9_-]+")


def new_ids(
    paired: Sequence[Exchange], form: re.Pattern[str], *, in_list: bool
) -> Iterator[tuple[Exchange, str]]:
    """Yield each exchange that pairs by id with the id to use: its own wherever that can stay.

    A new id is the old one with a number, so that the same list always gets the same ids.
    """
    taken = {one.call.call_id for one in paired} | {one.result.call_id for one in paired if one.result}
    numbers: dict[str, Iterator[int]] = defaultdict(lambda: count(2))
    used: set[str] = set()
    message = -1
    for one in paired:
        if one.call.by_name:
            continue
        if not in_list and one.call_at != message:
            used = set()
        message = one.call_at
        call_id = one.call.call_id
        if call_id in used or not form.fullmatch(call_id):
            base = _REFUSED.sub("_", call_id) or "call"
            call_id = next(new for number in numbers[base] if (new := f"{base}_{number}") not in taken)
            taken.add(call_id)
        used.add(call_id)
        yield one, call_id
