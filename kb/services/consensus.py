"""Writing what a labeling project found: its labels with how each became known, and the nodes that it voted in.

What is found, and when, is the labeling project's business.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Max

from kb.models import Axis, Label, Node, Provenance, Source
from kb.services.labels import LabelChanges, refresh_label_terms, replace_labels
from kb.services.rows import sync_rows


@dataclass(frozen=True)
class Finding:
    """The outcome on one axis of an issue: nodes, or none where the report does not tell; `how` are Provenance's."""

    axis: Axis
    nodes: tuple[Node, ...]
    reason: str
    how: Mapping[str, Any]


def ensure_consensus_source(*, slug: str, values: Mapping[str, Any]) -> Source:
    """The source of a project's outcomes, created or brought in line with what is said about it."""
    defaults = {**values, "kind": Source.Kind.CONSENSUS}
    return Source.objects.update_or_create(slug=slug, defaults=defaults)[0]


@transaction.atomic
def replace_findings(*, source: Source, wanted: Mapping[int, Sequence[Finding]]) -> LabelChanges:
    """Make what the source says of each issue (by id) exactly these findings; an empty list takes all away.

    Rows that are right already stay untouched. Other sources, and issues that are not in `wanted`, stay.
    """
    reasons = {pk: {node: one.reason for one in found for node in one.nodes} for pk, found in wanted.items()}
    changes = replace_labels(source=source, wanted=reasons)
    values = {(pk, one.axis.pk): dict(one.how) for pk, found in wanted.items() for one in found}
    existing = list(Provenance.objects.filter(source=source, issue__in=wanted))
    gone = [row.pk for row in existing if (row.issue_id, row.axis_id) not in values]
    Provenance.objects.filter(pk__in=gone).delete()
    sync_rows(
        existing=[row for row in existing if (row.issue_id, row.axis_id) in values],
        key=lambda row: (row.issue_id, row.axis_id),
        wanted={key: {"issue_id": key[0], "axis_id": key[1], **row} for key, row in values.items()},
        create=lambda fields: Provenance(source=source, **fields),
    )
    return changes


@transaction.atomic
def take_back(*, source: Source, issue_ids: Collection[int]) -> int:
    """Take everything that the source says of these issues away. Returns how many labels; the history keeps them."""
    Provenance.objects.filter(source=source, issue__in=issue_ids).delete()
    labels = Label.objects.filter(source=source, issue__in=issue_ids)
    number = labels.count()
    labels.delete()
    refresh_label_terms(issue_ids=issue_ids)
    return number


@transaction.atomic
def vote_in_node(*, axis: Axis, code: str, parent: Node | None, project: str, values: Mapping[str, Any]) -> Node:
    """Put a node into the house codebook that a project voted in; it comes last on its axis.

    Loading the codebook's file leaves such nodes alone. Raises `django.db.IntegrityError` when the code is taken.
    """
    Axis.objects.select_for_update().get(pk=axis.pk)
    last = Node.objects.filter(axis=axis).aggregate(last=Max("position"))["last"] or 0
    return Node.objects.create(
        axis=axis, code=code, parent=parent, position=last + 1, voted_in_by=project, **dict(values)
    )
