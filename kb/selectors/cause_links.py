"""The cause links of a node, by source. Sources are never pooled."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter

from kb.models import CauseLink, Node, Source


@dataclass(frozen=True)
class NodeLink:
    """A link of a node, with the node at its other end and that node's depth among the linked ones."""

    link: CauseLink
    other: Node
    depth: int


@dataclass(frozen=True)
class NodeLinks:
    """One source's links of a node, those of most issues first, each below the link of its parent."""

    source: Source
    rows: tuple[NodeLink, ...]


def links_of_node(*, node: Node) -> tuple[NodeLinks, ...]:
    """The links of a symptom to its causes, or of a cause to its symptoms, by source, most trusted first."""
    if node.axis.code == "symptom":
        links = CauseLink.objects.filter(symptom=node)
        other_end = "cause"
    elif node.axis.code == "root_cause":
        links = CauseLink.objects.filter(cause=node)
        other_end = "symptom"
    else:
        return ()
    links = links.select_related(f"{other_end}__axis__scheme", "source")
    links = links.order_by("source", "-issues", f"{other_end}__position")
    by_source = []
    for source, group in groupby(links, key=attrgetter("source")):
        pairs = [(link, getattr(link, other_end)) for link in group]
        by_source.append(NodeLinks(source, tuple(_nested(pairs))))
    return tuple(sorted(by_source, key=attrgetter("source.by_trust")))


def _nested(pairs: list[tuple[CauseLink, Node]]) -> Iterable[NodeLink]:
    """The links in the order of a tree: each after the one to its parent, siblings in their former order."""
    linked = {other.pk for _, other in pairs}
    children: dict[int | None, list[tuple[CauseLink, Node]]] = {}
    for link, other in pairs:
        parent = other.parent_id if other.parent_id in linked else None
        children.setdefault(parent, []).append((link, other))

    def below(parent: int | None, depth: int) -> Iterable[NodeLink]:
        for link, other in children.get(parent, []):
            yield NodeLink(link, other, depth)
            yield from below(other.pk, depth + 1)

    return below(None, 0)
