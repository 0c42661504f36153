"""offload_search: finding what was stored by its words."""

from __future__ import annotations

from typing import Any

from canvases.mcp.tool import Arguments, Caller, Tool, ToolRefused, text, whole
from canvases.selectors import paging
from canvases.services.reads import Unknown
from canvases.services.searches import results_searched
from pipelines.search.query import QueryError

DEFAULT_HITS = 10


def _run(caller: Caller, arguments: Arguments) -> dict[str, Any]:
    words = text(arguments, "q")
    if words is None:
        raise ToolRefused("q is required")
    limit = whole(arguments, "limit")
    try:
        return results_searched(
            agent=caller.agent,
            actor=caller.actor,
            words=words,
            session_id=text(arguments, "session_id"),
            ref_id=text(arguments, "ref_id"),
            after=text(arguments, "after") or "",
            limit=DEFAULT_HITS if limit is None else limit,
        )
    except (Unknown, QueryError, paging.BadPage) as error:
        raise ToolRefused(f"{error}") from None


OFFLOAD_SEARCH = Tool(
    name="offload_search",
    title="Search results",
    description=(
        "Find earlier tool results by words in them, in their summaries, calls or errors, newest first, and after "
        "them texts put away with memory_offload (told by their namespaces): each hit has its ref_id and the "
        "matching lines. Use it when you remember what a text said but hold no id of it. All words must be in "
        "one result or text; it is no pattern and no question."
    ),
    properties={
        "q": {"type": "string", "description": 'Words, names or paths; "in quotes" a phrase as it stands.'},
        "session_id": {"type": ["string", "null"], "description": "Search the results of this session only."},
        "ref_id": {
            "type": ["string", "null"],
            "description": "Search in this result or text only, and show more lines.",
        },
        "limit": {
            "type": ["integer", "null"],
            "minimum": 1,
            "maximum": paging.MAX_LIMIT,
            "description": f"The most hits to give; {DEFAULT_HITS} if left out.",
        },
        "after": {"type": ["string", "null"], "description": "The `next` of the last answer, to go on."},
    },
    required=("q",),
    run=_run,
)
