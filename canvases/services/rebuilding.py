"""Making a canvas's working memory again from its entries, when the stored one cannot be read."""

from __future__ import annotations

import logging

from django.conf import settings

from canvases.models import Boundary, Canvas, OffloadEntry
from canvases.selectors.contents import entry_step
from canvases.services.boundaries import boundary_prompt
from pipelines import l2

log = logging.getLogger(__name__)


class CanvasDamaged(ValueError):
    """What the builder remembers of a canvas cannot be read or made again, so nothing more can be drawn on it."""


def canvas_rebuild(canvas: Canvas) -> l2.CanvasState:
    """Fold all that is on the canvas anew.

    Raises CanvasDamaged when a call would come to stand under another node than it was given out with (an entry
    is damaged too, or the limits of canvases have been changed): a known node id never leads to other calls.
    """
    entries = list(OffloadEntry.objects.filter(canvas=canvas).select_related("pair").order_by("seq"))
    drawn = Boundary.objects.filter(canvas=canvas, drawn_through__gt=0).order_by("first_seq", "pk")
    state, nodes = l2.advance(
        l2.new_state(
            number=canvas.number, label=canvas.label, goal=canvas.task_goal, created=canvas.created_at
        ),
        [entry_step(entry) for entry in entries],
        [boundary_prompt(boundary) for boundary in drawn if boundary.prompt],
        max_nodes=settings.OFFLOAD_CANVAS_MAX_NODES,
        max_chars=settings.OFFLOAD_CANVAS_MAX_CHARS,
    )
    if not entries or any(nodes[entry.seq] != entry.node_number for entry in entries):
        raise CanvasDamaged(f"the state of canvas {canvas.pk} cannot be read, and not be made again")
    log.warning("the state of canvas %s was made again from its %s entries", canvas.pk, len(entries))
    return state
