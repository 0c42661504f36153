"""Learning what the small results of a tool have in common, so that later ones take less room."""

from __future__ import annotations

from datetime import timedelta

from django.db.models import Max
from django.utils import timezone

from canvases.models import Agent, OffloadedBlob, ToolDictionary, ToolPair
from canvases.models.session import text_key
from canvases.selectors.contents import blob_content
from pipelines.blobs import BlobError
from pipelines.dictionaries import SMALL_BYTES, choose

RECENT = timedelta(days=1)
CALLS_LOOKED_AT = 20_000  # the newest of the server
FIRST_AT = 64  # contents
AGAIN_AT = 8  # times as many


def dictionaries_learn() -> int:
    """Train a dictionary for each tool that was used lately and has enough new contents; return how many were kept.

    A dictionary is kept only where it makes contents smaller that it was not trained on, its own bytes counted;
    that none was worth it is kept in mind as well. The work is bounded by the newest calls.
    """
    newest = ToolPair.objects.aggregate(newest=Max("pk"))["newest"] or 0
    recent = ToolPair.objects.filter(pk__gt=newest - CALLS_LOOKED_AT, received_at__gt=timezone.now() - RECENT)
    tools = recent.order_by().values_list("session__agent", "tool_name").distinct()
    return sum(_learn(agent, tool, newest) for agent, tool in list(tools))


def _learn(agent_pk: int, tool: str, newest: int) -> bool:
    calls = ToolPair.objects.filter(pk__gt=newest - CALLS_LOOKED_AT, session__agent=agent_pk, tool_name=tool)
    small = OffloadedBlob.objects.filter(
        pk__in=calls.values("blob"), gone_at=None, size_bytes__range=(1, SMALL_BYTES)
    )
    samples = small.count()
    last = ToolDictionary.objects.filter(agent=agent_pk, tool_key=text_key(tool)).order_by("-pk").first()
    if samples < (last.samples * AGAIN_AT if last else FIRST_AT):
        return False
    contents = []
    for blob in small.select_related("agent").defer("content_zstd").order_by("pk").iterator(chunk_size=100):
        try:
            contents.append(blob_content(blob))
        except BlobError:
            continue  # verification tells of it
    dictionary = choose(contents)
    ToolDictionary.objects.create(
        agent=Agent(pk=agent_pk),
        tool_name=tool,
        tool_key=text_key(tool),
        samples=samples,
        codec=dictionary.codec if dictionary else "",
        sha256=dictionary.sha256 if dictionary else "",
        content=dictionary.content if dictionary else b"",
    )
    return dictionary is not None
