"""Reading one cause link: its numbers, the issues behind it, its note's history, and what others say of the pair."""

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from operator import attrgetter

from django.apps import apps
from django.db.models import F, QuerySet

from kb.models import CauseLink, CauseLinkEvidence, Crosswalk, GoneCauseLink, Issue, Node
from kb.selectors.history import with_who

WITH_ENDS = ("source__study", "symptom__axis__scheme__study", "cause__axis__scheme__study")


def link_detail(*, source: str, symptom: str, cause: str) -> CauseLink:
    """A source's link by its slug and the codes of both ends. Raises `CauseLink.DoesNotExist`."""
    links = CauseLink.objects.filter(source__slug=source, symptom__code=symptom, cause__code=cause)
    return links.select_related(*WITH_ENDS).latest("issues", "pk")


def gone_link(*, source: str, symptom: str, cause: str) -> GoneCauseLink:
    """A link that no issue speaks for any more, but that has a note. Raises `GoneCauseLink.DoesNotExist`."""
    gone = GoneCauseLink.objects.filter(source__slug=source, symptom__code=symptom, cause__code=cause)
    return gone.select_related(*WITH_ENDS).latest("gone_at")


def link_issues(*, link: CauseLink, limit: int = 20) -> tuple[Issue, ...]:
    """The issues that the link counts, the latest `limit` of them."""
    behind = CauseLinkEvidence.objects.filter(
        source=link.source_id, symptoms__contains=[link.symptom_id], causes__contains=[link.cause_id]
    )
    issues = Issue.objects.filter(pk__in=behind.values("issue")).select_related("repository__framework")
    latest = issues.defer("body", "search_vector", "label_terms").order_by(F("opened_at").desc(nulls_last=True), "-pk")
    return tuple(latest[:limit])


@dataclass(frozen=True)
class NoteRevision:
    """A state of a link's note: since when, and whose; `who` is empty for imports and commands."""

    when: dt.datetime
    note: str
    who: str
    came: bool

    @property
    def what(self) -> str:
        """What happened, in words."""
        if self.came:
            return "came back with its note" if self.note else "appeared"
        return "note written" if self.note else "note taken away"


def note_history(*, link_id: int) -> tuple[NoteRevision, ...]:
    """All states of the note, newest first; a link that went and came back goes on with its history."""
    events = with_who(apps.get_model("kb", "CauseLinkNoteEvent")._default_manager.filter(pgh_obj=link_id))
    return tuple(
        NoteRevision(event.pgh_created_at, event.note, event.who or "", event.pgh_label == "insert")
        for event in events.order_by("-pgh_id")
    )


def same_pair_elsewhere(*, symptom: Node, cause: Node) -> tuple[CauseLink, ...]:
    """What every source says about the pair, or about categories that the crosswalk calls exactly the same.

    The most trusted kind of source comes first. Nothing is added up: samples of sources overlap.
    """
    same = _same_as((symptom.pk, cause.pk))
    links = CauseLink.objects.filter(symptom__in=same[symptom.pk], cause__in=same[cause.pk])
    return tuple(sorted(links.select_related(*WITH_ENDS), key=attrgetter("source.by_trust")))


def _same_as(nodes: Iterable[int]) -> dict[int, set[int]]:
    """Each node with those that one exact relation, in either direction, leads to."""
    same = {node: {node} for node in nodes}
    exact: QuerySet[Crosswalk] = Crosswalk.objects.filter(relation=Crosswalk.Relation.EXACT)
    pairs = exact.filter(from_node__in=same).union(exact.filter(to_node__in=same), all=True)
    for one, other in pairs.order_by().values_list("from_node", "to_node"):
        if one in same:
            same[one].add(other)
        if other in same:
            same[other].add(one)
    return same
