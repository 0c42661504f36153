"""memory_offload: putting a text away."""

from __future__ import annotations

from typing import Any

from canvases.mcp.tool import Arguments, Caller, Tool, ToolRefused
from canvases.services.offloads import OffloadRefused, offload, offload_data
from canvases.services.quota import QuotaFull
from pipelines.pairs import TEXT, encode_text


def _run(caller: Caller, arguments: Arguments) -> dict[str, Any]:
    content, media_type = arguments.get("content"), arguments.get("media_type")
    if not isinstance(content, str):
        raise ToolRefused("content is required")
    try:
        reference = offload(
            agent=caller.agent,
            actor=caller.actor,
            content=encode_text(content),
            namespace=arguments.get("namespace"),
            ttl_seconds=arguments.get("ttl_seconds"),
            media_type=TEXT if media_type is None else media_type,
        )
    except (OffloadRefused, QuotaFull) as error:
        raise ToolRefused(f"{error}") from None
    return offload_data(reference)


MEMORY_OFFLOAD = Tool(
    name="memory_offload",
    title="Offload a text",
    description=(
        "Offload verbatim content: it is stored exactly, outside your context, and a short ref_id comes back. "
        "Use it for long text you may need again but not now (a plan, a log, a page, a draft); keep the ref_id "
        "and a line on what it is. memory_deref reads it back, whole or in part. Results of your tool calls "
        "that the host already offloads need no second copy."
    ),
    properties={
        "content": {"type": "string", "description": "The text to store, kept byte for byte."},
        "namespace": {
            "type": ["string", "null"],
            "description": "A name to keep it under; the default is auto.",
        },
        "ttl_seconds": {
            "type": ["integer", "null"],
            "minimum": 1,
            "description": "How long to keep it, in seconds from now; leave it out to keep it for good.",
        },
        "media_type": {
            "type": ["string", "null"],
            "description": "What the content is, such as application/json; the default is plain text.",
        },
    },
    required=("content",),
    reads_only=False,
    run=_run,
)
