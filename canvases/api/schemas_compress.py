"""The shapes of compression's requests and answers, as the OpenAPI document gives them."""

from __future__ import annotations

from typing import Any

from ninja import Field, Schema


class CompressIn(Schema):
    messages: list[dict[str, Any]] = Field(description="the whole list, in any dialect")
    context_window: int | None = Field(
        None,
        ge=1,
        description="tokens of the model's context; else the server's OFFLOAD_DEFAULT_CONTEXT_WINDOW",
    )
    total_tokens: int | None = Field(None, description="of the whole request, if the client counted it")
    level: str | None = Field(None, description="fast, mild, aggressive or emergency: at least this deep")
    keep_tools: list[str] = Field(default_factory=list, description="tools whose results always stay")
    tool_thresholds: dict[str, int] = Field(
        default_factory=dict, description="by tool: the least tokens of which something is replaced"
    )
    can_deref: bool = Field(True, description="false: nothing is replaced that the model could not read back")
    dry_run: bool = Field(False, description="true: only say what would be done")


class ReplacedOut(Schema):
    index: int
    kind: str
    tool_call_id: str
    ref_id: str
    reason: str
    tokens_before: int
    tokens_after: int


class CutOut(Schema):
    index: int
    kind: str
    tokens_before: int
    tokens_after: int


class ReportOut(Schema):
    event_id: int | None
    level: str
    context_window: int
    system_tokens: int = Field(description="beside the messages: measured by total_tokens, else a share")
    tokens_before: int
    tokens_after: int
    ratio_before: float
    ratio_after: float
    fits: bool
    stable_prefix_tokens: int = Field(description="at the beginning, sent just so the last time: cached")
    billed_tokens: int = Field(
        description="with cached tokens at a tenth of the price, others a quarter more"
    )
    billed_tokens_without: int = Field(description="the same for the list as it came")
    reapplied: int = Field(description="messages in which what was decided before was done again")
    replaced: list[ReplacedOut]
    deleted: list[int]
    truncated: list[CutOut]
    injected: list[str]
    notes: list[str]
    duration_ms: float | None = None


class CompressOut(Schema):
    messages: list[dict[str, Any]]
    report: ReportOut


class CompressionRow(Schema):
    event_id: int
    level: str
    context_window: int
    tokens_before: int
    tokens_after: int
    created_at: str


class CompressionListOut(Schema):
    items: list[CompressionRow]
    next: str | None


class StoredReportOut(Schema):
    level: str
    fits: bool
    replaced: list[ReplacedOut]
    deleted: list[int]
    truncated: list[CutOut]
    injected: list[str]
    notes: list[str]
    duration_ms: float


class CompressionOut(CompressionRow):
    report: StoredReportOut
