"""Searching for an agent: what it is shown of its contents is noted before it is given out."""

from __future__ import annotations

from typing import Any

from canvases.models import Agent
from canvases.selectors.contents import blob_read
from canvases.selectors.search import search
from canvases.selectors.search_scope import Scope
from canvases.selectors.sessions import agent_session
from canvases.services.reads import Unknown, miss_noted, search_noted
from pipelines.search import query as queries


def results_searched(
    *,
    agent: Agent,
    actor: str,
    words: str,
    session_id: str | None = None,
    ref_id: str | None = None,
    after: str = "",
    limit: int | None = None,
) -> dict[str, Any]:
    """Return a page of hits as `selectors.search.search` gives it, in all sessions, in one, or in one ref.

    Raises Unknown, QueryError and BadPage.
    """
    session = agent_session(agent, session_id) if session_id is not None else None
    if session_id is not None and session is None:
        raise Unknown("session")
    scope = Scope(agent=agent, session=session, ref_id=ref_id)
    query = queries.parse(words)
    if ref_id is not None and scope.is_empty():
        miss_noted(agent, actor=actor, asked={"ref_id": ref_id})
        raise Unknown("ref")
    answer = search(scope, query, after=after, limit=limit, read=blob_read)
    shown = sorted({item["ref_id"] for item in answer["items"]})
    search_noted(agent, actor=actor, query=words, ref_ids=shown)
    return answer
