"""Writing a labeling project's results: its labels with their provenance, and the nodes that it voted in."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Max

from kb.models import Axis, Label, Node, Provenance, Source
from kb.services.labels import LabelChanges, replace_labels
from kb.services.rows import FieldValues, replace_rows


@dataclass(frozen=True)
class Finding:
    """The outcome on an axis of an issue: nodes, or none where the report does not say. `how`: `Provenance` fields."""

    nodes: tuple[Node, ...]
    reason: str
    how: FieldValues


def ensure_consensus_source(*, slug: str, values: FieldValues) -> Source:
    """The source of a project's outcomes, created or updated with these values."""
    defaults = {**values, "kind": Source.Kind.CONSENSUS}
    return Source.objects.update_or_create(slug=slug, defaults=defaults)[0]


@transaction.atomic
def replace_answers(*, source: Source, wanted: Mapping[tuple[int, int], Finding | None]) -> LabelChanges:
    """Make the source's answers, by (issue, axis), exactly these; None takes an answer away, its history stays.

    Rows that are right already are not written. Other sources, and answers that are not in `wanted`, stay.
    """
    reasons: dict[int, dict[Node, str]] = {issue_id: {} for issue_id, _ in wanted}
    for label in Label.objects.filter(source=source, issue__in=reasons).select_related("node"):
        if (label.issue_id, label.axis_id) not in wanted:
            reasons[label.issue_id][label.node] = label.reason
    provenances: dict[tuple[int, int], FieldValues] = {}
    for (issue_id, axis_id), finding in wanted.items():
        if finding is not None:
            reasons[issue_id].update(dict.fromkeys(finding.nodes, finding.reason))
            provenances[issue_id, axis_id] = {"issue_id": issue_id, "axis_id": axis_id, **finding.how}
    changes = replace_labels(source=source, wanted=reasons)
    there = Provenance.objects.filter(source=source, issue__in=reasons).order_by()
    replaced = [pk for pk, *answer in there.values_list("pk", "issue", "axis") if tuple(answer) in wanted]
    replace_rows(
        existing=Provenance.objects.filter(pk__in=replaced),
        key=lambda row: (row.issue_id, row.axis_id),
        wanted=provenances,
        create=lambda fields: Provenance(source=source, **fields),
    )
    return changes


@transaction.atomic
def vote_in_node(*, axis: Axis, code: str, parent: Node | None, project: str, values: FieldValues) -> Node:
    """Add a node that a project voted in to the house codebook, as the last one on its axis.

    Loading the codebook's file does not change such nodes. Raises `django.db.IntegrityError` when the code is taken.
    """
    Axis.objects.select_for_update().get(pk=axis.pk)
    last = Node.objects.filter(axis=axis).aggregate(last=Max("position"))["last"] or 0
    return Node.objects.create(axis=axis, code=code, parent=parent, position=last + 1, voted_in_by=project, **values)
