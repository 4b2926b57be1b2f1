"""Reading cause links: which sources have them, one source's symptoms × causes, and what goes with a node.

Sources are never pooled: every function answers for one source, or keeps sources apart.
"""

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from django.apps import apps
from django.db.models import Count, Max, Q, QuerySet

from kb.models import CauseLink, Kind, Label, Node, Scheme, Source

LEVELS = (1, 2)


class LinkedSource(NamedTuple):
    """A source with cause links, and the number of its issues whose symptom and cause are both known."""

    source: Source
    issues: int


def sources_with_links() -> tuple[LinkedSource, ...]:
    """The sources that have cause links, the most trusted kind first."""
    known = dict(CauseLink.objects.order_by("source").values_list("source", "all_issues").distinct())
    sources = Source.objects.filter(pk__in=known).select_related("study")
    return tuple(LinkedSource(source, known[source.pk]) for source in sorted(sources, key=attrgetter("by_trust")))


@dataclass(frozen=True)
class MatrixNode:
    """A symptom or cause of the matrix and the number of the source's issues that carry it."""

    node: Node
    issues: int


@dataclass(frozen=True)
class CauseMatrix:
    """One source's links between the symptoms and causes of one level.

    `unseen` are the categories that no issue of the source carries; `beyond` is the number of issues
    that are in no pair because they are labelled more coarsely than this level.
    """

    scheme: Scheme
    symptoms: tuple[MatrixNode, ...]
    causes: tuple[MatrixNode, ...]
    unseen: tuple[Node, ...]
    links: tuple[CauseLink, ...]
    beyond: int


def cause_matrix(*, source: Source, level: int = 1) -> CauseMatrix:
    """The source's links at a level of the trees: nodes that deep, and shallower ones without children."""
    scheme = _scheme_of(source)
    nodes = {node.pk: node for node in _nodes(scheme)}
    shown = _at_level(nodes, level)
    links = tuple(CauseLink.objects.filter(source=source, symptom__in=shown, cause__in=shown).order_by("pk"))
    totals = {link.symptom_id: link.symptom_issues for link in links}
    totals |= {link.cause_id: link.cause_issues for link in links}
    for link in links:
        link.symptom, link.cause = nodes[link.symptom_id], nodes[link.cause_id]
    ordered = [nodes[pk] for pk in shown]
    found = [MatrixNode(node, totals[node.pk]) for node in ordered if node.pk in totals]
    return CauseMatrix(
        scheme=scheme,
        symptoms=tuple(row for row in found if row.node.axis.code == "symptom"),
        causes=tuple(row for row in found if row.node.axis.code == "root_cause"),
        unseen=tuple(node for node in ordered if node.pk not in totals and node.status == Node.Status.ACTIVE),
        links=links,
        beyond=_beyond(source, nodes, shown) if level > 1 else 0,
    )


def _scheme_of(source: Source) -> Scheme:
    """The scheme that the source's links are in. Raises `CauseLink.DoesNotExist` when it has none."""
    links = CauseLink.objects.filter(source=source).select_related("symptom__axis__scheme__study")
    return links.earliest("-issues", "pk").symptom.axis.scheme


def _nodes(scheme: Scheme) -> QuerySet[Node]:
    wanted = Node.objects.filter(axis__scheme=scheme, axis__code__in=("symptom", "root_cause"))
    return wanted.select_related("axis__scheme").order_by("axis__position", "position")


def _at_level(nodes: Mapping[int, Node], level: int) -> list[int]:
    parents = {node.parent_id for node in nodes.values() if node.status == Node.Status.ACTIVE}

    def depth(node: Node) -> int:
        return 1 if node.parent_id is None else 1 + depth(nodes[node.parent_id])

    return [pk for pk, node in nodes.items() if depth(node) == level or (depth(node) < level and pk not in parents)]


def _beyond(source: Source, nodes: Mapping[int, Node], shown: Iterable[int]) -> int:
    """Issues whose symptom and cause are known, but not both as finely as the shown nodes."""
    fine = _with_descendants(nodes, set(shown))
    labels = Label.objects.filter(source=source, node__in=nodes).exclude(issue__kind=Kind.PULL_REQUEST)
    counts = (
        labels.values("issue")
        .annotate(
            symptoms=Count("pk", filter=Q(axis__code="symptom")),
            causes=Count("pk", filter=Q(axis__code="root_cause")),
            fine_symptoms=Count("pk", filter=Q(axis__code="symptom", node__in=fine)),
            fine_causes=Count("pk", filter=Q(axis__code="root_cause", node__in=fine)),
        )
        .filter(symptoms__gt=0, causes__gt=0)
        .order_by()
    )
    return counts.filter(Q(fine_symptoms=0) | Q(fine_causes=0)).count()


def _with_descendants(nodes: Mapping[int, Node], wanted: set[int]) -> set[int]:
    found = set(wanted)
    for pk, node in nodes.items():  # a parent always stands before its children
        if node.parent_id in found:
            found.add(pk)
    return found


def links_last_changed(*, source: Source) -> dt.datetime | None:
    """When a link of the source last appeared or its note last changed; None when it has no links."""
    events = apps.get_model("kb", "CauseLinkNoteEvent")._default_manager
    current = CauseLink.objects.filter(source=source).values("pk")
    latest: dt.datetime | None = events.filter(pgh_obj__in=current).aggregate(latest=Max("pgh_created_at"))["latest"]
    return latest


@dataclass(frozen=True)
class NodeLink:
    """A link as its node's page shows it: the other end, and how deep that stands in its tree."""

    link: CauseLink
    other: Node
    depth: int


@dataclass(frozen=True)
class NodeLinks:
    """What one source says goes with a node, strongest first, finer categories below coarser ones."""

    source: Source
    rows: tuple[NodeLink, ...]


def links_of_node(*, node: Node) -> tuple[NodeLinks, ...]:
    """The causes that go with a symptom, or the symptoms that go with a cause, by source."""
    other = {"symptom": "cause", "root_cause": "symptom"}.get(node.axis.code)
    if other is None:
        return ()
    this = "symptom" if other == "cause" else "cause"
    links = (
        CauseLink.objects.filter(**{this: node})
        .select_related(f"{other}__axis__scheme", "source")
        .order_by("source", "-issues", f"{other}__position")
    )
    by_source = (
        NodeLinks(source, tuple(_nest([(link, getattr(link, other)) for link in group])))
        for source, group in groupby(links, key=lambda link: link.source)
    )
    return tuple(sorted(by_source, key=attrgetter("source.by_trust")))


def _nest(pairs: list[tuple[CauseLink, Node]]) -> Iterable[NodeLink]:
    """Put each link below the one to its parent, keeping the order among siblings."""
    present = {other.pk for _, other in pairs}

    def below(parent: int | None, depth: int) -> Iterable[NodeLink]:
        for link, other in pairs:
            if (other.parent_id if other.parent_id in present else None) == parent:
                yield NodeLink(link, other, depth)
                yield from below(other.pk, depth + 1)

    return below(None, 0)
