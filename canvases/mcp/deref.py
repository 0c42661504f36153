"""memory_deref: reading back what was offloaded, by any name an agent holds."""

from __future__ import annotations

from typing import Any

from canvases.mcp.tool import HOW, Arguments, Caller, Tool, ToolRefused, text, whole, whole_or
from canvases.selectors import paging
from canvases.selectors.deref import Reading
from canvases.services.derefs import NAMES, Reader, asked, results_read
from canvases.services.reads import LONGEST_NOTED, Unknown
from canvases.services.ref_reads import RefRefused, Refusal
from pipelines.blobs import BlobGone
from pipelines.readback import DEFAULT_TOKENS, MOST_TOKENS, ReadError


def _run(caller: Caller, arguments: Arguments) -> dict[str, Any]:
    names = {name: text(arguments, name) for name in NAMES if name != "ref_id"}
    ref_id = arguments.get("ref_id")
    if not any(value is not None for value in names.values()) and not isinstance(ref_id, str):
        raise ToolRefused("ref_id is required")
    names["ref_id"] = text(arguments, "ref_id")
    if len([value for value in names.values() if value is not None]) > 1:
        names = {
            name: value or None for name, value in names.items()
        }  # models fill what they leave out with ""
    reading = Reading(
        lines=text(arguments, "lines"),
        grep=text(arguments, "grep"),
        context=whole_or(arguments, "context", 0),
        offset=whole_or(arguments, "offset", 0),
        limit=whole(arguments, "limit"),
        max_tokens=whole_or(arguments, "max_tokens", DEFAULT_TOKENS),
    )
    reader = Reader(agent=caller.agent, actor=caller.actor, how=HOW)
    path = text(arguments, "json_path") or ""
    session_id, after = text(arguments, "session_id"), text(arguments, "after") or ""
    try:
        what = asked(names, session_id=session_id, after=after)
        page = results_read(reader, what, reading, json_path=path, lone_refused=True)
    except Unknown as error:
        missing = names["ref_id"]
        if missing is None:
            raise ToolRefused(f"{error}") from None
        raise ToolRefused(f"{RefRefused(missing[:LONGEST_NOTED], Refusal.NOT_FOUND)}") from None
    except (RefRefused, ReadError, paging.BadPage, BlobGone) as error:
        raise ToolRefused(f"{error}") from None
    if len(page.items) == 1 and page.next is None:
        return _told(page.items[0])
    return {"items": [_told(item) for item in page.items], "next": page.next}


def _told(item: dict[str, Any]) -> dict[str, Any]:
    """Return what a model needs of an item: no signature, which was checked here, and nothing that is empty."""
    kept = item["signature"] or {}
    told = {**item, "stored_at": kept.get("stored_at")}
    del told["signature"]
    always = ("content", "next_offset")
    return {name: value for name, value in told.items() if value is not None or name in always}


MEMORY_DEREF = Tool(
    name="memory_deref",
    title="Read back",
    description=(
        "Dereference a memory_offload, or any tool result that was replaced by a summary, a stub or a canvas "
        "node: reads the stored text back, checked against its hash. Use it when a summary is not enough. Give "
        "one of ref_id, node_id, tool_call_id or result_ref; all but ref_id need session_id. A long text "
        "comes in parts: narrow it with grep, lines or json_path, or send offset=next_offset for the next part."
    ),
    properties={
        "ref_id": {"type": ["string", "null"], "description": "The ofl_... id of the stored content."},
        "node_id": {"type": ["string", "null"], "description": "A canvas node, such as 001-N3."},
        "tool_call_id": {"type": ["string", "null"], "description": "The id of a tool call."},
        "result_ref": {"type": ["string", "null"], "description": "A result's name, refs/....md."},
        "session_id": {"type": ["string", "null"], "description": "The session the name belongs to."},
        "lines": {"type": ["string", "null"], "description": 'Only these lines: "10-60", "10-" or "10".'},
        "grep": {
            "type": ["string", "null"],
            "description": "Only lines with this plain text, in any case (no pattern), with their numbers.",
        },
        "context": {
            "type": ["integer", "null"],
            "minimum": 0,
            "description": "Lines around each grep match.",
        },
        "json_path": {
            "type": ["string", "null"],
            "description": "Only what this RFC 9535 path finds in a JSON content, such as $.items[0].name.",
        },
        "offset": {"type": ["integer", "null"], "minimum": 0, "description": "The character to begin at."},
        "limit": {"type": ["integer", "null"], "minimum": 1, "description": "The most characters to give."},
        "max_tokens": {
            "type": ["integer", "null"],
            "minimum": 1,
            "description": f"The most tokens to give: {DEFAULT_TOKENS} if left out, never over {MOST_TOKENS}.",
        },
        "after": {"type": ["string", "null"], "description": "The `next` of an answer with many items."},
    },
    run=_run,
)
