"""A project's codebook: frozen from the knowledge base's codebook when the project begins."""

from collections.abc import Sequence

from django.db import transaction
from django.db.models import Max

from kb.models import Axis, Node
from labeling.models import (
    AuditEntry,
    Codebook,
    CodebookNode,
    Guideline,
    Member,
    NodeVersion,
    Project,
    ProjectAxis,
    ProjectNode,
    Role,
)
from labeling.refusals import RefusedError
from labeling.services import audit
from labeling.services.people import require


@transaction.atomic
def adopt_axes(*, lead: Member, axes: Sequence[Axis]) -> Codebook:
    """Freeze these axes of the knowledge base, with all nodes in use, as the project's first codebook."""
    require(lead, Role.LEAD)
    if not axes:
        raise RefusedError("Choose at least one axis: without one there is nothing to answer.")
    if Codebook.objects.filter(project=lead.project).exists():
        raise RefusedError("This project has its codebook; it grows by proposals and votes.")
    codebook = Codebook.objects.create(project=lead.project, number=1, change="Copied from the house codebook.")
    for position, axis in enumerate(axes):
        frozen = ProjectAxis.objects.create(
            project=lead.project, axis=axis, code=axis.code, name=axis.name, question=axis.question,
            several=axis.several, position=position,
        )  # fmt: skip
        _freeze_nodes(frozen, codebook)
    return codebook


def _freeze_nodes(axis: ProjectAxis, codebook: Codebook) -> None:
    """Copy the active nodes of a knowledge base's axis into the project, as version 1 of each."""
    nodes = list(Node.objects.filter(axis=axis.axis_id, status=Node.Status.ACTIVE).order_by("position", "pk"))
    if not nodes:
        raise RefusedError(f"The axis “{axis.name}” has no nodes.")
    copies = ProjectNode.objects.bulk_create(ProjectNode(axis=axis, code=node.code, node=node) for node in nodes)
    copy_of = {copy.node_id: copy for copy in copies}
    versions = NodeVersion.objects.bulk_create(
        NodeVersion(
            node=copy_of[node.pk], axis=axis, number=1, parent=copy_of.get(node.parent_id), name=node.name,
            definition=node.definition, include=node.include, exclude=node.exclude, examples=node.examples,
            aliases=node.aliases, position=position,
        )
        for position, node in enumerate(nodes)
    )  # fmt: skip
    CodebookNode.objects.bulk_create(
        CodebookNode(codebook=codebook, node_id=version.node_id, version=version) for version in versions
    )


@transaction.atomic
def write_guideline(*, lead: Member, text: str, change: str = "", based_on: int | None = None) -> Guideline:
    """The next version of the guidelines; from the second on, `change` must say what is new in it.

    `based_on`: the number of the version that was edited, 0 for none. Raises RefusedError where it is stale.
    """
    require(lead, Role.LEAD)
    Project.objects.select_for_update().get(pk=lead.project_id)
    last = Guideline.objects.filter(project=lead.project).aggregate(last=Max("number"))["last"] or 0
    if based_on is not None and based_on != last:
        raise RefusedError(f"Version {last} was saved in the meantime. Read its changes and merge them with your text.")
    if not text.strip():
        raise RefusedError("Write something: guidelines cannot be empty.")
    if last and not change.strip():
        raise RefusedError("Say what changed in this version, so that annotators need not compare.")
    audit.record(by=lead, kind=AuditEntry.Kind.GUIDELINES, detail=f"version {last + 1}")
    return Guideline.objects.create(
        project=lead.project, number=last + 1, text="\n".join(text.splitlines()), change=change, author=lead
    )
