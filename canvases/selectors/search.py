"""Searching results and summaries: candidates by their terms, newest first, then their texts themselves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from django.db import connection
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Coalesce

from canvases.models import Agent, OffloadedBlob, OffloadEntry, SearchDocument, Session, ToolPair
from canvases.selectors import paging
from canvases.selectors.contents import Read, may_exist
from canvases.selectors.deref import readable
from pipelines.blobs import BlobGone
from pipelines.pairs import JSON, decode_text
from pipelines.search import places
from pipelines.search.plain import plain
from pipelines.search.query import Query

MOST_PLACES = 3
MOST_PLACES_OF_REF = 50
MOST_CANDIDATES = 500
MOST_BYTES = 64 * 2**20
_CHUNK = MOST_CANDIDATES
_NEWEST = 2**63 - 1

_HAVING = {
    "postgresql": "SELECT id FROM canvases_searchdocument WHERE codes @@ %s::tsquery",
    "sqlite": "SELECT rowid FROM search_codes WHERE search_codes MATCH %s",
}
_LANGUAGE = {
    "postgresql": {"both": " & ", "either": " | ", "quote": "'"},
    "sqlite": {"both": " AND ", "either": " OR ", "quote": '"'},
}
# From the documents to their pairs: SQLite takes cross joins in this order, and would else try each document
# that matches for each pair of the agent.
_OF_SCOPE = """
    AND s.id = p.session_id AND s.agent_id = %s AND p.id < %s AND (CAST(%s AS bigint) IS NULL OR s.id = %s)
    ORDER BY p.id DESC LIMIT %s
"""
_BY_RESULT = f"""
    SELECT p.id FROM canvases_searchdocument d CROSS JOIN canvases_toolpair p CROSS JOIN canvases_session s
    WHERE d.id IN ({{having}}) AND p.blob_id = d.blob_id {_OF_SCOPE}
"""  # noqa: S608  (nothing but our own text)
_BY_ENTRY = f"""
    SELECT p.id FROM canvases_searchdocument d CROSS JOIN canvases_offloadentry e
    CROSS JOIN canvases_toolpair p CROSS JOIN canvases_session s
    WHERE d.id IN ({{having}}) AND e.id = d.entry_id AND p.id = e.pair_id {_OF_SCOPE}
"""  # noqa: S608


class State(StrEnum):
    """How a search ended."""

    FOUND = "found"
    NOTHING_FOUND = "nothing_found"  # all of the scope was searched
    NOT_INDEXED_YET = "not_indexed_yet"  # nothing in what is searchable so far
    NOTHING_STORED = "nothing_stored"  # the scope has no result
    UNFINISHED = "unfinished"  # nothing on this page, and older results are left to look at


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Where to search: in all of an agent's sessions, in one, or in one ref."""

    agent: Agent
    session: Session | None = None
    ref_id: str | None = None

    def pairs(self) -> QuerySet[ToolPair]:
        """Return the tool pairs in the scope."""
        found = ToolPair.objects.filter(session__agent=self.agent)
        if self.session is not None:
            found = found.filter(session=self.session)
        if self.ref_id is not None:
            found = found.filter(blob__ref_id=self.ref_id) if may_exist(self.ref_id) else found.none()
        return found


@dataclass(slots=True, kw_only=True)
class _Looking:
    """One walk through candidates: what was found, and how much was looked at."""

    query: Query
    read: Callable[[OffloadedBlob], Read]
    most_places: int
    candidates: int = 0
    bytes: int = 0
    unreadable: int = 0
    found: dict[tuple[int, str], list[places.Place]] = field(default_factory=dict)

    def is_enough(self) -> bool:
        return self.candidates >= MOST_CANDIDATES or self.bytes >= MOST_BYTES

    def hit(self, pair: ToolPair, *, in_result: bool) -> dict[str, Any] | None:
        """Return the pair as a hit, or None when what is looked for is not in its texts after all."""
        self.candidates += 1
        shown = self._of_entry(pair)
        if in_result:
            shown += [_place("result", place, place.line) for place in self._of_result(pair)]
        return _hit(pair, shown) if shown else None

    def _of_entry(self, pair: ToolPair) -> list[dict[str, Any]]:
        entry = getattr(pair, "entry", None)
        if entry is None:
            return []
        end = len(plain(entry.tool_call))
        found = places.find(entry_text(entry), self.query, most=self.most_places)
        return [_place("tool_call" if one.at < end else "summary", one, None) for one in found]

    def _of_result(self, pair: ToolPair) -> list[places.Place]:
        key = (pair.blob.pk, pair.media_type)
        if key not in self.found:
            self.bytes += pair.blob.size_bytes
            read = self.read(pair.blob)
            content = read.content
            self.unreadable += content is None and not isinstance(read.error, BlobGone)
            text = _text(content, pair.media_type) if content else ""
            self.found[key] = places.find(text, self.query, most=self.most_places)
        return self.found[key]


