"""L1: every stored tool pair gets exactly one entry."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace

from django.db import transaction

from canvases import live
from canvases.models import Layer, OffloadEntry, ToolPair
from canvases.selectors.contents import pair_call
from canvases.selectors.deref import stored_before
from canvases.services.sessions import session_held
from pipelines import l1, own_readback, tokens
from pipelines.records import Act, Facts, Kind, Outcome, Summary, ToolCall

BATCH = 50
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    pair: ToolPair
    summary: Summary
    tokens: int


def entries_write(session_pk: int) -> int:
    """Summarise the session's pairs that have no entry yet; return how many entries were written.

    Safe to run twice at once: summaries are made outside the transaction, and each is written only if its
    pair still has none when the session is held.
    """
    written = 0
    while pairs := _pending(session_pk):
        written += _write(session_pk, [_row(pair) for pair in pairs])
    if written:
        Layer.succeeded("l1")
    return written


def _pending(session_pk: int) -> list[ToolPair]:
    pending = ToolPair.objects.filter(session=session_pk, summarised=False)
    return list(pending.select_related("blob__agent").defer("blob__content_zstd").order_by("seq")[:BATCH])


def _row(pair: ToolPair) -> _Row:
    summary = _summary(pair)
    text = "\n".join([summary.tool_call, summary.summary, *summary.keys])
    return _Row(pair=pair, summary=summary, tokens=tokens.count(text))


def _summary(pair: ToolPair) -> Summary:
    """Summarise one pair; a pair that cannot be read or summarised gets an entry that says so."""
    try:
        call = pair_call(pair)
        return _as_readback(pair, call, l1.summarise(call))
    except Exception as error:
        log.exception("pair %s of session %s could not be summarised", pair.seq, pair.session_id)
        Layer.failed("l1", error, at=f"pair {pair.seq}")
        return Summary(
            tool_call=pair.tool_name[:150],
            summary=f"not summarised ({type(error).__name__}); read the raw result",
            score=0,
            facts=Facts(kind=Kind.TEXT, act=Act.RUN, outcome=Outcome.UNKNOWN),
        )


def _as_readback(pair: ToolPair, call: ToolCall, summary: Summary) -> Summary:
    """Return the summary, or for a result that only reads back what is stored, one that says so."""
    if call.is_error or summary.facts.outcome is Outcome.FAILED:
        return summary
    seen = own_readback.recognise(
        call.tool_name, call.params, call.result, stored=lambda ref_id: stored_before(pair, ref_id)
    )
    if seen is None:
        return summary
    facts = Facts(kind=summary.facts.kind, act=Act.EXPLORE, outcome=Outcome.OK, readback=seen.names)
    return replace(summary, summary=seen.summary, keys=seen.ref_ids[:12], score=5, facts=facts)


def _write(session_pk: int, rows: list[_Row]) -> int:
    with transaction.atomic():
        session = session_held(session_pk)
        pks = [row.pair.pk for row in rows]
        done = set(OffloadEntry.objects.filter(pair__in=pks).values_list("pair_id", flat=True))
        new = [row for row in rows if row.pair.pk not in done]
        OffloadEntry.objects.bulk_create([_entry(session_pk, row) for row in new])
        ToolPair.objects.filter(pk__in=pks).update(summarised=True)
        standing = [row for row in new if not (row.summary.short or row.summary.facts.readback)]
        session.entry_count += len(new)
        session.offloaded_tokens += sum(row.pair.blob.tokens for row in standing)
        session.summary_tokens += sum(row.tokens for row in standing)
        session.save(update_fields=["entry_count", "offloaded_tokens", "summary_tokens"])
        if new:
            live.session_changed(session)
    return len(new)


def _entry(session_pk: int, row: _Row) -> OffloadEntry:
    return OffloadEntry(
        pair=row.pair,
        session_id=session_pk,
        seq=row.pair.seq,
        tool_call=row.summary.tool_call,
        summary=row.summary.summary,
        keys=list(row.summary.keys),
        score=row.summary.score,
        short=row.summary.short,
        facts=row.summary.facts.to_json(),
        summary_tokens=row.tokens,
    )
