"""Reading cause links: what goes with a node.

Sources are never pooled: every function answers for one source, or keeps sources apart.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter

from kb.models import CauseLink, Node, Source


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
