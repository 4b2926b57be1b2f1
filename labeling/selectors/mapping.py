"""The house nodes that answers to a project's own questions can be mapped to, and the mapping as it is."""

from collections.abc import Sequence
from dataclasses import dataclass

from kb.models import Node
from labeling.models import Codebook, NodeVersion, ProjectAxis
from labeling.selectors.codebooks import axes_of


@dataclass(frozen=True)
class MappedAxis:
    """An own axis with its nodes in a codebook, each with the word of its house node; empty where it has none."""

    axis: ProjectAxis
    nodes: Sequence[tuple[NodeVersion, str]]


def house_nodes() -> dict[str, Node]:
    """The house codebook's nodes in use, by `axis/node`, in its order."""
    rows = Node.objects.house().filter(status=Node.Status.ACTIVE).select_related("axis")
    return {word_of(node): node for node in rows.order_by("axis__position", "position", "pk")}


def word_of(node: Node) -> str:
    """How a house node is named where one is chosen."""
    return f"{node.axis.code}/{node.code}"


def mapped_axes(*, codebook: Codebook) -> list[MappedAxis]:
    """The codebook's own axes that have nodes."""
    own = [each for each in axes_of(codebook=codebook) if each.axis.axis_id is None and each.axis.has_nodes]
    mapped = {version.node.node_id for each in own for version in each.versions if version.node.node_id}
    words = {node.pk: word_of(node) for node in Node.objects.filter(pk__in=mapped).select_related("axis")}
    return [
        MappedAxis(each.axis, [(version, words.get(version.node.node_id or 0, "")) for version in each.versions])
        for each in own
    ]
