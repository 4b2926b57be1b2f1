"""Schemes, nodes and studies. Cause links are in `cause_links`, fixes in `playbooks`."""

import datetime as dt
import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from django.apps import apps
from django.db import connection
from django.db.models import Count, F, Max, Prefetch, Q, QuerySet

from kb.models import Axis, Crosswalk, Issue, IssueQuerySet, Kind, Label, Node, Scheme, Study
from kb.selectors.listed import with_listed
from kb.selectors.remembered import remembered

# A label implies its node's ancestors; an issue counts once per node, whatever the number of its labels below it.
# Suggestions by rules do not count.
ISSUES_BY_NODE = """
SELECT up.node_id, count(DISTINCT l.issue_id)
FROM kb_label l
JOIN kb_axis a ON a.id = l.axis_id AND a.scheme_id = %(scheme)s
JOIN kb_source s ON s.id = l.source_id AND s.kind <> 'rule'
JOIN kb_issue i ON i.id = l.issue_id AND (%(all_kinds)s OR i.kind <> 'pull_request')
JOIN kb_node n ON n.id = l.node_id
LEFT JOIN kb_node p ON p.id = n.parent_id
CROSS JOIN LATERAL (VALUES (n.id), (n.parent_id), (p.parent_id)) AS up(node_id)
WHERE up.node_id IS NOT NULL
GROUP BY 1
"""


class NodeRow(NamedTuple):
    """A house node, as facets and menus need it."""

    id: int
    parent_id: int | None
    axis: str
    code: str
    name: str


def house_rows() -> tuple[NodeRow, ...]:
    """Every active node of the house codebook, in the codebook's order."""
    rows = Node.objects.house().filter(status=Node.Status.ACTIVE).order_by("axis__position", "position")
    return tuple(NodeRow(*row) for row in rows.values_list("id", "parent_id", "axis__code", "code", "name"))


@dataclass(frozen=True)
class TreeNode:
    """A node with its children and the number of issues that carry it or a node below it.

    `matches`: the searched words occur in the node; `leads_to_match`: they occur in a node below it.
    """

    node: Node
    children: tuple["TreeNode", ...]
    issues: int
    matches: bool = False
    leads_to_match: bool = False


@dataclass(frozen=True)
class AxisTree:
    """An axis with its nodes as trees, their number, and the number of those that match."""

    axis: Axis
    roots: tuple[TreeNode, ...]
    nodes: int
    matches: int = 0


def schemes() -> QuerySet[Scheme]:
    """The house codebook first, then the studies' schemes."""
    return Scheme.objects.select_related("study").order_by(F("study__code").asc(nulls_first=True))


def issue_counts(*, scheme: Scheme, all_kinds: bool = False) -> dict[int, int]:
    """The number of issues by node id of the scheme, with those of the nodes below.

    Known pull requests count only with `all_kinds`.
    """
    with connection.cursor() as cursor:
        cursor.execute(ISSUES_BY_NODE, {"scheme": scheme.pk, "all_kinds": all_kinds})
        return dict(cursor.fetchall())


def scheme_tree(*, scheme: Scheme, words: str = "") -> tuple[AxisTree, ...]:
    """The scheme's axes as trees with issue counts; with `words`, only branches with nodes that have all of them."""
    nodes = list(
        Node.objects.filter(axis__scheme=scheme)
        .exclude(status=Node.Status.MERGED)
        .select_related("axis__scheme")
        .order_by("axis__position", "position")
    )
    counts = issue_counts(scheme=scheme)
    by_axis: dict[Axis, list[Node]] = {}
    for node in nodes:
        by_axis.setdefault(node.axis, []).append(node)
    trees = (_axis_tree(axis, members, counts, words.strip()) for axis, members in by_axis.items())
    return tuple(tree for tree in trees if tree.roots)


