"""The pure core: summaries, tasks, canvases, refs, tokens and transcripts, without Django or the network."""

from __future__ import annotations
