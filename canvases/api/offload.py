"""Contents that an agent stores by hand, each under a namespace and for as long as it says."""

from __future__ import annotations

import base64
import binascii
from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Router

from canvases.api.bodies import STORE_ERRORS, body_bytes, body_json, body_schema, bytes_schema, once
from canvases.api.common import actor_of, agent_of, reply
from canvases.api.schemas import OffloadIn, OffloadOut, ProblemOut, ReferenceListOut
from canvases.problems import Problem, not_found
from canvases.selectors.references import reference_page, reference_row
from canvases.services.offloads import OffloadRefused, OffloadTooLarge, offload, offload_data, offload_delete
from pipelines.pairs import TEXT, encode_text

router = Router()
BYTES = "application/octet-stream"


@router.post("/offload", response={201: OffloadOut, **STORE_ERRORS}, openapi_extra=body_schema(OffloadIn))
def post_offload(request: HttpRequest) -> HttpResponse:
    """Store a content; it is on disk when the answer comes, and `ref_id` reads it back.

    The same content in the same namespace renews its time to live. Over the agent's limit the answer is 413.
    """
    body = body_json(request)
    if not isinstance(body, dict):
        raise Problem(422, 'Send a JSON object: {"content": "the text to keep"}.')
    content, media_type = _content(body)

    return _stored(
        request,
        content=content,
        namespace=body.get("namespace"),
        ttl_seconds=body.get("ttl_seconds"),
        media_type=media_type,
    )


@router.put("/contents", response={201: OffloadOut, **STORE_ERRORS}, openapi_extra=bytes_schema())
def put_content(request: HttpRequest, namespace: str = "", ttl_seconds: int | None = None) -> HttpResponse:
    """Store the body as a content, byte for byte; `Content-Type` is its media type. Else as `POST /offload`.

    It may be as large as the agent's limit (up to 64 MiB), whatever the limit of other requests.
    """
    return _stored(
        request,
        content=body_bytes(request),
        namespace=namespace,
        ttl_seconds=ttl_seconds,
        media_type=request.headers.get("Content-Type") or BYTES,
    )


def _stored(request: HttpRequest, **content: Any) -> HttpResponse:
    def act() -> tuple[int, dict[str, Any]]:
        reference = offload(agent=agent_of(request), actor=actor_of(request), **content)
        return 201, offload_data(reference)

    try:
        return once(request, act)
    except OffloadTooLarge as error:
        way = f"manage.py agents {agent_of(request).name} --offload-limit-mb N"
        detail = f"{error}; {way} raises it for this agent, up to 64, and OFFLOAD_MAX_OFFLOAD_MB for all."
        raise Problem(413, detail, limit=error.limit) from None
    except OffloadRefused as error:
        raise Problem(422, f"{error}.") from None


def _content(body: dict[str, Any]) -> tuple[bytes, Any]:
    """Return the bytes to store and their media type, as it came where one is named."""
    text, encoded = body.get("content"), body.get("content_base64")
    if isinstance(text, str) and encoded is None:
        content, media_type = encode_text(text), TEXT
    elif isinstance(encoded, str) and text is None:
        try:
            content, media_type = base64.b64decode(encoded, validate=True), BYTES
        except (binascii.Error, ValueError):
            raise Problem(422, "content_base64 is not base64.") from None
    else:
        raise Problem(422, "content is required: a text, or content_base64 for bytes, and not both.")
    named = body.get("media_type")
    return content, media_type if named is None else named


@router.get("/refs", response=ReferenceListOut)
def list_refs(
    request: HttpRequest, namespace: str = "", after: str = "", limit: int | None = None
) -> HttpResponse:
    """List what is kept of the agent now, newest first: results of calls and contents stored by hand.

    With `namespace`, only what that one keeps.
    """
    page = reference_page(agent_of(request), namespace=namespace, after=after, limit=limit)
    return reply({"items": [reference_row(row) for row in page.items], "next": page.next})


@router.delete("/refs/{ref_id}", response={204: None, 404: ProblemOut, 422: ProblemOut})
def delete_ref(request: HttpRequest, ref_id: str, namespace: str = "") -> HttpResponse:
    """Delete what a namespace (default `auto`) keeps under this ref id.

    Bytes that no other namespace and no session keeps are gone then; the audit log keeps that they were.
    """
    try:
        ended = offload_delete(
            agent=agent_of(request), actor=actor_of(request), ref_id=ref_id, namespace=namespace
        )
    except OffloadRefused as error:
        raise Problem(422, f"{error}.") from None
    if not ended:
        raise not_found("ref in this namespace")
    return HttpResponse(status=204)
