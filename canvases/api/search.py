"""GET search: results, summaries and contents put away by hand, by their words."""

from __future__ import annotations

from typing import Annotated

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router, Schema
from pydantic import Field

from canvases.api.common import actor_of, agent_of, reply
from canvases.problems import Problem, not_found
from canvases.services.reads import Unknown
from canvases.services.searches import results_searched
from pipelines.search import query as queries

router = Router()


class PlaceOut(Schema):
    where: str = Field(description="result, summary (its keys included), tool_call, error or content")
    line: int | None = Field(
        description="of a result or content: its line, from 1, as deref's `lines` counts"
    )
    excerpt: str = Field(description="the line, or the part of a long one around the match; no colour codes")
    marks: list[list[int]] = Field(description="[start, end) of each match in the excerpt, in code points")


class HitOut(Schema):
    session_id: str | None = Field(
        description="null, as all that is of a call, for a content put away by hand"
    )
    seq: int | None
    timestamp: str = Field(description="when the call was, or the content was put away")
    tool_name: str | None
    tool_call: str | None
    tool_call_id: str | None
    ref_id: str
    result_ref: str | None
    content_sha256: str
    namespaces: list[str] | None = Field(
        description="under which names a content put away by hand is kept, the newest five; null for a call"
    )
    places: list[PlaceOut]


class SearchOut(Schema):
    state: str = Field(
        description="found; nothing_found (all was searched); not_indexed_yet (nothing so far, ask again); "
        "nothing_stored (there is nothing to search); unfinished (nothing on this page, go on with `next`)"
    )
    items: list[HitOut]
    next: str | None
    pending: int = Field(description="results and contents that are not searchable yet")
    in_part: int = Field(description="those that are no text, damaged, or have too many different words")
    unreadable: int = Field(description="those left out because their bytes failed their check just now")


@router.get("/search", response=SearchOut)
def get_search(
    request: HttpRequest,
    q: Annotated[str, Query(description='words, all in one result; "in quotes" a phrase as it stands')] = "",
    session_id: str | None = None,
    ref_id: str | None = None,
    after: str = "",
    limit: int | None = None,
) -> HttpResponse:
    """Find tool pairs by words in their results, summaries, calls and errors, newest first, and after them
    contents put away by hand.

    Case does not matter. Names and paths are found as they stand and by their parts. `session_id` (its pairs
    only) or `ref_id` narrows the search; within a ref, more of its lines are shown.
    """
    try:
        answer = results_searched(
            agent=agent_of(request),
            actor=actor_of(request),
            words=q,
            session_id=session_id,
            ref_id=ref_id,
            after=after,
            limit=limit,
        )
    except queries.QueryError as error:
        raise Problem(422, f"{error}.") from None
    except Unknown as error:
        raise not_found(error.what) from None
    return reply(answer)
