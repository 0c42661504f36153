"""Reading results back: excerpts for a context, and the exact bytes."""

from __future__ import annotations

from typing import Annotated

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router

from canvases.api.common import actor_of, agent_of, reply
from canvases.api.schemas import DerefOut
from canvases.problems import Problem, gone, not_found
from canvases.ranges import bytes_response
from canvases.selectors import deref
from canvases.services.derefs import NAMES, Reader, asked, results_read
from canvases.services.reads import Unknown, content_read, miss_noted
from pipelines.blobs import BlobGone
from pipelines.readback import DEFAULT_TOKENS, ReadError

router = Router()


@router.get("/deref", response=DerefOut)
def get_deref(
    request: HttpRequest,
    node_id: str | None = None,
    ref_id: str | None = None,
    tool_call_id: str | None = None,
    result_ref: str | None = None,
    session_id: str | None = None,
    lines: str | None = None,
    grep: str | None = None,
    context: int = 0,
    offset: int = 0,
    limit: int | None = None,
    max_tokens: Annotated[int, Query(ge=1)] = DEFAULT_TOKENS,
    json_path: str = "",
    after: str = "",
) -> HttpResponse:
    """Read results back by one of node_id, ref_id, tool_call_id or result_ref.

    All but ref_id need session_id. Several results may answer to one id; each is an item, they share
    max_tokens, and `after=next` gives those past the 50th. Cut content ends on a whole character, and
    `offset=next_offset` goes on exactly there. With `json_path` (RFC 9535 without match() and search()) the
    text that is read is the JSON the path finds: one value spelled as it is stored, or a list of several with
    their paths, a line each.
    """
    reading = deref.Reading(
        lines=lines, grep=grep, context=context, offset=offset, limit=limit, max_tokens=max_tokens
    )
    reader = Reader(agent=agent_of(request), actor=actor_of(request), how="deref")
    try:
        what = asked({name: request.GET.get(name) for name in NAMES}, session_id=session_id, after=after)
        page = results_read(reader, what, reading, json_path=json_path)
    except ReadError as error:
        raise Problem(422, f"{error}.") from None
    except Unknown as error:
        raise not_found(error.what) from None
    except BlobGone as error:
        raise gone(error) from None
    return reply({"items": page.items, "next": page.next})


@router.get("/refs/{ref_id}/raw")
def get_raw(request: HttpRequest, ref_id: str, sha256: str | None = None) -> HttpResponse:
    """Give the exact bytes; `Range` works, `ETag` is the SHA-256.

    In the rare case that two contents share a ref id the answer is 409 and lists their SHA-256: choose one
    with `?sha256=`.
    """
    blobs = deref.blobs_by_ref(agent_of(request), ref_id)
    if sha256 is not None:
        blobs = [blob for blob in blobs if blob.content_sha256 == sha256]
    if not blobs:
        miss_noted(agent_of(request), actor=actor_of(request), asked={"ref_id": ref_id})
        raise not_found("ref")
    if len(blobs) > 1:
        choices = [blob.content_sha256 for blob in blobs]
        raise Problem(409, "Several contents share this ref id; add ?sha256= of one.", sha256=choices)
    read = content_read(blobs[0], actor=actor_of(request), how="raw")
    if isinstance(read.error, BlobGone):
        raise gone(read.error)
    if read.content is None:
        raise Problem(500, f"The stored bytes are damaged and were not given out: {read.error}.")
    return bytes_response(request, read.content, sha256=blobs[0].content_sha256)
