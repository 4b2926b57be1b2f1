"""Writing labels of one source, and the search terms that follow from them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from django.db import connection, transaction

from kb.models import Issue, Label, Node, Source

Reasons = Mapping[Node, str]

# Axes without search terms: their words ("regression", "feature request") would match nearly every issue.
SILENT_AXES = ("issue_type", "theme")

TERMS = """
UPDATE kb_issue issue SET label_terms = fresh.terms
FROM (
    SELECT wanted.id, coalesce(string_agg(DISTINCT word, ' '), '') AS terms
    FROM unnest(%s::bigint[]) AS wanted(id)
    LEFT JOIN kb_label l ON l.issue_id = wanted.id
        AND EXISTS (SELECT 1 FROM kb_source s WHERE s.id = l.source_id AND s.kind IN ('curated', 'consensus'))
    LEFT JOIN kb_node n ON n.id = l.node_id
        AND EXISTS (SELECT 1 FROM kb_axis a JOIN kb_scheme c ON c.id = a.scheme_id
                    WHERE a.id = n.axis_id AND c.study_id IS NULL AND a.code <> ALL (%s))
    LEFT JOIN kb_node parent ON parent.id = n.parent_id
    LEFT JOIN kb_node top ON top.id = parent.parent_id
    JOIN kb_issue own ON own.id = wanted.id
    LEFT JOIN LATERAL unnest(
        ARRAY[n.name, parent.name, top.name] || n.aliases || parent.aliases || top.aliases || own.also_seen
    ) AS word ON word IS NOT NULL
    GROUP BY wanted.id
) fresh
WHERE issue.id = fresh.id AND issue.label_terms <> fresh.terms
"""


@dataclass(frozen=True)
class LabelChanges:
    """How many labels a replacement added, reworded and removed."""

    added: int
    reworded: int
    removed: int

    def __add__(self, other: "LabelChanges") -> "LabelChanges":
        return LabelChanges(self.added + other.added, self.reworded + other.reworded, self.removed + other.removed)


def ensure_curated_source() -> Source:
    """The source of the curated records' labels, created or updated."""
    kind = Source.Kind.CURATED
    values = {"name": "Faultbook automated readers", "trust_note": kind.made}
    new = {"kind": kind, "confidence": Source.Confidence.MEDIUM, **values}
    return Source.objects.update_or_create(slug=kind.value, defaults=values, create_defaults=new)[0]


@transaction.atomic
def replace_labels(*, source: Source, wanted: Mapping[int, Reasons]) -> LabelChanges:
    """Make `source`'s labels on each issue (by id) exactly the wanted nodes with their reasons.

    Labels of other sources, and issues that are not in `wanted`, stay. Raises `django.db.IntegrityError` or
    `InternalError` when a node is retired.
    """
    labels = Label.objects.filter(source=source, issue__in=wanted)
    existing = {(label.issue_id, label.node_id): label for label in labels}
    added: list[Label] = []
    reworded: list[Label] = []
    for issue_id, reasons in wanted.items():
        for node, reason in reasons.items():
            label = existing.pop((issue_id, node.pk), None)
            if label is None:
                added.append(Label(issue_id=issue_id, node=node, axis_id=node.axis_id, source=source, reason=reason))
            elif label.reason != reason:
                label.reason = reason
                reworded.append(label)
    removed = [label.pk for label in existing.values()]
    if removed:
        Label.objects.filter(pk__in=removed).delete()
    Label.objects.bulk_create(added)
    Label.objects.bulk_update(reworded, ["reason"])
    refresh_label_terms(issue_ids=wanted.keys())
    return LabelChanges(len(added), len(reworded), len(removed))


@transaction.atomic
def put_label(*, issue: Issue, node: Node, source: Source, reason: str) -> Label:
    """Add a label to an issue, or change the reason of the existing one."""
    label, _ = Label.objects.update_or_create(
        issue=issue, node=node, source=source, defaults={"axis_id": node.axis_id, "reason": reason}
    )
    refresh_label_terms(issue_ids=[issue.pk])
    return label


@transaction.atomic
def remove_labels(*, labels: Sequence[Label]) -> None:
    """Remove these labels from their issues; the history keeps them."""
    Label.objects.filter(pk__in=[label.pk for label in labels]).delete()
    refresh_label_terms(issue_ids={label.issue_id for label in labels})


def refresh_all_label_terms() -> int:
    """Update the search terms of all labelled issues from the codebook. Returns how many changed."""
    labelled = Label.objects.filter(axis__scheme__study=None).order_by().values_list("issue", flat=True).distinct()
    return refresh_label_terms(issue_ids=list(labelled))


def refresh_label_terms(*, issue_ids: Collection[int]) -> int:
    """Update the issues' search terms from their trusted house labels and `also_seen`. Returns how many changed."""
    with connection.cursor() as cursor:
        cursor.execute(TERMS, [list(issue_ids), list(SILENT_AXES)])
        return int(cursor.rowcount)
