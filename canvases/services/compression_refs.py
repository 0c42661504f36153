"""Where the results of a message list are kept; what is not kept yet is stored first."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from django.db.models import Max, OuterRef, Subquery

from canvases.models import Agent, OffloadedBlob, OffloadEntry, Session, ToolPair
from canvases.models.session import text_key
from canvases.selectors.contents import blob_content
from canvases.services.contents import Keep, content_packed, contents_held, contents_keep
from canvases.services.ingest import batch_prepare, pairs_store
from canvases.services.redaction import text_redacted
from pipelines import blobs, l1, rawjson
from pipelines.content import text_of
from pipelines.l3.stub import Ref
from pipelines.messages.view import Part
from pipelines.pairs import JSON, MAX_PAIRS, TEXT, Batch, PostedPair, decode_text, encode_text
from pipelines.records import ToolCall

Wanted = Sequence[tuple[Part, Part | None]]
AT_ONCE = 1_000
"""Results asked for with one query."""


class SessionRefs:
    """The refs of one session, as a compression asks for them."""

    def __init__(self, *, agent: Agent, session: Session | None, actor: str, dry_run: bool = False) -> None:
        """With `dry_run` nothing is stored, and a session that is not there yet is None."""
        self.agent = agent
        self.session = session
        self.actor = actor
        self.dry_run = dry_run
        self.kept: dict[str, bytes] = {}
        """Texts of inputs that must be stored before the list is given out, by SHA-256."""

    def text(self, text: str) -> str:
        """Return the ref id under which a text will be found once `kept` is stored."""
        content = encode_text(text_redacted(text)[0])
        sha256 = hashlib.sha256(content).hexdigest()
        self.kept[sha256] = content
        return blobs.ref_id_of_sha256(sha256)

    def packed(self) -> dict[str, OffloadedBlob]:
        """Return the rows of the kept texts that are not stored yet, by SHA-256."""
        held = contents_held(self.agent, self.kept)
        return {
            sha256: content_packed(self.agent, content, sha256=sha256, media_type=TEXT)
            for sha256, content in self.kept.items()
            if sha256 not in held
        }

    def keep(
        self, packed: dict[str, OffloadedBlob], namespace: str
    ) -> tuple[dict[str, OffloadedBlob], set[str]]:
        """Keep the texts inside the running transaction: as `contents_keep`, which see for what is returned."""
        wishes = [Keep(sha256=sha256, namespace=namespace, media_type=TEXT) for sha256 in self.kept]
        return contents_keep(agent=self.agent, packed=packed, wishes=wishes, content_of=self.kept.__getitem__)

    def results(self, wanted: Wanted) -> list[Ref | None]:
        """Return where each result's bytes are. One that nobody posted is stored as a call of the session now."""
        found = [
            pair
            for start in range(0, len(wanted), AT_ONCE)
            for pair in self._found(wanted[start : start + AT_ONCE])
        ]
        if self.dry_run:
            return [
                _ref(pair, part) if pair else Ref(ref_id=self.text(part.text), summary="not stored yet")
                for pair, (part, _) in zip(found, wanted, strict=True)
            ]
        missing = [place for place, pair in enumerate(found) if pair is None]
        for start in range(0, len(missing), MAX_PAIRS):
            some = missing[start : start + MAX_PAIRS]
            for place, pair in zip(some, self._stored([wanted[place] for place in some]), strict=True):
                found[place] = pair
        return [_ref(pair, part) if pair else None for pair, (part, _) in zip(found, wanted, strict=True)]

    def _found(self, wanted: Wanted) -> list[ToolPair | None]:
        """Return the pair of each result: by its call id and content, else by its content alone.

        Of many with one content, or with one call id, the newest counts; each is found by an index alone.
        """
        hashes = [_sha256(part.text) for part, _ in wanted]
        keys = [text_key(part.call_id) if part.call_id else "" for part, _ in wanted]
        pairs = ToolPair.objects.filter(session=self.session).select_related(
            "blob__agent", "entry", "entry__canvas"
        )
        pairs = pairs.defer("params", "blob__content_zstd", "entry__canvas__state")
        by_hash = {pair.blob.content_sha256: pair for pair in pairs.filter(pk__in=self._newest_of(hashes))}
        found = [by_hash.get(sha) for sha in hashes]
        others = {key for key, pair in zip(keys, found, strict=True) if pair is None or pair.call_key != key}
        by_call = {pair.call_key: pair for pair in pairs.filter(seq__in=self._newest_of_calls(others - {""}))}
        for at, (key, (part, _)) in enumerate(zip(keys, wanted, strict=True)):
            pair = by_call.get(key)
            if pair is not None and _is_of(pair, part, hashes[at]):
                found[at] = pair
        return found

    def _newest_of_calls(self, keys: set[str]) -> list[int]:
        called = ToolPair.objects.filter(session=self.session, call_key__in=keys)
        return list(called.values("call_key").annotate(newest=Max("seq")).values_list("newest", flat=True))

    def _newest_of(self, hashes: list[str]) -> list[int]:
        of_content = ToolPair.objects.filter(session=self.session, blob=OuterRef("pk")).order_by("-seq")
        known = OffloadedBlob.objects.filter(agent=self.agent, content_sha256__in=set(hashes))
        newest = known.annotate(newest=Subquery(of_content.values("pk")[:1])).values_list("newest", flat=True)
        return [pk for pk in newest if pk is not None]

    def _stored(self, wanted: Wanted) -> list[ToolPair]:
        if self.session is None:
            raise AssertionError("only a dry run may be without a session")
        posted = [
            PostedPair(
                tool_name=(call.name if call else part.name) or "tool",
                tool_call_id=part.call_id,
                params=call.input if call else None,
                content=encode_text(part.text),
                is_error=part.is_error or None,
            )
            for part, call in wanted
        ]
        batch = batch_prepare(agent=self.agent, batch=Batch(pairs=list(enumerate(posted))))
        stored = pairs_store(
            agent=self.agent, session_id=self.session.session_id, batch=batch, actor=self.actor
        )
        return [one.row for one in stored]


