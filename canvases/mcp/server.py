"""The MCP server: its tools, and their answers as the protocol writes them."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from django.conf import settings
from django.db import OperationalError, close_old_connections
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    ToolAnnotations,
)
from mcp_types import Tool as ToolOnWire

from canvases.mcp.canvas import CANVAS_READ
from canvases.mcp.deref import MEMORY_DEREF
from canvases.mcp.offload import MEMORY_OFFLOAD
from canvases.mcp.search import OFFLOAD_SEARCH
from canvases.mcp.surrogates import escape, unpack
from canvases.mcp.tool import Arguments, Caller, Tool, ToolRefused
from canvases.problems import Problem

log = logging.getLogger(__name__)
TOOLS = {tool.name: tool for tool in (MEMORY_OFFLOAD, MEMORY_DEREF, OFFLOAD_SEARCH, CANVAS_READ)}
INSTRUCTIONS = (
    "Keeps long texts and tool results outside your context and reads them back exactly. canvas_read shows the "
    "map of the work, offload_search finds a result by its words, memory_deref reads one back, memory_offload "
    "puts a text away."
)
Context = ServerRequestContext[Any, Any]
T = TypeVar("T")
_threads = ThreadPoolExecutor(max_workers=8, thread_name_prefix="mcp")


def server(caller_of: Callable[[Context], Caller]) -> Server[Any]:
    """Return the server. `caller_of` tells whose call it is, by what the transport knows and never by the
    arguments; it may use the database, and raises ToolRefused for one who may not call."""

    async def call(context: Context, params: CallToolRequestParams) -> CallToolResult:
        tool = TOOLS.get(params.name)
        if tool is None:
            raise MCPError(INVALID_PARAMS, escape(f"Unknown tool: {params.name[:100]}"))
        arguments = unpack(params.arguments or {})
        return await in_thread(lambda: answered(tool, lambda: caller_of(context), arguments))

    return Server(
        "offload",
        version=settings.VERSION,
        title="Context offload",
        instructions=INSTRUCTIONS,
        on_list_tools=_listed,
        on_call_tool=call,
    )


async def in_thread(work: Callable[[], T]) -> T:
    """Run what uses the database on one of a few threads, each with a connection of its own."""

    def fresh() -> T:
        close_old_connections()
        try:
            return work()
        finally:
            close_old_connections()

    return await asyncio.get_running_loop().run_in_executor(_threads, fresh)


async def _listed(context: Context, params: PaginatedRequestParams | None) -> ListToolsResult:
    return ListToolsResult(tools=[_on_wire(tool) for tool in TOOLS.values()])


def _on_wire(tool: Tool) -> ToolOnWire:
    hints = ToolAnnotations(
        read_only_hint=tool.reads_only, destructive_hint=False, idempotent_hint=True, open_world_hint=False
    )
    return ToolOnWire(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.schema,
        annotations=hints,
    )


def answered(tool: Tool, caller: Callable[[], Caller], arguments: Arguments) -> CallToolResult:
    """Run a tool and return its answer: JSON as text and as data, or a failure in words."""
    try:
        data = tool.run(caller(), arguments)
    except ToolRefused as error:
        return _failed(f"{error}")
    except OperationalError as error:
        log.error("the database failed: %s", error)
        return _failed(Problem.of_database(error).detail)
    except Exception:
        log.exception("the tool %s failed", tool.name)
        return _failed("Something failed here; the server's log says what.")
    written = json.dumps(data, indent=2, sort_keys=True, ensure_ascii=False)
    text = escape(written)
    return CallToolResult(
        content=[TextContent(type="text", text=text)],
        structured_content=data if text == written else None,  # data with a lone surrogate cannot be sent
    )


def _failed(why: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=escape(why))], is_error=True)
