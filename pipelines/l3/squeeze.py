"""The last resort: texts are cut, also among the newest, until the list fits or nothing more can go."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from pipelines.l3.apply import reviewed
from pipelines.l3.forget import humans
from pipelines.l3.weights import Counter
from pipelines.messages.view import Part, PartKind, Role, View

CUTS = (1_000, 300, 100, 40)
"""Tokens that the largest texts are cut to, one pass after the other."""


_NOTICE = re.compile(r"\n\[cut: \d+ of \d+ characters are left out here \| result_ref: \w+\]\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """A text that was cut."""

    index: int
    place: int
    kind: PartKind
    tokens_before: int
    tokens_after: int


def squeeze(
    views: Sequence[View],
    *,
    until: int,
    told: Collection[str],
    stubs: Collection[str],
    keep: Callable[[str], str],
    counter: Counter,
) -> tuple[list[View], list[Cut]]:
    """Cut the largest texts until the list has at most `until` tokens; the last human request stays as it is.

    Results and the model's texts go first, what people said before the last request then. Each pass cuts
    deeper; the work ends when the list is small enough or the last pass is done. Each text is given whole to
    `keep`, which returns the ref id it is kept by. `told` are the keys of the messages that are ours, and `stubs`
    our stubs: of one only the strings go, for its ref leads to what it stands for.
    """
    left = list(views)
    total = counter.total(left)
    said = humans(views, told)
    cuts: list[Cut] = []
    whole: dict[tuple[int, int], str] = {}
    for limit in CUTS:
        kept = {*said[-1:], *(said[:1] if limit > CUTS[-1] else [])}
        fit = partial(counter.fit, max_tokens=limit)
        for at, part in sorted(
            _parts(left, kept, stubs, counter, limit), key=lambda one: -counter.part(one[1])
        ):
            if total <= until:
                return left, cuts
            before = counter.message(left[at])
            if part.text in stubs:
                text = _stub_cut(part.text)
            else:
                text = _text_cut(part.text, whole.setdefault((at, part.place), part.text), fit, keep)
            left[at] = _with(left[at], part, text)
            after = counter.message(left[at])
            total -= before - after
            if after < before:
                cuts.append(
                    Cut(
                        index=at,
                        place=part.place,
                        kind=part.kind,
                        tokens_before=before,
                        tokens_after=after,
                    )
                )
    return left, cuts


def _parts(
    views: Sequence[View], kept: Collection[int], stubs: Collection[str], counter: Counter, limit: int
) -> Iterator[tuple[int, Part]]:
    """Yield what may be cut: results, and texts of other messages than the system's and those in `kept`."""
    for at, view in enumerate(views):
        if view.role is Role.SYSTEM:
            continue
        for part in view.parts:
            is_said = part.kind is PartKind.TEXT and at not in kept
            if not is_said and part.kind is not PartKind.RESULT:
                continue
            if part.text in stubs:
                long = _stub_cut(part.text) != part.text and counter.text(part.text) > limit
            else:
                long = counter.text(_NOTICE.sub("", part.text)) > limit + limit // 4
            if long:
                yield at, part


def _text_cut(text: str, whole: str, fit: Callable[[str], int], keep: Callable[[str], str]) -> str:
    begins = _NOTICE.sub("", text)
    begins = begins[: fit(begins)]
    left_out = f"{len(whole) - len(begins)} of {len(whole)} characters are left out here"
    return f"{begins}\n[cut: {left_out} | result_ref: {keep(whole)}]"


def _with(view: View, part: Part, text: str) -> View:
    edit = view.dialect.with_result if part.kind is PartKind.RESULT else view.dialect.with_text
    return reviewed(view, edit(view.raw, part.place, text))


def _stub_cut(stub: str) -> str:
    """Return a stub without the strings it keeps: its ref stays."""
    lines = stub.split("\n")
    return "\n".join(line.partition(" | ")[0] if line.startswith("Summary: ") else line for line in lines)
