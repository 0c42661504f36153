"""How much a piece of work has to do with a canvas."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pipelines.l15.verdict import CanvasBrief

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]{3,60}|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2,40}")
_COMMON_WORDS = """
about after again also been before being both change changes check code come could does done each error errors
even ever every fail failed feel file files find first from function give going good have here http https
implementation into issue just know like line lines look looked made main make many more most much must need
next only other over path please read really right same seems should show some such sure take test tests than
that them then there these they thing think this those through time tool under update used user users using
version very want well were what when where which while will with work works would write your
"""
_COMMON = frozenset(_COMMON_WORDS.split())


def words(text: str) -> frozenset[str]:
    """Return the telling words of a text; runs of CJK as pairs of characters."""
    found: set[str] = set()
    for match in _WORD.finditer(text[:4000]):
        word = match[0]
        if word[0].isascii():
            found.update(
                part for part in (word.lower(), *_parts(word)) if len(part) > 3 and part not in _COMMON
            )
        else:
            found.update(word[place : place + 2] for place in range(len(word) - 1))
    return frozenset(found)


def likeness(canvas: CanvasBrief, *, prompt: str, objects: Iterable[str]) -> int:
    """Return a score from 0: 3 for each file in common, 1 for each deep folder or telling word in common."""
    mine = {_bare(name) for name in canvas.objects}
    theirs = {_bare(name) for name in objects}
    same = len(mine & theirs)
    folders = {_folder(name) for name in mine} & {_folder(name) for name in theirs} - {""}
    known = words(canvas.goal) | words(" ".join(canvas.objects))
    shared = words(prompt) & known
    return 3 * same + min(1, len(folders)) + min(3, len(shared))


def _parts(word: str) -> list[str]:
    return [part.lower() for part in re.findall(r"[A-Z]?[a-z]{3,}", word)]


def _bare(name: str) -> str:
    return re.sub(r":\d+(?:-\d+)?$", "", name.strip()).replace("\\", "/").rstrip("/").lower()


def _folder(name: str) -> str:
    parts = name.split("/")
    return "/".join(parts[:-1]) if len(parts) > 3 else ""
