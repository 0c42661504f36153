"""A list that a provider would refuse is mended before anything else, so that what is given out can be sent."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pipelines import rawjson
from pipelines.messages.lists import problems_seen, repaired
from pipelines.messages.view import Raw, View

MOST_NOTES = 20


def mended(
    messages: Sequence[Raw], seen: Sequence[View], keep: Callable[[str], str]
) -> tuple[Sequence[Raw], list[str]]:
    """Return the list as a strict provider takes it, and notes of what was mended; a good list as it is.

    Messages that were changed or dropped are given to `keep` as they were, which returns the ref id they are kept by.
    Calls at the end of the list may be without results: their tools are still at work.
    """
    if not problems_seen(seen, running=True):
        return messages, []
    fixed, notes = repaired(list(messages), running=True)
    left = {id(raw) for raw in fixed}
    changed = [raw for raw in messages if id(raw) not in left]
    told = [f"the list was mended: {note}" for note in notes[:MOST_NOTES]]
    if len(notes) > MOST_NOTES:
        told.append(f"{len(notes) - MOST_NOTES} more changes of this kind")
    if changed:
        told.append(f"{len(changed)} messages are kept as they came: {keep(rawjson.dump(changed))}")
    return fixed, told
