"""What is stored. One module per noun group; everything is imported here for Django and for callers."""

from __future__ import annotations

from canvases.models.access import Agent, ApiKey, LoginLink
from canvases.models.audit import ChainHead, SignedEvent, SigningKeyRecord
from canvases.models.canvas import Boundary, Canvas, CanvasRevision
from canvases.models.compression import CompressionEvent, CompressionState
from canvases.models.dictionary import ToolDictionary
from canvases.models.layer import Layer
from canvases.models.pair import OffloadedBlob, OffloadEntry, ToolPair
from canvases.models.reference import Reference
from canvases.models.search import SearchDocument, SearchProgress
from canvases.models.session import IdempotencyRecord, Session

__all__ = [
    "Agent",
    "ApiKey",
    "Boundary",
    "Canvas",
    "CanvasRevision",
    "ChainHead",
    "CompressionEvent",
    "CompressionState",
    "IdempotencyRecord",
    "Layer",
    "LoginLink",
    "OffloadEntry",
    "OffloadedBlob",
    "Reference",
    "SearchDocument",
    "SearchProgress",
    "Session",
    "SignedEvent",
    "SigningKeyRecord",
    "ToolDictionary",
    "ToolPair",
]
