"""The pure core: summaries, boundaries, canvases, refs, tokens and transcripts, without Django or the network."""

from __future__ import annotations
