"""One cause link: its counted issues, its note's history, and the same pair in other sources."""

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
    """A link without issues that once had a note. Raises `GoneCauseLink.DoesNotExist`."""
    links = GoneCauseLink.objects.filter(source__slug=source, symptom__code=symptom, cause__code=cause)
    return links.select_related(*WITH_ENDS).latest("gone_at")


def link_issues(*, link: CauseLink, limit: int = 20) -> tuple[Issue, ...]:
    """The latest `limit` issues that the link counts."""
    evidence = CauseLinkEvidence.objects.filter(
        source=link.source_id, symptoms__contains=[link.symptom_id], causes__contains=[link.cause_id]
    )
    issues = Issue.objects.filter(pk__in=evidence.values("issue")).select_related("repository__framework")
    latest = issues.defer("body", "search_vector", "label_terms").order_by(F("opened_at").desc(nulls_last=True), "-pk")
    return tuple(latest[:limit])


@dataclass(frozen=True)
class NoteRevision:
    """A version of a link's note; `who` is empty for imports and commands, `came`: the link was created with it."""

    when: dt.datetime
    note: str
    who: str
    came: bool

    @property
    def what(self) -> str:
        """The change in words."""
        if self.came:
            return "came back with its note" if self.note else "appeared"
        return "note written" if self.note else "note taken away"


def note_history(*, link_id: int) -> tuple[NoteRevision, ...]:
    """All versions of the note, newest first, from before the link was last deleted, too."""
    events = with_who(apps.get_model("kb", "CauseLinkNoteEvent")._default_manager.filter(pgh_obj=link_id))
    return tuple(
        NoteRevision(event.pgh_created_at, event.note, event.who or "", event.pgh_label == "insert")
        for event in events.order_by("-pgh_id")
    )


def same_pair_elsewhere(*, symptom: Node, cause: Node) -> tuple[CauseLink, ...]:
    """Links of all sources between the pair or nodes with an exact crosswalk to it, the most trusted source first.

    Nothing is added up, because samples of sources overlap.
    """
    same = _same_as((symptom.pk, cause.pk))
    links = CauseLink.objects.filter(symptom__in=same[symptom.pk], cause__in=same[cause.pk])
    return tuple(sorted(links.select_related(*WITH_ENDS), key=attrgetter("source.by_trust")))


def _same_as(nodes: Iterable[int]) -> dict[int, set[int]]:
    """Each node with the nodes to which it has an exact crosswalk, in either direction."""
    same = {node: {node} for node in nodes}
    exact: QuerySet[Crosswalk] = Crosswalk.objects.filter(relation=Crosswalk.Relation.EXACT)
    pairs = exact.filter(from_node__in=same).union(exact.filter(to_node__in=same), all=True)
    for from_node, to_node in pairs.order_by().values_list("from_node", "to_node"):
        if from_node in same:
            same[from_node].add(to_node)
        if to_node in same:
            same[to_node].add(from_node)
    return same
