"""Reading schemes, nodes, studies and crosswalks."""

from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import Count, Prefetch, Q, QuerySet

from kb.models import Axis, CauseLink, Crosswalk, Issue, Kind, Label, Node, Scheme, Study

TRUSTED_KINDS = ("curated", "consensus")


class NodeRow(NamedTuple):
    """A house node as facets and menus need it."""

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
    """A node with its children and the number of issues that carry it or something below it."""

    node: Node
    children: tuple["TreeNode", ...]
    issues: int


@dataclass(frozen=True)
class AxisTree:
    """An axis with its nodes as trees."""

    axis: Axis
    roots: tuple[TreeNode, ...]


def scheme_tree(*, scheme: Scheme, words: str = "") -> tuple[AxisTree, ...]:
    """The scheme's axes as trees with issue counts; with `words`, only branches that mention them."""
    nodes = list(
        Node.objects.filter(axis__scheme=scheme)
        .exclude(status=Node.Status.MERGED)
        .select_related("axis", "axis__scheme")
        .order_by("axis__position", "position")
    )
    counts = dict(
        Label.objects.filter(node__in=nodes)
        .values_list("node")
        .annotate(n=Count("issue", distinct=True))
        .values_list("node", "n")
    )
    by_parent: dict[tuple[int, int | None], list[Node]] = {}
    for node in nodes:
        by_parent.setdefault((node.axis_id, node.parent_id), []).append(node)

    def grow(axis_id: int, parent: int | None) -> tuple[TreeNode, ...]:
        grown = []
        for node in by_parent.get((axis_id, parent), []):
            children = grow(axis_id, node.pk)
            if children or mentions(node, words):
                total = counts.get(node.pk, 0) + sum(child.issues for child in children)
                grown.append(TreeNode(node, children, total))
        return tuple(grown)

    axes = {node.axis_id: node.axis for node in nodes}
    return tuple(AxisTree(axis, roots) for axis in axes.values() if (roots := grow(axis.pk, None)))


def mentions(node: Node, words: str) -> bool:
    """Do all the words occur in the node's name, code, definition or aliases?"""
    text = " ".join((node.name, node.code, node.definition, *node.aliases)).lower()
    return all(word in text for word in words.lower().split())


def node_detail(*, scheme: str, axis: str, code: str) -> Node:
    """One node with its axis, family and crosswalk in both directions. Raises `Node.DoesNotExist`."""
    relations = Crosswalk.objects.select_related(
        "from_node__axis__scheme__study", "to_node__axis__scheme__study"
    )
    return (
        Node.objects.select_related("axis__scheme__study", "parent__axis__scheme", "merged_into__axis__scheme", "playbook")
        .prefetch_related(
            Prefetch("children", Node.objects.select_related("axis__scheme").order_by("position")),
            Prefetch("crosswalks_out", relations),
            Prefetch("crosswalks_in", relations),
        )
        .get(axis__scheme__slug=scheme, axis__code=axis, code=code)
    )


def node_links(*, node: Node, limit: int = 12) -> QuerySet[CauseLink]:
    """The cause links that start or end at the node, best evidence first.

    Only the other end's leaves and childless parents are listed: a parent repeats its children's issues.
    """
    links = CauseLink.objects.filter(Q(symptom=node) | Q(cause=node)).select_related(
        "symptom__axis__scheme", "cause__axis__scheme", "source"
    )
    other = "cause" if node.axis.code == "symptom" else "symptom"
    return links.filter(**{f"{other}__parent": None}).order_by("source__kind", "-issues", "pk")[:limit]


def studies() -> QuerySet[Study]:
    """All studies with the number of issues that carry their labels."""
    return Study.objects.select_related("scheme").annotate(
        imported_issues=Count("sources__labels__issue", distinct=True)
    )


def study_detail(*, slug: str) -> Study:
    """One study with its overlaps. Raises `Study.DoesNotExist`."""
    return studies().prefetch_related("overlaps", "sources").get(slug=slug)


def node_issue_count(*, node: Node) -> int:
    """Issues that carry the node or something below it."""
    below = Node.objects.filter(Q(pk=node.pk) | Q(parent=node) | Q(parent__parent=node))
    labelled = Label.objects.filter(node__in=below).values("issue")
    return Issue.objects.exclude(kind=Kind.PULL_REQUEST).filter(pk__in=labelled).count()