def search(
    scope: Scope,
    query: Query,
    *,
    after: str = "",
    limit: int | None = None,
    read: Callable[[OffloadedBlob], Read],
) -> dict[str, Any]:
    """Return a page of the tool pairs that have all needles in their result or in their entry, newest first.

    `pending` counts the scope's results that are not searchable yet, `in_part` those that never are or only
    in part, `unreadable` candidates whose bytes failed their check. A page ends early, with a `next`, once
    MOST_CANDIDATES or MOST_BYTES were looked at.
    """
    size = paging.page_size(limit)
    at = paging.position(after, int)
    most = MOST_PLACES if scope.ref_id is None else MOST_PLACES_OF_REF
    looking = _Looking(query=query, read=read, most_places=most)
    items, following = _page(scope, looking, at[0] if at else _NEWEST, size)
    pending = pending_results(scope)
    return {
        "state": _state(scope, bool(items), following is not None, pending),
        "items": items,
        "next": following,
        "pending": pending,
        "in_part": _in_part(scope),
        "unreadable": looking.unreadable,
    }


def _page(scope: Scope, looking: _Looking, before: int, size: int) -> tuple[list[dict[str, Any]], str | None]:
    """Return the hits of a page, and the token that goes on after the last pair it accounts for."""
    hits: list[tuple[int, dict[str, Any]]] = []
    while chunk := _candidates(scope, looking.query, before):
        for pk, in_result in chunk:
            if looking.is_enough():
                return [hit for _, hit in hits], paging.token(before)
            pair = _pairs().filter(pk=pk).first()
            hit = looking.hit(pair, in_result=in_result) if pair else None
            if hit and len(hits) == size:
                return [one for _, one in hits], paging.token(hits[-1][0])
            hits += [(pk, hit)] if hit else []
            before = pk
    return [hit for _, hit in hits], None


def _state(scope: Scope, is_found: bool, goes_on: bool, pending: int) -> State:
    if is_found:
        return State.FOUND
    if goes_on:
        return State.UNFINISHED
    if pending:
        return State.NOT_INDEXED_YET
    return State.NOTHING_FOUND if scope.pairs().exists() else State.NOTHING_STORED


def _candidates(scope: Scope, query: Query, before: int) -> list[tuple[int, bool]]:
    """Return the newest pairs before `before` that may match, and of each if its result may.

    In one ref all its pairs may: it is read as it is, indexed or not.
    """
    if scope.ref_id is not None:
        newest = scope.pairs().filter(pk__lt=before).order_by("-pk").values_list("pk", flat=True)
        return [(pk, True) for pk in newest[:_CHUNK]]
    by_result = set(_looked_up(_BY_RESULT, scope, query, before))
    by_entry = set(_looked_up(_BY_ENTRY, scope, query, before))
    return [(pk, pk in by_result) for pk in sorted(by_result | by_entry, reverse=True)[:_CHUNK]]


def _looked_up(statement: str, scope: Scope, query: Query, before: int) -> list[int]:
    session = scope.session.pk if scope.session else None
    asked = query.expression(**_LANGUAGE[connection.vendor])
    with connection.cursor() as cursor:
        cursor.execute(
            statement.format(having=_HAVING[connection.vendor]),
            [asked, scope.agent.pk, before, session, session, _CHUNK],
        )
        return [pk for (pk,) in cursor.fetchall()]


def _pairs() -> QuerySet[ToolPair]:
    pairs = ToolPair.objects.select_related("session", "blob__agent", "entry")
    return pairs.defer("params", "blob__content_zstd", "session__recent_messages")


def pending_results(scope: Scope) -> int:
    """Count the scope's results that are not searchable yet; looks only at sessions that are behind."""
    if scope.ref_id is not None:
        return 0
    # Annotated: a filter alone would join inwards, and lose the sessions that were never looked at.
    sessions = Session.objects.filter(agent=scope.agent)
    sessions = sessions.annotate(through=Coalesce(F("search_progress__through_seq"), 0))
    if scope.session is not None:
        sessions = sessions.filter(pk=scope.session.pk)
    behind = sessions.filter(next_seq__gt=F("through") + 1).values("pk")
    pairs = ToolPair.objects.filter(session__in=behind)
    pairs = pairs.annotate(through=Coalesce(F("session__search_progress__through_seq"), 0))
    return pairs.filter(seq__gt=F("through")).count()


def _in_part(scope: Scope) -> int:
    partly = SearchDocument.objects.filter(~Q(note=""), blob__isnull=False).values("blob")
    return scope.pairs().filter(blob__in=partly).count()


def searched_texts(content: bytes) -> list[str]:
    """Return the texts a result is searched in: as it is and, where it may be read as blocks, as theirs.

    None for what is no text.
    """
    if decode_text(content) is None:
        return []
    texts = [_text(content, "")]
    if content[:64].lstrip()[:1] == b"[" and b'"type"' in content:
        texts.append(_text(content, JSON))
    return texts


def _text(content: bytes, media_type: str) -> str:
    """Return the text that `readable` gives, made plain; none of what is no text, as it is if it is no JSON."""
    if decode_text(content) is None:
        return ""
    try:
        return plain(readable(content, media_type))
    except ValueError:
        return plain(readable(content, ""))


def entry_text(entry: OffloadEntry) -> str:
    """Return the text an entry is searched in: the call, the summary, and the keys."""
    return plain("\n".join([entry.tool_call, entry.summary, *map(str, entry.keys)]))


def _place(where: str, place: places.Place, line: int | None) -> dict[str, Any]:
    marks = [list(mark) for mark in place.marks]
    return {"where": where, "line": line, "excerpt": place.excerpt, "marks": marks}


def _hit(pair: ToolPair, shown: list[dict[str, Any]]) -> dict[str, Any]:
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
        "places": shown,
    }
