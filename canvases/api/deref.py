"""Reading results back: excerpts for a context, and the exact bytes."""

from __future__ import annotations

from typing import Annotated

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router

from canvases.api.common import actor_of, agent_of, reply, session_of
from canvases.api.schemas import DerefOut
from canvases.models import OffloadedBlob, Session, ToolPair
from canvases.problems import Problem, gone, not_found
from canvases.ranges import bytes_response
from canvases.reading.json_path import parse
from canvases.selectors import deref, paging
from canvases.services.reads import Reads, content_read, miss_noted
from pipelines.blobs import BlobGone
from pipelines.readback import DEFAULT_TOKENS, ReadError

router = Router()
Found = tuple[OffloadedBlob, ToolPair | None]
_NAMES = ("node_id", "ref_id", "tool_call_id", "result_ref")


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
    given = [name for name in _NAMES if request.GET.get(name) is not None]
    if len(given) != 1:
        raise Problem(422, f"Send exactly one of {', '.join(_NAMES)}.")
    reading = deref.Reading(
        lines=lines, grep=grep, context=context, offset=offset, limit=limit, max_tokens=max_tokens
    )
    reads = Reads(actor=actor_of(request), how="deref")
    try:
        path = parse(json_path) if json_path else None
        page = paging.cut(_found(request, given[0], session_id, after), deref.MAX_ITEMS, tokens=_token)
        items = deref.items(page.items, reading, read=reads.read, path=path)
        reads.note()
    except ReadError as error:
        reads.note()  # the words of the refusal tell of the content too
        raise Problem(422, f"{error}.") from None
    except BlobGone as error:
        reads.note()
        raise gone(error) from None
    return reply({"items": items, "next": page.next})


def _token(found: Found) -> str:
    return paging.token(found[1].seq if found[1] else 0)


def _found(request: HttpRequest, name: str, session_id: str | None, after: str) -> list[Found]:
    value = request.GET[name]
    if name == "ref_id":
        blobs = deref.blobs_by_ref(agent_of(request), value)
        if not blobs:
            raise _missed(request, name, value, "ref")
        return [(blob, deref.first_pair(blob)) for blob in blobs]
    if session_id is None:
        raise Problem(422, f"{name} needs session_id beside it.")
    at = paging.position(after, int) or [0]
    pairs = _pairs(session_of(request, session_id), name, value, at[0])
    if not pairs:
        raise _missed(request, name, value, "result")
    return [(pair.blob, pair) for pair in pairs]


def _pairs(session: Session, name: str, value: str, after: int) -> list[ToolPair] | None:
    if name == "node_id":
        return deref.pairs_by_node(session, value, after)
    if name == "tool_call_id":
        return deref.pairs_by_call(session, value, after)
    return deref.pairs_by_result_ref(session, value)


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
        raise _missed(request, "ref_id", ref_id, "ref")
    if len(blobs) > 1:
        choices = [blob.content_sha256 for blob in blobs]
        raise Problem(409, "Several contents share this ref id; add ?sha256= of one.", sha256=choices)
    read = content_read(blobs[0], actor=actor_of(request), how="raw")
    if isinstance(read.error, BlobGone):
        raise gone(read.error)
    if read.content is None:
        raise Problem(500, f"The stored bytes are damaged and were not given out: {read.error}.")
    return bytes_response(request, read.content, sha256=blobs[0].content_sha256)


def _missed(request: HttpRequest, name: str, value: str, what: str) -> Problem:
    """Note the miss and return the 404 for it."""
    miss_noted(agent_of(request), actor=actor_of(request), asked={name: value})
    return not_found(what)
