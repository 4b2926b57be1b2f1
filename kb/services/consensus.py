"""Writing a labeling project's results: its labels with their provenance, and the nodes that it voted in."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Max

from kb.models import Axis, Label, Node, Provenance, Source
from kb.services.labels import LabelChanges, refresh_label_terms, replace_labels
from kb.services.rows import FieldValues, replace_rows


@dataclass(frozen=True)
class Finding:
    """The outcome on an axis of an issue: nodes, or none where the report does not say. `how`: `Provenance` fields."""

    axis: Axis
    nodes: tuple[Node, ...]
    reason: str
    how: FieldValues


def ensure_consensus_source(*, slug: str, values: FieldValues) -> Source:
    """The source of a project's outcomes, created or updated with these values."""
    defaults = {**values, "kind": Source.Kind.CONSENSUS}
    return Source.objects.update_or_create(slug=slug, defaults=defaults)[0]


@transaction.atomic
def replace_findings(*, source: Source, wanted: Mapping[int, Sequence[Finding]]) -> LabelChanges:
    """Make the source's findings on each of these issues (by id) exactly these; an empty list removes all.

    Rows that are right already are not written. Other sources, and issues that are not in `wanted`, stay.
    """
    reasons: dict[int, dict[Node, str]] = {}
    provenances: dict[tuple[int, int], FieldValues] = {}
    for issue_id, findings in wanted.items():
        reasons[issue_id] = {}
        for finding in findings:
            reasons[issue_id].update(dict.fromkeys(finding.nodes, finding.reason))
            axis_id = finding.axis.pk
            provenances[issue_id, axis_id] = {"issue_id": issue_id, "axis_id": axis_id, **finding.how}
    changes = replace_labels(source=source, wanted=reasons)
    replace_rows(
        existing=Provenance.objects.filter(source=source, issue__in=wanted),
        key=lambda row: (row.issue_id, row.axis_id),
        wanted=provenances,
        create=lambda fields: Provenance(source=source, **fields),
    )
    return changes


@transaction.atomic
def take_back(*, source: Source, issue_ids: Collection[int]) -> int:
    """Remove all labels and provenance of the source from these issues. Returns the number of labels; history stays."""
    Provenance.objects.filter(source=source, issue__in=issue_ids).delete()
    labels = Label.objects.filter(source=source, issue__in=issue_ids)
    count = labels.count()
    labels.delete()
    refresh_label_terms(issue_ids=issue_ids)
    return count


@transaction.atomic
def vote_in_node(*, axis: Axis, code: str, parent: Node | None, project: str, values: FieldValues) -> Node:
    """Add a node that a project voted in to the house codebook, as the last one on its axis.

    Loading the codebook's file does not change such nodes. Raises `django.db.IntegrityError` when the code is taken.
    """
    Axis.objects.select_for_update().get(pk=axis.pk)
    last = Node.objects.filter(axis=axis).aggregate(last=Max("position"))["last"] or 0
    return Node.objects.create(axis=axis, code=code, parent=parent, position=last + 1, voted_in_by=project, **values)
