"""A ref: the contents with its label, the calls they came from, and the exact bytes."""

from __future__ import annotations

from django.http import HttpResponse

from canvases.models import OffloadedBlob
from canvases.problems import Problem, gone
from canvases.ranges import bytes_response
from canvases.selectors import refs
from canvases.services.reads import content_read
from canvases.views.contents import shown_content
from canvases.views.pages import PageRequest, actor_of, missing, page, problem, signed_in
from pipelines.blobs import BlobGone
from pipelines.pairs import TEXT


@signed_in
def ref_detail(request: PageRequest, ref_id: str) -> HttpResponse:
    """List the contents with this label; a single one is shown."""
    found = refs.ref_contents(ref_id)
    if not found:
        return missing(request, "ref")
    contents = [refs.content_data(blob) for blob in found]
    hashes = {blob.content_sha256 for blob in found}
    form, actor = request.GET.get("as", ""), actor_of(request)
    shown = {blob.content_sha256: shown_content(blob, TEXT, form, actor=actor) for blob in found}
    for content in contents:
        content["integrity"] = shown[content["content_sha256"]]["integrity"]
    only = shown[found[0].content_sha256] if len(hashes) == 1 else None
    data = {"ref_id": ref_id, "contents": contents}
    return page(request, "refs/detail.html", data, extra={"content": only})


@signed_in
def ref_raw(request: PageRequest, ref_id: str) -> HttpResponse:
    """Give the exact bytes, in a sandbox: nothing in them is ever run or drawn."""
    found = refs.ref_content(ref_id, request.GET.get("sha256", ""))
    if not found:
        return missing(request, "ref")
    choices = sorted({blob.content_sha256 for blob in found})
    if len(choices) > 1:
        detail = "Several contents share this ref id; add ?sha256= of one."
        return problem(request, Problem(409, detail, sha256=choices))
    return _first_whole(request, found)


def _first_whole(request: PageRequest, found: list[OffloadedBlob]) -> HttpResponse:
    """Give the bytes of the first copy that is whole."""
    reason = ""
    for blob in found:
        read = content_read(blob, actor=actor_of(request), how="raw")
        if read.content is not None:
            return bytes_response(request, read.content, sha256=blob.content_sha256)
        if isinstance(read.error, BlobGone) and blob == found[-1] and not reason:
            return problem(request, gone(read.error))
        reason = reason or f"{read.error}"
    return problem(request, Problem(500, f"The stored bytes are damaged and were not given out: {reason}."))
