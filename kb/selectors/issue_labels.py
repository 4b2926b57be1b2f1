"""The labels of a list of issues as plain values. Pages of one issue read them as models: `kb.selectors.issues`."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import NamedTuple

from kb.models import Issue, Label, Source, node_path

LABEL_ORDER = ("axis__scheme__study", "axis__position", "source", "node__position")


class LabelSource(NamedTuple):
    """Who holds a label."""

    slug: str
    kind: str
    confidence: str


class LabelRow(NamedTuple):
    """A label: its node and its source."""

    scheme: str
    axis: str
    code: str
    name: str
    reason: str
    source: LabelSource

    def get_absolute_url(self) -> str:
        """The node's page."""
        return node_path(self.scheme, self.axis, self.code)


ByAxis = dict[str, list[LabelRow]]


@dataclass
class IssueLabels:
    """One issue's labels by axis: of the house codebook, of each study's scheme, and what rules suggest.

    Rules' suggestions on an axis that somebody has answered are left out.
    """

    house: ByAxis = field(default_factory=dict)
    studies: dict[str, ByAxis] = field(default_factory=dict)
    suggested: ByAxis = field(default_factory=dict)

    def add(self, study: int | None, row: LabelRow) -> None:
        """Put a label where it belongs; `study`: whose scheme it is of."""
        is_suggested = row.source.kind == Source.Kind.RULE
        if study is not None:
            groups = {} if is_suggested else self.studies.setdefault(row.scheme, {})
        else:
            groups = self.suggested if is_suggested else self.house
        groups.setdefault(row.axis, []).append(row)

    def drop_answered(self) -> None:
        """Leave out what rules suggest where somebody has answered."""
        for axis in self.house.keys() & self.suggested.keys():
            del self.suggested[axis]


def labels_of_issues(ids: Collection[int]) -> dict[int, IssueLabels]:
    """The labels of each of these issues, in one query: models of them would take most of a long list's time."""
    labels = {pk: IssueLabels() for pk in ids}
    rows = Label.objects.filter(issue_id__in=ids).order_by(*LABEL_ORDER).values_list(
        "issue_id", "axis__scheme__study_id", "axis__scheme__slug", "axis__code", "node__code", "node__name", "reason",
        "source__slug", "source__kind", "source__confidence",
    )  # fmt: skip
    for pk, study, scheme, axis, code, name, reason, *source in rows:
        labels[pk].add(study, LabelRow(scheme, axis, code, name, reason, LabelSource(*source)))
    for of_issue in labels.values():
        of_issue.drop_answered()
    return labels


def labels_of_issue(issue: Issue) -> IssueLabels:
    """The labels of an issue that was read with all details (`kb.selectors.issues.for_detail`)."""
    labels = IssueLabels()
    for label in issue.labels.all():
        axis, source = label.node.axis, LabelSource(label.source.slug, label.source.kind, label.source.confidence)
        row = LabelRow(axis.scheme.slug, axis.code, label.node.code, label.node.name, label.reason, source)
        labels.add(axis.scheme.study_id, row)
    labels.drop_answered()
    return labels