def _axis_tree(axis: Axis, nodes: list[Node], counts: Mapping[int, int], words: str) -> AxisTree:
    by_parent: dict[int | None, list[Node]] = {}
    for node in nodes:
        by_parent.setdefault(node.parent_id, []).append(node)
    matching = {node.pk for node in nodes if words and mentions(node, words)}

    def grow(parent: int | None, *, whole: bool) -> tuple[TreeNode, ...]:
        grown = []
        for node in by_parent.get(parent, []):
            matches = node.pk in matching
            children = grow(node.pk, whole=whole or matches)
            below = any(child.matches or child.leads_to_match for child in children)
            if whole or matches or below:
                grown.append(TreeNode(node, children, counts.get(node.pk, 0), matches, below))
        return tuple(grown)

    return AxisTree(axis, grow(None, whole=not words), len(nodes), len(matching))


def mentions(node: Node, words: str) -> bool:
    """Whether each of the words is a prefix of a word in the node's name, code, definition or aliases."""
    text = " ".join((node.name, node.code, node.definition, *node.aliases))
    return all(_is_prefix(word, text) for word in words.split())


def matching_aliases(node: Node, words: str) -> list[str]:
    """The node's aliases with a word of which one of the words is a prefix."""
    return [alias for alias in node.aliases if any(_is_prefix(word, alias) for word in words.split())]


def _is_prefix(word: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word)}", text, re.IGNORECASE) is not None


@dataclass(frozen=True)
class SchemeHistory:
    """The number of changes to a scheme's nodes after their creation, and the time of the latest event."""

    revisions: int
    latest: dt.datetime | None


def scheme_history(*, scheme: Scheme) -> SchemeHistory:
    """The history of the scheme's nodes."""
    events = apps.get_model("kb", "NodeEvent")._default_manager.filter(axis__scheme=scheme)
    revisions = Count("pk", filter=Q(pgh_label="update"))
    return SchemeHistory(**events.aggregate(revisions=revisions, latest=Max("pgh_created_at")))


class Revision(NamedTuple):
    """An entry of a node's history, with the names of the changed fields (none for the first entry)."""

    when: dt.datetime
    changed: tuple[str, ...]


def node_history(*, node: Node) -> tuple[Revision, ...]:
    """The node's revisions, newest first."""
    events = list(apps.get_model("kb", "NodeEvent")._default_manager.filter(pgh_obj=node.pk).order_by("pgh_id"))
    fields = [field for field in Node._meta.concrete_fields if field.name not in ("id", "position")]
    revisions = [Revision(events[0].pgh_created_at, ())] if events else []
    for before, after in pairwise(events):
        changed = tuple(
            str(field.verbose_name)
            for field in fields
            if getattr(before, field.attname) != getattr(after, field.attname)
        )
        if changed:
            revisions.append(Revision(after.pgh_created_at, changed))
    return tuple(reversed(revisions))


def node_detail(*, scheme: str, axis: str, code: str) -> Node:
    """One node with its axis, family and crosswalk in both directions. Raises `Node.DoesNotExist`."""
    related = Crosswalk.objects.select_related("from_node__axis__scheme__study")
    incoming = with_listed(related, "from_node").order_by(
        "from_node__axis__scheme__study__code", "from_node__axis__position", "from_node__position"
    )
    outgoing = Crosswalk.objects.select_related("to_node__axis__scheme").order_by("to_node__position")
    node = Node.objects.select_related("axis__scheme__study", "parent__parent", "merged_into__axis__scheme", "playbook")
    return (
        with_listed(node)
        .prefetch_related(
            Prefetch("children", Node.objects.select_related("axis__scheme").order_by("position")),
            Prefetch("absorbed", Node.objects.select_related("axis__scheme").order_by("position")),
            Prefetch("crosswalks_out", outgoing),
            Prefetch("crosswalks_in", incoming),
        )
        .get(axis__scheme__slug=scheme, axis__code=axis, code=code)
    )


