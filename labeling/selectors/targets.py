"""Where a project's nodes stand in the knowledge base: which are there, which would be new, and which cannot be.

The rules, in their order: a node that was merged by vote stands for the one it went into; a node that came from the
house codebook is where that is now; the same code on the same axis is the same category; what the newest codebook
still has is new there, and waits for a curator unless one refused it; anything else has to be labelled again before it
can be published.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from kb.models import MAX_DEPTH, Node
from labeling.models import CategoryRequest, Codebook, CodebookNode, NodeVersion, ProjectNode, Proposal


@dataclass(frozen=True)
class Target:
    """Where a project node is published: `node`; once a curator accepts it, with the words of `version`; or nowhere."""

    node: Node | None = None
    version: NodeVersion | None = None
    blocked: str = ""


def targets(*, project_id: int) -> dict[int, Target]:
    """Project node id -> where it is published; five statements."""
    merged = _merges(project_id)
    nodes = {one.pk: one for one in _project_nodes(project_id)}
    newest = Codebook.objects.filter(project=project_id).order_by("-number").first()
    entries = CodebookNode.objects.filter(codebook=newest).select_related("version")
    current = {entry.node_id: entry.version for entry in entries}
    house = _house(nodes)
    refused = dict(
        CategoryRequest.objects.filter(node__in=nodes, state=CategoryRequest.State.REFUSED).values_list(
            "node", "reason"
        )
    )
    direct = {pk: _target(one, house, current.get(pk), refused.get(pk, "")) for pk, one in nodes.items()}
    found = {pk: direct[_last(pk, merged)] for pk in nodes}
    return {pk: _not_too_deep(one, found) for pk, one in found.items()}


def _project_nodes(project_id: int) -> list[ProjectNode]:
    return list(ProjectNode.objects.filter(axis__project=project_id).select_related("axis"))


def _merges(project_id: int) -> dict[int, int]:
    """Node -> the node it was merged into by vote."""
    merges = Proposal.objects.filter(
        project=project_id, kind=Proposal.Kind.MERGE, state=Proposal.State.ACCEPTED, into__isnull=False
    )
    pairs = merges.order_by("decided_at", "pk").values_list("nodes", "into")
    return {node: into for node, into in pairs if node is not None and into is not None}


def _last(pk: int, merged: Mapping[int, int]) -> int:
    seen = {pk}
    while (after := merged.get(pk)) is not None and after not in seen:
        pk = after
        seen.add(pk)
    return pk


@dataclass(frozen=True)
class _House:
    by_id: Mapping[int, Node]
    by_code: Mapping[tuple[int, str], Node]


def _house(nodes: Mapping[int, ProjectNode]) -> _House:
    axes = {one.axis.axis_id for one in nodes.values()}
    rows = list(Node.objects.filter(axis__in=axes).select_related("axis__scheme"))
    return _House({row.pk: row for row in rows}, {(row.axis_id, row.code): row for row in rows})


def _target(one: ProjectNode, house: _House, version: NodeVersion | None, refused: str) -> Target:
    node = house.by_id.get(one.node_id or 0) or house.by_code.get((one.axis.axis_id, one.code))
    seen: set[int] = set()
    while node is not None and node.merged_into_id and node.pk not in seen:
        seen.add(node.pk)
        node = house.by_id.get(node.merged_into_id)
    if node is not None and node.status == Node.Status.ACTIVE:
        return Target(node=node)
    if node is not None:
        return Target(blocked=f"“{node.name}” is out of use in the house codebook.")
    if refused:
        return Target(blocked=f"“{one.code}” was refused for the house codebook: {refused}")
    if version is not None:
        return Target(version=version)
    return Target(blocked=f"“{one.code}” left the project's codebook before it was published: label its issues again.")


def _not_too_deep(target: Target, found: Mapping[int, Target]) -> Target:
    """A new node stands below its parent; the house codebook has so many levels and no more."""
    if target.version is None:
        return target
    above, depth = target.version.parent_id, 1
    while above is not None and depth <= MAX_DEPTH:
        parent, depth = found[above], depth + 1
        if parent.blocked:
            return Target(blocked=f"“{target.version.name}” stands below a category that cannot be published.")
        if parent.node is not None:
            depth += _levels_above(parent.node)
            break
        above = parent.version.parent_id if parent.version else None
    if depth > MAX_DEPTH:
        return Target(blocked=f"“{target.version.name}” would stand deeper than {MAX_DEPTH} levels.")
    return target


def _levels_above(node: Node) -> int:
    if node.parent is None:
        return 0
    return 1 if node.parent.parent_id is None else 2
