"""The house nodes that a project's nodes are published as: existing ones, new ones, or none.

The rules, in their order: a node that was merged by vote counts as the one it was merged into; a node that came from
the house codebook, or was mapped to it, follows its house node; any other node on an axis of the project's own has
none; the same code on the same axis is the same category; a node of the newest codebook is new, and waits for a curator
unless one refused it; the issues of any other node have to be labelled again.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from kb.models import MAX_DEPTH, Node
from labeling.models import CategoryRequest, Codebook, CodebookNode, NodeVersion, ProjectNode, Proposal


@dataclass(frozen=True)
class Target:
    """The house node, or the version whose wording a new one will have, or why there is none; the others are empty."""

    node: Node | None = None
    version: NodeVersion | None = None
    blocked: str = ""


def targets(*, project_id: int) -> dict[int, Target]:
    """Project node id -> its target; five statements."""
    merges = Proposal.objects.filter(
        project=project_id, kind=Proposal.Kind.MERGE, state=Proposal.State.ACCEPTED, into__isnull=False
    )
    merged = dict(merges.order_by("decided_at", "pk").values_list("nodes", "into"))
    nodes = ProjectNode.objects.filter(axis__project=project_id).select_related("axis").in_bulk()
    newest = Codebook.objects.filter(project=project_id).order_by("-number").first()
    entries = CodebookNode.objects.filter(codebook=newest).select_related("version")
    versions = {entry.node_id: entry.version for entry in entries}
    axes = {node.axis.axis_id for node in nodes.values() if node.axis.axis_id}
    mapped = {node.node_id for node in nodes.values() if node.axis.axis_id is None and node.node_id}
    axes |= set(Node.objects.filter(pk__in=mapped).values_list("axis", flat=True))
    house = Node.objects.filter(axis__in=axes).select_related("axis__scheme").in_bulk()
    house_by_code = {(node.axis_id, node.code): node for node in house.values()}
    refusals = CategoryRequest.objects.filter(node__in=nodes, state=CategoryRequest.State.REFUSED)
    reasons = dict(refusals.values_list("node", "reason"))
    direct = {}
    for pk, node in nodes.items():
        house_node = house.get(node.node_id or 0)
        if house_node is None and node.axis.axis_id is not None:
            house_node = house_by_code.get((node.axis.axis_id, node.code))
        house_node = _follow_merges(house_node, house)
        direct[pk] = _target(node, house_node, versions.get(pk), reasons.get(pk, ""))
    resolved = {}
    for pk in nodes:
        last, seen = pk, {pk}
        while (into := merged.get(last)) is not None and into not in seen:
            last = into
            seen.add(into)
        resolved[pk] = direct[last]
    return {pk: _within_depth(target, resolved) for pk, target in resolved.items()}


def _follow_merges(node: Node | None, house: Mapping[int, Node]) -> Node | None:
    seen: set[int] = set()
    while node is not None and node.merged_into_id and node.pk not in seen:
        seen.add(node.pk)
        node = house.get(node.merged_into_id)
    return node


def _target(node: ProjectNode, house_node: Node | None, version: NodeVersion | None, refusal: str) -> Target:
    if house_node is not None and house_node.status == Node.Status.ACTIVE:
        return Target(node=house_node)
    if house_node is not None:
        return Target(blocked=f"“{house_node.name}” is retired in the house codebook.")
    if node.axis.axis_id is None:
        return Target(blocked=f"“{node.code}” is the project's own, and mapped to no house category.")
    if refusal:
        return Target(blocked=f"“{node.code}” was refused for the house codebook: {refusal}")
    if version is not None:
        return Target(version=version)
    return Target(blocked=f"“{node.code}” left the project's codebook before it was published: label its issues again.")


def _within_depth(target: Target, resolved: Mapping[int, Target]) -> Target:
    """The target, blocked where a new node's parent is blocked, or where it would be deeper than `MAX_DEPTH`."""
    if target.version is None:
        return target
    parent_id, depth = target.version.parent_id, 1
    while parent_id is not None and depth <= MAX_DEPTH:
        parent = resolved[parent_id]
        depth += 1
        if parent.blocked:
            return Target(blocked=f"“{target.version.name}” is below a category that cannot be published.")
        if parent.node is not None:
            house_parent = parent.node.parent
            if house_parent is not None:
                depth += 1 if house_parent.parent_id is None else 2
            break
        parent_id = parent.version.parent_id if parent.version else None
    if depth > MAX_DEPTH:
        return Target(blocked=f"“{target.version.name}” would be nested deeper than {MAX_DEPTH} levels.")
    return target