def labelled_issues(*, node: Node) -> IssueQuerySet:
    """Issues of every kind that people labelled with the node or one below it."""
    # Postgres knows how many issues carry these, and would go through all of them for a category that few carry.
    below = list(
        Node.objects.filter(Q(pk=node.pk) | Q(parent=node) | Q(parent__parent=node)).values_list("pk", flat=True)
    )
    return Issue.objects.filter(pk__in=Label.objects.by_people().filter(node_id__in=below).values("issue"))


class FrameworkCount(NamedTuple):
    """A framework and how many issues of it carry a node."""

    slug: str
    name: str
    issues: int


@dataclass(frozen=True)
class Evidence:
    """The issues of a node: counts by framework, the latest ones, and the number of excluding pull requests."""

    frameworks: tuple[FrameworkCount, ...]
    pull_requests: int
    latest: tuple[Issue, ...]

    @property
    def issues(self) -> int:
        """The number of issues in all frameworks."""
        return sum(framework.issues for framework in self.frameworks)


LATEST = 5


def node_evidence(*, node: Node) -> Evidence:
    """The issues that carry the node or one below it."""
    issues = labelled_issues(node=node)
    is_pull = Q(kind=Kind.PULL_REQUEST)
    rows = list(
        issues.values_list("repository__framework__slug", "repository__framework__name")
        .annotate(n=Count("pk", filter=~is_pull), pulls=Count("pk", filter=is_pull))
        .order_by("-n", "repository__framework__name")
    )
    newest_first = (
        issues.exclude(is_pull)
        .select_related("repository__framework")
        .defer("body", "search_vector", "label_terms")
        .order_by(F("opened_at").desc(nulls_last=True), "-pk")
    )
    return Evidence(
        frameworks=tuple(FrameworkCount(slug, name, n) for slug, name, n, _ in rows if n),
        pull_requests=sum(pulls for *_, pulls in rows),
        latest=tuple(newest_first[:LATEST]),
    )


def node_issue_count(*, node: Node) -> int:
    """The number of issues that carry the node or one below it, without pull requests."""
    return labelled_issues(node=node).true_issues().count()


class ImportedCounts(NamedTuple):
    """The number of reports with a study's labels, and with each of its nodes (by id)."""

    issues: int
    by_node: Mapping[int, int]


def studies() -> QuerySet[Study]:
    """All studies with the number of reports that have their labels."""
    return (
        Study.objects.select_related("scheme")
        .annotate(imported_issues=Count("sources__labels__issue", distinct=True))
        .order_by("code")
    )


def study_detail(*, slug: str) -> Study:
    """One study with its overlaps. Raises `Study.DoesNotExist`."""
    return Study.objects.select_related("scheme").prefetch_related("overlaps", "sources").get(slug=slug)


def imported_counts(*, study: Study) -> ImportedCounts:
    """The imported reports of a study, pull requests included; cached until labels change."""

    def count() -> ImportedCounts:
        issues = Label.objects.filter(source__study=study).aggregate(n=Count("issue", distinct=True))["n"]
        scheme = Scheme.objects.filter(study=study).first()
        if not issues or scheme is None:
            return ImportedCounts(issues, {})
        return ImportedCounts(issues, issue_counts(scheme=scheme, all_kinds=True))

    return remembered(f"imported:{study.pk}", count)


def study_nodes(*, study: Study) -> tuple[Node, ...]:
    """The study's categories in order, each with its crosswalks to the house codebook."""
    relations = Crosswalk.objects.select_related("to_node__axis__scheme").order_by("to_node__position")
    nodes = with_listed(Node.objects.filter(axis__scheme__study=study).select_related("axis__scheme"))
    # A category is created after its parent, so that the primary key keeps the order of equal positions.
    order = ("axis__position", "axis_id", "position", "pk")
    return tuple(nodes.prefetch_related(Prefetch("crosswalks_out", relations)).order_by(*order))
