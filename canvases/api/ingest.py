"""POST tool pairs and prompts: checked, stored, and only then acknowledged."""

from __future__ import annotations

from datetime import datetime
from typing import Any, TypedDict

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from ninja import Router

from canvases.api.bodies import ERRORS, STORE_ERRORS, body_json, body_schema, body_text, not_json, once
from canvases.api.common import actor_of, agent_of
from canvases.api.schemas import PromptIn, PromptOut, ToolPairsIn, ToolPairsOut
from canvases.problems import Problem
from canvases.services.ingest import (
    MAX_PROMPT_CHARACTERS,
    StoredPair,
    batch_prepare,
    pairs_store,
    prompt_store,
)
from canvases.services.quota import quota_check
from pipelines import pairs, rawjson

router = Router()


class _Prompt(TypedDict):
    prompt: str
    timestamp: datetime | None
    recent_messages: list[dict[str, Any]]


@router.post(
    "/sessions/{segment:session_id}/tool-pairs",
    response={202: ToolPairsOut, **STORE_ERRORS},
    openapi_extra=body_schema(ToolPairsIn),
)
def post_tool_pairs(request: HttpRequest, session_id: str) -> HttpResponse:
    """Store up to 200 tool pairs; they are on disk when the answer comes.

    A pair that cannot be stored is listed in `errors` and the others are kept; the answer is 422 when none
    can be stored. A pair equal in every field to a stored one is a duplicate, answered with its first ref.
    """
    agent = agent_of(request)
    text = body_text(request)
    try:
        batch = pairs.read_batch(text, max_result_bytes=settings.OFFLOAD_MAX_RESULT_BYTES)
    except rawjson.JsonSyntaxError as error:
        raise not_json(error) from None
    except pairs.PairError as error:
        raise Problem(422, f"{error}.") from None
    errors = [{"index": index, "detail": detail} for index, detail in batch.errors]
    if not batch.pairs:
        raise Problem(422, "No pair of this batch can be stored; see errors.", errors=errors)
    prepared = batch_prepare(agent=agent, batch=batch)
    quota_check(agent, (row.size_bytes for row in prepared.new_blobs.values()))

    def act() -> tuple[int, dict[str, Any]]:
        stored = pairs_store(agent=agent, session_id=session_id, batch=prepared, actor=actor_of(request))
        duplicates = sum(one.duplicate for one in stored)
        return 202, {
            "accepted": len(stored) - duplicates,
            "duplicates": duplicates,
            "refs": [_ref(one) for one in stored],
            "errors": errors,
        }

    return once(request, act)


def _ref(stored: StoredPair) -> dict[str, Any]:
    blob = stored.row.blob
    return {
        "index": stored.index,
        "seq": stored.row.seq,
        "tool_call_id": stored.row.tool_call_id,
        "ref_id": blob.ref_id,
        "result_ref": stored.row.result_ref,
        "content_sha256": blob.content_sha256,
        "size_bytes": blob.size_bytes,
        "tokens": blob.tokens,
        "duplicate": stored.duplicate,
    }


@router.post(
    "/sessions/{segment:session_id}/prompts",
    response={202: PromptOut, **ERRORS},
    openapi_extra=body_schema(PromptIn),
)
def post_prompt(request: HttpRequest, session_id: str) -> HttpResponse:
    """Say what a person asked for: the pairs that follow belong to it."""
    agent = agent_of(request)
    prompt = _prompt(body_json(request))

    def act() -> tuple[int, dict[str, Any]]:
        boundary, _ = prompt_store(agent=agent, session_id=session_id, **prompt)
        return 202, {"boundary_id": boundary.pk}

    return once(request, act)


def _prompt(body: Any) -> _Prompt:
    prompt = body.get("prompt") if isinstance(body, dict) else None
    if not isinstance(prompt, str) or not prompt.strip():
        raise Problem(422, 'prompt is missing or empty; send {"prompt": "what the person asked"}.')
    if len(prompt) > MAX_PROMPT_CHARACTERS:
        raise Problem(422, f"prompt has {len(prompt)} characters; the limit is {MAX_PROMPT_CHARACTERS}.")
    try:
        messages = pairs.messages(body.get("recent_messages"))
    except pairs.PairError as error:
        raise Problem(422, f"{error}.") from None
    timestamp = pairs.moment(body.get("timestamp"))
    if timestamp is None and body.get("timestamp") is not None:
        raise Problem(422, f"{pairs.BAD_TIME}.")
    return {"prompt": prompt, "timestamp": timestamp, "recent_messages": messages}
