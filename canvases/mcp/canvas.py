"""canvas_read: the drawing of a task."""

from __future__ import annotations

from typing import Any

from canvases.mcp.tool import Arguments, Caller, Tool, ToolRefused, text, whole
from canvases.models import Agent, Canvas, Session
from canvases.selectors.canvases import canvas_data, canvas_revision, session_canvas, session_canvases
from canvases.selectors.sessions import agent_session, session_page

_OF_CANVAS = (
    "number",
    "filename",
    "label",
    "status",
    "task_goal",
    "progress",
    "revision",
    "revisions",
    "mermaid",
)
_OF_NODE = ("node_id", "label", "status", "summary", "entries")


def _run(caller: Caller, arguments: Arguments) -> dict[str, Any]:
    number = whole(arguments, "number")
    session = _session(caller.agent, text(arguments, "session_id"))
    canvas = _active(session) if number is None else session_canvas(session, number)
    if canvas is None:
        raise ToolRefused("nothing is drawn in this session yet" if number is None else "no such canvas")
    revision = canvas_revision(canvas, whole(arguments, "revision"))
    if revision is None:
        raise ToolRefused(f"no such revision; the canvas has revisions 1 to {canvas.revision}")
    data = canvas_data(canvas, revision)
    nodes = [{name: node[name] for name in _OF_NODE} for node in data["nodes"]]
    return {"session_id": session.session_id, **{name: data[name] for name in _OF_CANVAS}, "nodes": nodes}


def _session(agent: Agent, session_id: str | None) -> Session:
    """Return the session of this id, or the one that was used last."""
    if session_id is None:
        newest = session_page(agent=agent, limit=1).items
        if not newest:
            raise ToolRefused("no session is here yet")
        found: Session = newest[0]
        return found
    session = agent_session(agent, session_id)
    if session is None:
        raise ToolRefused("no such session; leave session_id out for the one that was used last")
    return session


def _active(session: Session) -> Canvas | None:
    """Return the canvas the session works on; the last one where it works on none that is drawn."""
    drawn = session_canvases(session)
    active = [canvas for canvas in drawn if canvas.pk == session.active_canvas_id]
    return next(iter(active or drawn[-1:]), None)


CANVAS_READ = Tool(
    name="canvas_read",
    title="Read a canvas",
    description=(
        "Read the map of a session's work: a Mermaid flowchart of what was tried, what failed and what worked, "
        "with each node's id, status and summary. Use it to find your way after your context was shortened; "
        "memory_deref with a node_id reads the results behind a node."
    ),
    properties={
        "session_id": {
            "type": ["string", "null"],
            "description": "The session; the one that was used last if left out. The answer names it.",
        },
        "number": {
            "type": ["integer", "null"],
            "minimum": 1,
            "description": "Which task's canvas; the active one if left out.",
        },
        "revision": {
            "type": ["integer", "null"],
            "minimum": 1,
            "description": "An earlier revision; the newest if left out.",
        },
    },
    required=(),
    run=_run,
)