def _sha256(text: str) -> str:
    return hashlib.sha256(encode_text(text_redacted(text)[0])).hexdigest()


def _is_of(pair: ToolPair, part: Part, sha256: str) -> bool:
    """Say whether a pair's result is the one in the list: the same text, or blocks that read as it."""
    if pair.blob.content_sha256 == sha256:
        return True
    if pair.media_type != JSON:
        return False
    try:
        text = decode_text(blob_content(pair.blob))
        return text is not None and text_of(rawjson.parse(text)) == part.text
    except (blobs.BlobError, rawjson.JsonSyntaxError):
        return False


def _ref(pair: ToolPair, part: Part) -> Ref | None:
    """Return what a stub says of a pair; None for one that must stay: a read-back, which would only be read again."""
    blob: OffloadedBlob = pair.blob
    entry: OffloadEntry | None = getattr(pair, "entry", None)
    if blob.gone_at is not None or (entry is not None and entry.facts.get("readback")):
        return None
    return Ref(
        ref_id=blob.ref_id,
        node_id=_node(entry),
        summary=entry.summary if entry is not None else _summary(pair, part),
        tokens=blob.tokens,
        score=entry.score if entry is not None else 5,
    )


def _node(entry: OffloadEntry | None) -> str | None:
    if entry is None or entry.canvas is None or entry.node_number is None:
        return None
    return f"{entry.canvas.number:03d}-N{entry.node_number}"


def _summary(pair: ToolPair, part: Part) -> str:
    """Summarise a result whose entry is still to be written."""
    call = ToolCall(
        tool_name=pair.tool_name,
        tool_call_id=pair.tool_call_id,
        params=None,
        result=part.text,
        error=pair.error,
        is_error=pair.is_error,
        duration_ms=pair.duration_ms,
    )
    return l1.summarise(call).summary
