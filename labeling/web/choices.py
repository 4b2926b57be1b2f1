"""The nodes of a codebook as choices of a form."""

from labeling.models import Codebook, ProjectNode
from labeling.selectors.codebooks import axes_of

# An axis' name, and its nodes' ids with their names.
Group = tuple[str, list[tuple[str, str]]]


def node_choices(codebook: Codebook) -> tuple[dict[str, ProjectNode], list[Group]]:
    """The codebook's nodes by the value of their choice, and the choices grouped by axis."""
    nodes: dict[str, ProjectNode] = {}
    groups: list[Group] = []
    for axis_nodes in axes_of(codebook=codebook):
        choices = []
        for version in axis_nodes.versions:
            nodes[str(version.node_id)] = version.node
            choices.append((str(version.node_id), version.name))
        if choices:
            groups.append((axis_nodes.axis.name, choices))
    return nodes, groups
