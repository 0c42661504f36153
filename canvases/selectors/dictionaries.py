"""The dictionaries that contents are packed and unpacked with."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable

from canvases.models import Agent, OffloadedBlob, ToolDictionary
from canvases.models.session import text_key
from pipelines.blobs import BlobDamaged, BlobError
from pipelines.dictionaries import Dictionary, opened


def dictionaries_of(agent: Agent, tools: Iterable[str]) -> dict[str, Dictionary]:
    """Return by name the newest dictionary of each of the tools that has one; a damaged one is left out."""
    keys = {text_key(tool) for tool in tools}
    rows = ToolDictionary.objects.filter(agent=agent, tool_key__in=keys).exclude(codec="").order_by("pk")
    found: dict[str, Dictionary] = {}
    for row in rows:
        with contextlib.suppress(BlobError):
            found[row.tool_name] = opened(bytes(row.content), sha256=row.sha256)
    return found


def dictionary_for(blob: OffloadedBlob) -> Dictionary:
    """Return the dictionary that a content was packed with. Raises BlobDamaged when it is not there as it was."""
    row = ToolDictionary.objects.filter(agent=blob.agent_id, codec=blob.codec).first()
    if row is None:
        raise BlobDamaged(f"the dictionary of codec {blob.codec} is not there")
    dictionary = opened(bytes(row.content), sha256=row.sha256)
    if dictionary.codec != blob.codec:
        raise BlobDamaged(f"the dictionary of codec {blob.codec} is not the one that was stored")
    return dictionary
