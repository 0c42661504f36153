"""The last resort: texts are cut, also among the newest, until the list fits or nothing more can go."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pipelines import tokens
from pipelines.l3.apply import reviewed
from pipelines.l3.forget import first_human, last_human
from pipelines.l3.stub import is_stub
from pipelines.l3.weights import Counter
from pipelines.messages.view import Part, PartKind, Role, View

CUTS = (1_000, 300, 100, 40)
"""Tokens that the largest texts are cut to, one pass after the other."""


_NOTICE = re.compile(r"\n\[cut: (\d+) of (\d+) characters are left out here\]\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """A text that was cut."""

    index: int
    place: int
    kind: PartKind
    tokens_before: int
    tokens_after: int


def squeeze(views: Sequence[View], *, until: int, counter: Counter) -> tuple[list[View], list[Cut]]:
    """Cut the largest texts until the list has at most `until` tokens; the last human request stays as it is.

    Results and the model's texts go first, what people said before the last request then. Each pass cuts
    deeper; the work ends when the list is small enough or the last pass is done.
    """
    left = list(views)
    total = counter.total(left)
    cuts: list[Cut] = []
    for limit in CUTS:
        for at, part in sorted(_parts(left, counter, limit), key=lambda one: -counter.part(one[1])):
            if total <= until:
                return left, cuts
            before = counter.message(left[at])
            left[at] = _cut(left[at], part, limit)
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


def _parts(views: Sequence[View], counter: Counter, limit: int) -> Iterator[tuple[int, Part]]:
    kept = {last_human(views), *([first_human(views)] if limit > CUTS[-1] else [])}
    for at, view in enumerate(views):
        if view.role is Role.SYSTEM:
            continue
        for part in view.parts:
            is_said = part.kind is PartKind.TEXT and at not in kept
            if (is_said or part.kind is PartKind.RESULT) and _length(part.text, counter) > limit + limit // 4:
                yield at, part


def _length(text: str, counter: Counter) -> int:
    """Return the tokens that a cut could be made in: of a stub those that it can do without."""
    if is_stub(text):
        return counter.text(text) if _stub_cut(text) != text else 0
    return counter.text(_whole(text)[0])


def _whole(text: str) -> tuple[str, int]:
    """Return what is left of a text that may have been cut before, and how long it was at first."""
    found = _NOTICE.search(text)
    return (text[: found.start()], int(found[2])) if found else (text, len(text))


def _cut(view: View, part: Part, limit: int) -> View:
    if is_stub(part.text):
        text = _stub_cut(part.text)
    else:
        left, whole = _whole(part.text)
        begins = left[: tokens.fit(left, limit)]
        text = f"{begins}\n[cut: {whole - len(begins)} of {whole} characters are left out here]"
    edit = view.dialect.with_result if part.kind is PartKind.RESULT else view.dialect.with_text
    return reviewed(view, edit(view.raw, part.place, text))


def _stub_cut(stub: str) -> str:
    """Return a stub without the strings it keeps: its ref stays."""
    lines = stub.split("\n")
    return "\n".join(line.partition(" | ")[0] if line.startswith("Summary: ") else line for line in lines)
