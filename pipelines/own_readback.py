"""Recognising this server's own answers when a host posts them back as the result of a new tool call.

A read-back that is kept and replaced like any other result would have to be read back again, for ever. One is
recognised only when the call asks for it and the answer is made of what is stored: a call that names a ref and gets
something else, and a result that only looks like an answer, are new content.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from pipelines import blobs, rawjson
from pipelines.content import text_of
from pipelines.l1.unwrap import read_result
from pipelines.l1.wording import one_line
from pipelines.mermaid.header import read_header
from pipelines.readback_calls import MOST_REFS, REF_ID, Asked, Call, read_call

_HEAD = 4_000  # characters of an answer in which a ref that its call does not name is looked for
_MOST_FOREIGN = 3  # lines that a host may add: a notice, a mark where it cut the answer
_LONGEST_FOREIGN = 300  # characters
_MOST_SEARCHES = 200  # lines that are looked for inside longer ones
_GREP_MARKS = re.compile(r"\d+[:-](?:\[from offset \d+\] )?(.*?)(?: \[\d+ more characters\])?", re.DOTALL)
_PATH_ROW = re.compile(r'\{"path":"(?:[^"\\]|\\.){0,2000}","value":(.*)\},?', re.DOTALL)
_ITEM = re.compile(r'"ref_id":\s*"(ofl_[A-Z2-7]{13})".{0,700}?"content":\s*"((?:[^"\\]|\\.)*+)', re.DOTALL)
_AROUND_CONTENT = 1_000  # characters of an answer for each item, its content aside
_SHA256 = re.compile(r"[0-9a-f]{64}")
_SUMMARY = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Readback:
    """An answer of this server that came back as a tool result."""

    asked: Asked
    ref_ids: tuple[str, ...] = ()
    """The refs it is from; none for a canvas."""
    part: str = ""
    canvas: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """What was read: ref ids, or the name of a canvas."""
        return self.ref_ids or (self.canvas or "canvas",)

    @property
    def summary(self) -> str:
        """The L1 line: `read back ofl_… (lines 10-60)`."""
        if self.asked is Asked.CANVAS:
            return one_line(f"read the canvas {self.canvas}".strip(), _SUMMARY)
        shown = ", ".join(self.ref_ids[:3])
        more = f" and {len(self.ref_ids) - 3} more" if len(self.ref_ids) > 3 else ""
        part = f" ({self.part})" if self.part else ""
        verb = "found places in" if self.asked is Asked.SEARCH else "read back"
        return one_line(f"{verb} {shown}{more}{part}", _SUMMARY)


def recognise(
    tool_name: str, params: Any, result: Any, *, stored: Callable[[str], str | None]
) -> Readback | None:
    """Return what a result (a text, or parsed JSON of any shape) reads back, or None for new content.

    `stored` gives the text of a ref that the agent had before this call, None for any other; it is asked only
    when the call looks like a read-back, for at most 20 refs and once for each.
    """
    call = read_call(tool_name, params)
    if call is None:
        return None
    text = text_of(result)
    bare = read_result(result, text, error="", is_error=None).text
    known = cache(stored)
    return next(filter(None, (_recognised(call, one, known) for one in dict.fromkeys((text, bare)))), None)


def _recognised(call: Call, result_text: str, stored: Callable[[str], str | None]) -> Readback | None:
    if not result_text.strip():
        return None
    if call.asked is Asked.CANVAS:
        is_canvas = bool(read_header(result_text.strip()).goal) or "taskGoal" in result_text[:_HEAD]
        return Readback(asked=call.asked, canvas=call.canvas) if is_canvas else None
    if call.asked is Asked.SEARCH:
        found = list(dict.fromkeys(REF_ID.findall(result_text)))[:MOST_REFS]
        known = tuple(ref_id for ref_id in found if stored(ref_id) is not None)
        return Readback(asked=call.asked, ref_ids=known) if known else None
    ref_ids = _answered(result_text, stored) or _quoted(call, result_text, stored)
    return Readback(asked=call.asked, ref_ids=ref_ids, part=call.part) if ref_ids else None


def _answered(text: str, stored: Callable[[str], str | None]) -> tuple[str, ...]:
    """Return the refs of an answer in JSON, when all of its contents are from what is stored under them."""
    found: list[str] = []
    for ref_id, sha256, content in _items(text):
        known = stored(ref_id) if ref_id and len(found) < MOST_REFS else None
        if known is None or (sha256 and blobs.ref_id_of_sha256(sha256) != ref_id):
            return ()
        if content and not _is_from(content, known):
            return ()
        found.append(ref_id)
    return tuple(dict.fromkeys(found))


def _items(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield (ref id, SHA-256, content) of each item of an answer; with more around them one of no ref."""
    if text.lstrip()[:1] not in ("{", "["):
        return
    try:
        value = rawjson.parse(text)
    except rawjson.JsonSyntaxError:
        yield from _items_of_cut(text)
        return
    items = value.get("items", [value]) if isinstance(value, dict) else value
    items = items if isinstance(items, list) else []
    around = len(rawjson.dump(value)) - sum(
        len(rawjson.dump(item.get("content"))) for item in items if isinstance(item, dict)
    )
    if around > _AROUND_CONTENT * (1 + len(items)):
        yield "", "", ""
    for item in items:
        fields = item if isinstance(item, dict) else {}
        ref_id, sha256 = fields.get("ref_id"), fields.get("sha256", fields.get("content_sha256"))
        if not isinstance(ref_id, str) or not isinstance(sha256, str) or not _SHA256.fullmatch(sha256):
            yield "", "", ""
            return
        content = fields.get("content")
        yield ref_id, sha256, content if isinstance(content, str) else ""


