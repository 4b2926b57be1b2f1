"""Mapping the answers to a project's own questions to house nodes: only what is mapped can be published."""

from collections.abc import Mapping

from django.db import transaction

from kb.models import Node
from labeling.models import AuditEntry, Member, Project, ProjectAxis, ProjectNode, Role
from labeling.refusals import RefusedError
from labeling.selectors.mapping import house_nodes
from labeling.services import audit
from labeling.services.people import require


@transaction.atomic
def map_nodes(*, lead: Member, axis: ProjectAxis, wanted: Mapping[str, str]) -> int:
    """Map an own axis' nodes: code -> `axis/node` of the house codebook, or nothing. Returns how many are mapped.

    An axis goes to one house axis, which no other of the project's axes has: an issue gets one answer to a question.
    """
    require(lead, Role.LEAD)
    Project.objects.select_for_update().get(pk=lead.project_id)
    if axis.project_id != lead.project_id or axis.axis_id is not None or not axis.has_nodes:
        raise RefusedError("Only answers to a question of the project's own can be mapped.")
    house = house_nodes()
    targets: dict[str, Node] = {}
    for code, word in wanted.items():
        if not word.strip():
            continue
        node = house.get(word.strip())
        if node is None:
            raise RefusedError(f"“{word.strip()[:80]}” is no category of the house codebook. Choose one from the list.")
        targets[code] = node
    _require_one_axis(axis, list(targets.values()))
    rows = list(ProjectNode.objects.filter(axis=axis))
    for row in rows:
        row.node = targets.get(row.code)
    ProjectNode.objects.bulk_update(rows, ["node"])
    audit.record(by=lead, kind=AuditEntry.Kind.MAPPED, detail=axis.name)
    return sum(row.node is not None for row in rows)


def _require_one_axis(axis: ProjectAxis, nodes: list[Node]) -> None:
    house_axes = {node.axis_id: node.axis for node in nodes}
    if len(house_axes) > 1:
        names = " and ".join(sorted(each.name for each in house_axes.values()))
        raise RefusedError(f"“{axis.name}” would go to {names}. Map a question to one house axis.")
    others = ProjectAxis.objects.filter(project=axis.project_id).exclude(pk=axis.pk)
    taken = set(others.values_list("axis", flat=True)) | set(others.values_list("nodes__node__axis", flat=True))
    for pk, house_axis in house_axes.items():
        if pk in taken:
            raise RefusedError(f"Another question here answers “{house_axis.name}” already: an issue gets one answer.")
        if axis.several and not house_axis.several:
            raise RefusedError(f"“{axis.name}” takes several answers, and “{house_axis.name}” only one.")
