"""Taking references away, and with the last of them a content's bytes."""

from __future__ import annotations

import logging
import time
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from django.db import connection, transaction
from django.utils import timezone

from canvases.models import Agent, OffloadedBlob, Reference
from canvases.selectors.references import expired, seconds_now
from canvases.services.audit import Draft, blob_payload, events_append
from canvases.services.indexing import contents_forget
from pipelines.audit.kinds import EventType

log = logging.getLogger(__name__)
MOST_AT_A_RUN = 1_000
MOST_AT_ONCE = 50
PAUSE_SECONDS = 0.01


@dataclass(slots=True, kw_only=True)
class Swept:
    """What was taken away."""

    references: int = 0
    contents: int = 0
    size_bytes: int = 0

    def add(self, other: Swept) -> None:
        self.references += other.references
        self.contents += other.contents
        self.size_bytes += other.size_bytes


def references_expire(
    *, at: int | None = None, most: int = MOST_AT_A_RUN, pause: float = PAUSE_SECONDS
) -> Swept:
    """Take away what expired before the second `at` (default: now), `most` references at a run.

    The work is done in short transactions with `pause` seconds between them; a reference that was renewed in
    the meantime stays. The cost is that of what expired, however much else is kept. An agent whose log cannot
    be written keeps what it has and does not hold up the others; the first such failure is raised at the end.
    """
    at = seconds_now() if at is None else at
    swept, refused = Swept(), dict[int, Exception]()
    while swept.references < most:
        took = _expire_next(at, min(MOST_AT_ONCE, most - swept.references), refused)
        if took is None:
            break
        swept.add(took)
        time.sleep(pause)
    for error in refused.values():
        raise error
    return swept


def _expire_next(at: int, most: int, refused: dict[int, Exception]) -> Swept | None:
    """Take away the first expired references, each agent's in a transaction; None when none could be."""
    due = expired(at).exclude(blob__agent__in=refused) if refused else expired(at)
    pks = dict(due.values_list("pk", "blob_id")[:most])
    owners = dict(OffloadedBlob.objects.filter(pk__in=pks.values()).values_list("pk", "agent_id"))
    took = Swept()
    for agent in sorted(set(owners.values())):
        try:
            took.add(_expire_some(at, {pk: blob for pk, blob in pks.items() if owners.get(blob) == agent}))
        except Exception as error:
            log.exception("what expired of agent %s cannot be taken away", agent)
            refused[agent] = error
    return took if took.references or refused.keys() & owners.values() else None


@transaction.atomic
def _expire_some(at: int, pks: dict[int, int]) -> Swept:
    """Hold the contents of references, then take those away that are expired still."""
    blobs = contents_lock(pks.values(), skip_busy=True)
    # Found by their keys alone: a planner that knows when they end would look through all that expired again.
    now = Reference.objects.filter(pk__in=pks, blob__in=blobs).select_related("blob")
    rows = now.defer("blob__content_zstd").order_by("pk")
    ended = [row for row in rows if row.expires_at is not None and row.expires_at < at]
    return references_end(ended, why=EventType.EXPIRED, actor="sweep")


def contents_lock(pks: Iterable[int], *, skip_busy: bool = False) -> list[int]:
    """Hold the contents' rows, and so their references, until the transaction ends; return those held."""
    skip = skip_busy and connection.features.has_select_for_update_skip_locked
    rows = OffloadedBlob.objects.filter(pk__in=set(pks)).select_for_update(skip_locked=skip, no_key=True)
    return list(rows.order_by("pk").values_list("pk", flat=True))


def references_end(ended: list[Reference], *, why: EventType, actor: str, gone_why: str = "") -> Swept:
    """Take references away whose contents are held; bytes that nothing keeps any more go too.

    `why` is the event that tells of it; `gone_why` is what a content's row says, if not the same.
    """
    Reference.objects.filter(pk__in=[reference.pk for reference in ended]).delete()
    bare = OffloadedBlob.objects.filter(
        pk__in={reference.blob_id for reference in ended}, references=None, gone_at=None
    )
    sizes, now = dict(bare.values_list("pk", "size_bytes")), timezone.now()
    OffloadedBlob.objects.filter(pk__in=sizes).update(content_zstd=b"", gone_at=now, gone_why=gone_why or why)
    contents_forget(sizes)
    agents = Agent.objects.in_bulk({reference.blob.agent_id for reference in ended})
    drafts: dict[int, list[Draft]] = defaultdict(list)
    for reference in ended:
        payload = blob_payload(reference.blob, namespace=reference.namespace, why=gone_why or why)
        if reference.blob_id in sizes:
            payload["gone_at"] = now.isoformat()
        drafts[reference.blob.agent_id].append(Draft(event_type=why, actor=actor, payload=payload))
    for pk in sorted(drafts):
        events_append(agents[pk], drafts[pk])
    return Swept(references=len(ended), contents=len(sizes), size_bytes=sum(sizes.values()))
