"""What may match a query, looked up by its terms: first the pairs, then the contents put away by hand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from django.db import connection

from canvases.models.reference import SESSION_NAMESPACE
from canvases.selectors.references import seconds_now
from canvases.selectors.search_scope import Scope
from pipelines.search.query import Query

NEWEST = 2**63 - 1
_CHUNK = 500

_HAVING = {
    "postgresql": "SELECT id FROM canvases_searchdocument WHERE codes @@ %s::tsquery",
    "sqlite": "SELECT rowid FROM search_codes WHERE search_codes MATCH %s",
}
_LANGUAGE = {
    "postgresql": {"both": " & ", "either": " | ", "quote": "'"},
    "sqlite": {"both": " AND ", "either": " OR ", "quote": '"'},
}
# From the documents to what they are of: SQLite takes cross joins in this order, and would else try each
# document that matches for each pair of the agent.
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
_BY_CONTENT = f"""
    SELECT b.id FROM canvases_searchdocument d CROSS JOIN offloaded_blobs b
    WHERE d.id IN ({{having}}) AND b.id = d.blob_id AND b.agent_id = %s AND b.id < %s AND b.gone_at IS NULL
    AND NOT EXISTS (SELECT 1 FROM canvases_toolpair p WHERE p.blob_id = b.id)
    AND EXISTS (
        SELECT 1 FROM blob_references r WHERE r.blob_id = b.id AND (r.expires_at IS NULL OR r.expires_at >= %s)
        AND substr(r.namespace, 1, {len(SESSION_NAMESPACE)}) <> '{SESSION_NAMESPACE}'
    )
    ORDER BY b.id DESC LIMIT %s
"""  # noqa: S608


class Part(StrEnum):
    """The two lists that a search goes through, one after the other."""

    PAIRS = "pairs"
    CONTENTS = "contents"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A pair, or a content put away by hand, that may match."""

    part: Part
    pk: int
    in_result: bool
    """What is looked for may be in the bytes; else only in what is told of a pair."""


def candidates(scope: Scope, query: Query, part: Part, before: int) -> Iterator[Candidate]:
    """Yield what may match, newest first: of this part what is older than `before`, then all of the next part.

    In one ref all may: it is read as it is, indexed or not.
    """
    if part is Part.PAIRS:
        while chunk := _pairs(scope, query, before):
            for pk, in_result in chunk:
                yield Candidate(Part.PAIRS, pk, in_result)
            before = chunk[-1][0]
        before = NEWEST
    if scope.session is None:
        while found := _contents(scope, query, before):
            yield from (Candidate(Part.CONTENTS, pk, True) for pk in found)
            before = found[-1]


def _pairs(scope: Scope, query: Query, before: int) -> list[tuple[int, bool]]:
    if scope.ref_id is not None:
        newest = scope.pairs().filter(pk__lt=before).order_by("-pk").values_list("pk", flat=True)
        return [(pk, True) for pk in newest[:_CHUNK]]
    session = scope.session.pk if scope.session else None
    where = [scope.agent.pk, before, session, session]
    by_result, by_entry = (set(_looked_up(one, query, where)) for one in (_BY_RESULT, _BY_ENTRY))
    return [(pk, pk in by_result) for pk in sorted(by_result | by_entry, reverse=True)[:_CHUNK]]


def _contents(scope: Scope, query: Query, before: int) -> list[int]:
    if scope.ref_id is not None:
        newest = scope.contents().filter(pk__lt=before).order_by("-pk")
        return list(newest.values_list("pk", flat=True)[:_CHUNK])
    return _looked_up(_BY_CONTENT, query, [scope.agent.pk, before, seconds_now()])


def _looked_up(statement: str, query: Query, where: list[int | None]) -> list[int]:
    asked = query.expression(**_LANGUAGE[connection.vendor])
    with connection.cursor() as cursor:
        cursor.execute(statement.format(having=_HAVING[connection.vendor]), [asked, *where, _CHUNK])
        return [pk for (pk,) in cursor.fetchall()]
