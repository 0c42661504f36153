"""Where a search looks: the pairs and the contents put away by hand, and how far they are searchable."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce, Left

from canvases.models import Agent, OffloadedBlob, Reference, SearchDocument, Session, ToolPair
from canvases.models.reference import SESSION_NAMESPACE
from canvases.selectors.contents import may_exist
from canvases.selectors.references import live, seconds_now


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Where to search: in all that an agent has, in one session, or in one ref."""

    agent: Agent
    session: Session | None = None
    ref_id: str | None = None

    def pairs(self) -> QuerySet[ToolPair]:
        """Return the tool pairs in the scope."""
        found = ToolPair.objects.filter(session__agent=self.agent)
        if self.session is not None:
            found = found.filter(session=self.session)
        if self.ref_id is not None:
            found = found.filter(blob__ref_id=self.ref_id) if may_exist(self.ref_id) else found.none()
        return found

    def contents(self) -> QuerySet[OffloadedBlob]:
        """Return the contents put away by hand that no pair shows; a session has none."""
        found = OffloadedBlob.objects.filter(
            ~Exists(ToolPair.objects.filter(blob=OuterRef("pk"))),
            Exists(kept_by_hand().filter(blob=OuterRef("pk"))),
            agent=self.agent,
            gone_at=None,
        )
        if self.session is not None or (self.ref_id is not None and not may_exist(self.ref_id)):
            return found.none()
        return found if self.ref_id is None else found.filter(ref_id=self.ref_id)

    def is_empty(self) -> bool:
        """Say whether there is nothing to search."""
        return not self.pairs().exists() and not self.contents().exists()


def kept_by_hand() -> QuerySet[Reference]:
    """Return the live references that no session made."""
    named = Reference.objects.alias(start=Left("namespace", len(SESSION_NAMESPACE)))
    return named.exclude(start=SESSION_NAMESPACE).filter(live(seconds_now()))


def pending(scope: Scope) -> int:
    """Count what in the scope is not searchable yet; looks only at sessions that are behind, and at documents
    that wait. A ref is searched as it is."""
    if scope.ref_id is not None:
        return 0
    # Annotated: a filter alone would join inwards, and lose the sessions that were never looked at.
    sessions = Session.objects.filter(agent=scope.agent)
    sessions = sessions.annotate(through=Coalesce(F("search_progress__through_seq"), 0))
    if scope.session is not None:
        sessions = sessions.filter(pk=scope.session.pk)
    behind = sessions.filter(next_seq__gt=F("through") + 1).values("pk")
    found = _with_progress(ToolPair.objects.filter(session__in=behind)).filter(seq__gt=F("through")).count()
    waiting = SearchDocument.objects.filter(waiting_since__isnull=False)
    if waiting.exists():
        passed = _with_progress(scope.pairs()).filter(seq__lte=F("through"))
        of_blob = Q(blob__in=waiting.filter(blob__isnull=False).values("blob"))
        of_entry = Q(entry__in=waiting.filter(entry__isnull=False).values("entry"))
        found += passed.filter(of_blob | of_entry).count()
        found += scope.contents().filter(of_document(waiting)).count()
    return found


def in_part(scope: Scope) -> int:
    """Count what in the scope never is searchable, or only in part."""
    partly = SearchDocument.objects.filter(~Q(note=""), blob__isnull=False)
    of_pairs = scope.pairs().filter(blob__in=partly.values("blob")).count()
    return of_pairs + scope.contents().filter(of_document(partly)).count()


def of_document(documents: QuerySet[SearchDocument]) -> Q:
    """Return the condition for contents that have one of these documents."""
    return Q(pk__in=documents.filter(blob__isnull=False).values("blob"))


def _with_progress(pairs: QuerySet[ToolPair]) -> QuerySet[ToolPair]:
    return pairs.annotate(through=Coalesce(F("session__search_progress__through_seq"), 0))
