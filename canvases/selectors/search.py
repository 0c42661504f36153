"""Searching what an agent stored: candidates by their terms, newest first, then their texts themselves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from canvases.models import OffloadedBlob, Reference, ToolPair
from canvases.selectors import paging
from canvases.selectors.contents import Read
from canvases.selectors.keys import key_ring
from canvases.selectors.references import CHUNK, reference_check
from canvases.selectors.search_candidates import NEWEST, Candidate, Part, candidates
from canvases.selectors.search_scope import Scope, in_part, kept_by_hand, pending
from canvases.selectors.search_texts import call_text, content_text, entry_text
from pipelines.blobs import BlobGone
from pipelines.search import places
from pipelines.search.plain import plain
from pipelines.search.query import Query
from pipelines.signing.bundle import BundleInvalid
from pipelines.signing.keys import SignatureRefused

MOST_PLACES = 3
MOST_PLACES_OF_REF = 50
MOST_CANDIDATES = 500
MOST_BYTES = 64 * 2**20
MOST_NAMESPACES = 5


class State(StrEnum):
    """How a search ended."""

    FOUND = "found"
    NOTHING_FOUND = "nothing_found"  # all of the scope was searched
    NOT_INDEXED_YET = "not_indexed_yet"  # nothing in what is searchable so far
    NOTHING_STORED = "nothing_stored"  # the scope has neither a result nor a content put away by hand
    UNFINISHED = "unfinished"  # nothing on this page, and older results are left to look at


@dataclass(slots=True, kw_only=True)
class _Looking:
    """One walk through candidates: what was found, and how much was looked at."""

    query: Query
    read: Callable[[OffloadedBlob], Read]
    most_places: int
    candidates: int = 0
    bytes_read: int = 0
    unreadable: int = 0
    found: dict[tuple[int, str], list[places.Place]] = field(default_factory=dict)

    def is_enough(self) -> bool:
        return self.candidates >= MOST_CANDIDATES or self.bytes_read >= MOST_BYTES

    def hit(self, candidate: Candidate) -> dict[str, Any] | None:
        """Return the candidate as a hit, or None when what is looked for is not in its texts after all."""
        self.candidates += 1
        if candidate.part is Part.CONTENTS:
            blob = _contents().filter(pk=candidate.pk).first()
            return self._content_hit(blob) if blob else None
        pair = _pairs().filter(pk=candidate.pk).first()
        if pair is None:
            return None
        shown = self._of_entry(pair)
        if candidate.in_result:
            shown += [_place("result", place, place.line) for place in self._of_result(pair)]
        return _pair_hit(pair, shown) if shown else None

    def _of_entry(self, pair: ToolPair) -> list[dict[str, Any]]:
        entry = getattr(pair, "entry", None)
        if entry is None:
            return []
        ends = (("tool_call", len(plain(entry.tool_call))), ("summary", len(call_text(entry))))
        found = places.find(entry_text(entry), self.query, most=self.most_places)
        where = [next((name for name, end in ends if one.at < end), "error") for one in found]
        return [_place(name, one, None) for name, one in zip(where, found, strict=True)]

    def _of_result(self, pair: ToolPair) -> list[places.Place]:
        key = (pair.blob.pk, pair.media_type)
        if key not in self.found:
            read = self._read(pair.blob)
            self.found[key] = self._in(read.content, pair.media_type)
        return self.found[key]

    def _content_hit(self, blob: OffloadedBlob) -> dict[str, Any] | None:
        read = self._read(blob)
        if read.content is None:
            return None
        shown = self._in(read.content, read.reference.media_type if read.reference else "")
        kept = _signed_by_hand(blob) if shown else []
        self.unreadable += bool(shown) and not kept
        return _content_hit(blob, kept, [_place("content", one, one.line) for one in shown]) if kept else None

    def _read(self, blob: OffloadedBlob) -> Read:
        self.bytes_read += blob.size_bytes
        read = self.read(blob)
        self.unreadable += read.content is None and not isinstance(read.error, BlobGone)
        return read

    def _in(self, content: bytes | None, media_type: str) -> list[places.Place]:
        text = content_text(content, media_type) if content else ""
        return places.find(text, self.query, most=self.most_places)


def search(
    scope: Scope,
    query: Query,
    *,
    after: str = "",
    limit: int | None = None,
    read: Callable[[OffloadedBlob], Read],
) -> dict[str, Any]:
    """Return a page of the tool pairs that have all needles in their result or in their entry, newest first,
    and after the last of them of the contents put away by hand that no pair shows.

    `pending` counts what in the scope is not searchable yet, `in_part` what never is or only in part,
    `unreadable` candidates whose bytes failed their check. A page ends early, with a `next`, once
    MOST_CANDIDATES or MOST_BYTES were looked at.
    """
    size = paging.page_size(limit)
    part, before = _position(after)
    most = MOST_PLACES if scope.ref_id is None else MOST_PLACES_OF_REF
    looking = _Looking(query=query, read=read, most_places=most)
    items, following = _page(scope, looking, part, before, size)
    waiting = pending(scope)
    return {
        "state": _state(scope, bool(items), following is not None, waiting),
        "items": items,
        "next": following,
        "pending": waiting,
        "in_part": in_part(scope),
        "unreadable": looking.unreadable,
    }


def _position(after: str) -> tuple[Part, int]:
    at = paging.position(after, str, int)
    if at is None:
        return Part.PAIRS, NEWEST
    if at[0] not in list(Part) or not 0 <= at[1] <= NEWEST:
        raise paging.BadPage(paging.BAD_AFTER)
    return Part(at[0]), at[1]


def _page(
    scope: Scope, looking: _Looking, part: Part, before: int, size: int
) -> tuple[list[dict[str, Any]], str | None]:
    """Return the hits of a page, and the token that goes on after the last candidate it accounts for."""
    hits: list[dict[str, Any]] = []
    seen = shown = (part, before)
    for candidate in candidates(scope, looking.query, part, before):
        if looking.is_enough():
            return hits, paging.token(*seen)
        hit = looking.hit(candidate)
        seen = (candidate.part, candidate.pk)
        if hit and len(hits) == size:
            return hits, paging.token(*shown)
        if hit:
            hits.append(hit)
            shown = seen
    return hits, None


def _state(scope: Scope, is_found: bool, goes_on: bool, waiting: int) -> State:
    if is_found:
        return State.FOUND
    if goes_on:
        return State.UNFINISHED
    if waiting:
        return State.NOT_INDEXED_YET
    return State.NOTHING_STORED if scope.is_empty() else State.NOTHING_FOUND


def _pairs() -> Any:
    pairs = ToolPair.objects.select_related("session", "blob__agent", "entry")
    return pairs.defer("params", "blob__content_zstd", "session__recent_messages")


def _contents() -> Any:
    return OffloadedBlob.objects.select_related("agent").defer("content_zstd")


def _signed_by_hand(blob: OffloadedBlob) -> list[Reference]:
    """Return the newest references by which a content is kept by hand, of those whose signature holds."""
    ring, held = key_ring(), []
    for reference in kept_by_hand().filter(blob=blob).order_by("-stored_at", "-pk")[:CHUNK]:
        try:
            reference_check(reference, blob, ring)
        except (SignatureRefused, BundleInvalid):
            continue
        held.append(reference)
    return held[:MOST_NAMESPACES]


def _place(where: str, place: places.Place, line: int | None) -> dict[str, Any]:
    marks = [list(mark) for mark in place.marks]
    return {"where": where, "line": line, "excerpt": place.excerpt, "marks": marks}


def _pair_hit(pair: ToolPair, shown: list[dict[str, Any]]) -> dict[str, Any]:
    entry = getattr(pair, "entry", None)
    return {
        "session_id": pair.session.session_id,
        "seq": pair.seq,
        "timestamp": pair.timestamp.isoformat(),
        "tool_name": pair.tool_name,
        "tool_call": entry.tool_call if entry else None,
        "tool_call_id": pair.tool_call_id,
        "ref_id": pair.blob.ref_id,
        "result_ref": pair.result_ref,
        "content_sha256": pair.blob.content_sha256,
        "namespaces": None,
        "places": shown,
    }


def _content_hit(blob: OffloadedBlob, kept: list[Reference], shown: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "session_id": None,
        "seq": None,
        "timestamp": datetime.fromtimestamp(kept[0].stored_at, UTC).isoformat(),
        "tool_name": None,
        "tool_call": None,
        "tool_call_id": None,
        "ref_id": blob.ref_id,
        "result_ref": None,
        "content_sha256": blob.content_sha256,
        "namespaces": [reference.namespace for reference in kept],
        "places": shown,
    }
