"""The shapes of requests and answers, as the OpenAPI document gives them."""

from __future__ import annotations

from typing import Any

from ninja import Field, Schema


class ToolPairIn(Schema):
    tool_name: str = Field(min_length=1, max_length=2000)
    tool_call_id: str = ""
    params: Any = None
    result: Any = Field(None, description="any JSON value; required unless error is given")
    error: str | None = None
    is_error: bool | None = None
    timestamp: str | None = Field(None, description="ISO 8601")
    duration_ms: float | None = Field(None, ge=0)


class ToolPairsIn(Schema):
    tool_pairs: list[ToolPairIn] = Field(min_length=1, max_length=200)
    recent_messages: list[dict[str, Any]] | None = None
    context_window: int | None = Field(None, ge=1)


class StoredRef(Schema):
    index: int = Field(description="place of the pair in the request")
    seq: int
    tool_call_id: str
    ref_id: str
    result_ref: str
    content_sha256: str
    size_bytes: int
    tokens: int
    duplicate: bool


class RefusedPair(Schema):
    index: int
    detail: str


class ToolPairsOut(Schema):
    accepted: int
    duplicates: int
    refs: list[StoredRef]
    errors: list[RefusedPair]


class PromptIn(Schema):
    prompt: str = Field(min_length=1)
    recent_messages: list[dict[str, Any]] | None = None
    timestamp: str | None = Field(None, description="ISO 8601; makes a re-post of the same prompt a no-op")


class PromptOut(Schema):
    boundary_id: int


class TokensOut(Schema):
    raw: int
    offloaded: int
    saved_gross: int
    saved_net: int


class SessionRow(Schema):
    session_id: str
    agent: str
    version: int
    pairs: int
    entries: int
    pending_summaries: int
    number: int = Field(description="the session's number in the addresses of pages")
    active_canvas: str | None
    task_goal: str | None
    status: str | None
    progress: int | None
    context_window: int | None
    raw_bytes: int
    tokens: TokensOut
    created_at: str
    updated_at: str


class SessionOut(SessionRow):
    unmapped_entries: int


class SessionListOut(Schema):
    items: list[SessionRow]
    next: str | None


class EntryOut(Schema):
    seq: int
    timestamp: str
    node_id: str | None
    tool_call: str
    summary: str
    keys: list[str]
    result_ref: str
    ref_id: str
    tool_call_id: str
    tool_name: str
    score: int
    short: bool
    outcome: str | None
    readback: list[str] = Field(description="refs that the result was only read back from; else empty")
    size_bytes: int
    tokens: int
    session_key: str
    offloaded: bool | str | None


class EntryListOut(Schema):
    items: list[EntryOut]
    next: str | None


class NodeOut(Schema):
    node_id: str
    act: str
    label: str
    status: str
    summary: str
    entries: int
    first_seq: int
    last_seq: int
    updated: str
    folded: int
    dead_end: bool
    phase: str
    phase_number: int
    finding: str
    counts: str
    calls: int = Field(description="the same as entries")


class EdgeOut(Schema):
    source: str
    target: str
    label: str
    dotted: bool


class CanvasOut(Schema):
    number: int
    filename: str
    label: str
    status: str
    task_goal: str
    progress: int
    revision: int
    revisions: int
    behind: int = Field(description="how many newer revisions there are")
    nodes: list[NodeOut]
    edges: list[EdgeOut]
    mermaid: str
    drawing: str
    through_seq: int
    as_of: str
    created_at: str


class CanvasListOut(Schema):
    items: list[CanvasOut]
    next: str | None


class RevisionOut(Schema):
    number: int
    status: str
    progress: int
    task_goal: str
    nodes: int
    through_seq: int
    as_of: str
    created_at: str


class RevisionListOut(Schema):
    items: list[RevisionOut]
    next: str | None


class OffloadIn(Schema):
    content: str | None = Field(None, description="a text; or send content_base64")
    content_base64: str | None = Field(None, description="bytes")
    namespace: str | None = Field(None, description="a name of your choice; `auto` if left out")
    ttl_seconds: int | None = Field(None, ge=1, description="how long it can be read; null: for good")
    media_type: str | None = None


class OffloadOut(Schema):
    ref_id: str
    content_sha256: str
    stored_at: int = Field(description="Unix time in seconds")
    namespace: str
    expires_at: int | None
    size_bytes: int
    tokens: int


class ReferenceRow(Schema):
    ref_id: str
    namespace: str = Field(description="`session/<id>` for results of calls")
    media_type: str
    size_bytes: int
    tokens: int
    content_sha256: str
    stored_at: int = Field(description="Unix time in seconds")
    expires_at: int | None = Field(description="the last second in which it can be read; null: kept for good")


class ReferenceListOut(Schema):
    items: list[ReferenceRow]
    next: str | None


class SignatureOut(Schema):
    namespace: str
    media_type: str
    stored_at: int = Field(description="Unix time in seconds")
    ttl_seconds: int | None
    expires_at: int | None = Field(description="the last second in which it can be read; null: kept for good")
    key_id: str | None
    signature: str | None = Field(description="Ed25519, base64url without padding")


class DerefItem(Schema):
    ref_id: str
    seq: int | None
    tool_call: str | None
    tool_call_id: str | None
    result_ref: str | None
    content: str | None
    truncated: bool | None = None
    next_offset: int | None = None
    total_lines: int | None = None
    matches: int | None = None
    size_bytes: int
    sha256: str
    verified: bool
    signature: SignatureOut | None
    error: str | None = None


class DerefOut(Schema):
    items: list[DerefItem]
    next: str | None


class ProblemOut(Schema):
    type: str
    title: str
    status: int
    detail: str = Field(description="what went wrong and what to send instead; never the input itself")
    request_id: str = Field(description="finds the request in the server's log; X-Request-ID has it too")
    errors: list[dict[str, Any]] | None = Field(
        None, description="what is wrong where, if several things are"
    )
    limit: int | None = Field(None, description="of a 413: the most bytes a body may have")
    sha256: list[str] | None = Field(None, description="of a 409: the contents to choose from")


class HealthOut(Schema):
    status: str
    version: str
    layers: dict[str, dict[str, Any]]
    waiting_sessions: int


class EventOut(Schema):
    sequence: int
    event_id: str
    event_type: str
    actor: str
    outcome: str
    payload: dict[str, Any]
    timestamp: str
    prev_hash: str
    key_id: str | None
    signature: str | None


class EventListOut(Schema):
    items: list[EventOut]
    next: str | None


class BreakOut(Schema):
    kind: str
    agent: str
    sequence: int | None
    row: int | None
    expected: str
    found: str


class BlobFailureOut(Schema):
    kind: str
    agent: str
    content_sha256: str
    sequence: int | None
    expected: str
    found: str


class VerificationOut(Schema):
    agent: str
    rows_checked: int
    breaks: list[BreakOut]
    signature_failures: list[BreakOut]
    blobs_checked: int
    blob_failures: list[BlobFailureOut]
    holds: bool
