"""Doing again what was decided before, to the byte."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pipelines.l3.memory import Memory, chain
from pipelines.l3.stub import is_stub
from pipelines.messages.view import PartKind, Raw, View

Views = Callable[[Sequence[Raw]], list[View]]


def reviewed(view: View, raw: Raw) -> View:
    """Return the view of a message that was edited in its own dialect."""
    again = view.dialect.view(raw)
    if again is None:
        raise AssertionError(f"an edit in {view.dialect.name} gave a message of another dialect")
    return again


def with_head(views: list[View], memory: Memory, see: Views) -> tuple[list[View], bool]:
    """Return the list with its beginning as it was sent before; say if it is known at all.

    The host may send the raw list again, or the list it was given. One that begins otherwise makes the memory
    forget its head.
    """
    head = memory.head
    if head is None:
        return views, True
    keys = [view.key for view in views[: max(head.count, len(head.sent))]]
    if chain(keys[: head.count]) == head.raw_chain:
        return see(head.sent) + views[head.count :], True
    if chain(keys[: len(head.sent)]) == head.sent_chain:
        return views, True
    memory.head = None
    return views, False


def with_replacements(views: list[View], memory: Memory) -> list[View]:
    """Return the list with every part replaced that was replaced before."""
    if not memory.results and not memory.inputs:
        return views
    return [_with_replacements(view, memory) for view in views]


def _with_replacements(view: View, memory: Memory) -> View:
    raw = view.raw
    for part in view.parts:
        if part.kind is PartKind.RESULT and not is_stub(part.text):
            if (stub := memory.results.get(part.key)) is not None:
                raw = view.dialect.with_result(raw, part.place, stub)
        elif part.kind is PartKind.CALL and (value := memory.inputs.get(part.key)) is not None:
            raw = view.dialect.with_input(raw, part.place, value)
    return view if raw is view.raw else reviewed(view, raw)
