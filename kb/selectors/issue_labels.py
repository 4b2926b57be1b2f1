"""The labels of a list of issues as plain values. Pages of one issue read them as models: `kb.selectors.issues`."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import NamedTuple

from kb.models import Label, Source, node_path

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


def labels_of_issues(ids: Collection[int]) -> dict[int, IssueLabels]:
    """The labels of each of these issues, in one query: models of them would take most of a long list's time."""
    labels = {pk: IssueLabels() for pk in ids}
    rows = Label.objects.filter(issue_id__in=ids).order_by(*LABEL_ORDER).values_list(
        "issue_id", "axis__scheme__study_id", "axis__scheme__slug", "axis__code", "node__code", "node__name", "reason",
        "source__slug", "source__kind", "source__confidence",
    )  # fmt: skip
    for pk, study, scheme, axis, code, name, reason, *source in rows:
        row = LabelRow(scheme, axis, code, name, reason, LabelSource(*source))
        of_issue = labels[pk]
        is_suggested = row.source.kind == Source.Kind.RULE
        if study is not None:
            groups = {} if is_suggested else of_issue.studies.setdefault(scheme, {})
        else:
            groups = of_issue.suggested if is_suggested else of_issue.house
        groups.setdefault(axis, []).append(row)
    for of_issue in labels.values():
        for axis in of_issue.house.keys() & of_issue.suggested.keys():
            del of_issue.suggested[axis]
    return labels