def _items_of_cut(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield the items of an answer that its host cut somewhere, so that it is no JSON any more."""
    at = 0
    for found in _ITEM.finditer(text):
        if found.start() - at > _AROUND_CONTENT:
            break
        yield found[1], "", _unescaped(found[2])
        at = found.end()
    if len(text) - at > _AROUND_CONTENT:
        yield "", "", ""


def _unescaped(inside: str) -> str:
    try:
        return str(json.loads(f'"{inside}"', strict=False))
    except ValueError:
        return inside


def _quoted(call: Call, text: str, stored: Callable[[str], str | None]) -> tuple[str, ...]:
    """Return the refs that a plain answer is made of: the one it is, or those that hold its lines."""
    ref_ids = call.ref_ids
    if call.own_words and not ref_ids:
        ref_ids = tuple(dict.fromkeys(REF_ID.findall(text[:_HEAD])))[:MOST_REFS]
    known = {ref_id: content for ref_id in ref_ids if (content := stored(ref_id)) is not None}
    if known and _is_from(text, "\n".join(known.values())):
        return tuple(known)
    return ()


def _is_from(text: str, stored: str) -> bool:
    """Say whether a text is a part of what is stored, marks of a search and a few added lines aside."""
    if text.strip() in stored:
        return True
    lines = {line.strip() for line in stored.split("\n")}
    own = foreign = searches = 0
    for line in map(str.strip, text.split("\n")):
        if len(line) < 3:
            continue
        ways = [line, *_without_marks(line)]
        known = any(way in lines for way in ways)
        if not known and searches < _MOST_SEARCHES:
            searches += 1
            known = any(way in stored for way in ways if way)
        own += known
        foreign += not known
        if foreign > _MOST_FOREIGN or (not known and len(line) > _LONGEST_FOREIGN):
            return False
    return own > foreign


def _without_marks(line: str) -> Iterator[str]:
    for marks in (_GREP_MARKS, _PATH_ROW):
        found = marks.fullmatch(line)
        if found:
            yield found[1].strip()
