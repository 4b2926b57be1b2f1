"""What a list row says about an issue's labels, read as plain values: a page of rows needs hundreds of labels."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

from django.urls import reverse

from kb.models import Issue, Label, Source

SHOWN_AXES = {"symptom": "symptoms", "root_cause": "causes", "fix_pattern": "patterns"}


@dataclass(frozen=True)
class AxisName:
    """The code of an axis."""

    code: str


@dataclass(frozen=True)
class NodeName:
    """A house node's name and address: as much of a `Node` as a tag on a page shows."""

    axis: AxisName
    code: str
    name: str
    definition: str = ""

    def get_absolute_url(self) -> str:
        """The node's page."""
        return _address(self.axis.code, self.code)


@cache
def _address(axis: str, code: str) -> str:
    return reverse("node", args=("house", axis, code))


@dataclass
class Glance:
    """An issue's symptoms, causes and fix patterns as people name them, and the sources of any label, each once."""

    symptoms: dict[str, NodeName] = field(default_factory=dict)
    causes: dict[str, NodeName] = field(default_factory=dict)
    patterns: dict[str, NodeName] = field(default_factory=dict)
    sources: dict[int, Source] = field(default_factory=dict)


def at_a_glance(*, issues: Sequence[Issue]) -> dict[int, Glance]:
    """The labels of these issues by issue id, in two queries."""
    glances = {issue.pk: Glance() for issue in issues}
    labels = list(
        Label.objects.filter(issue__in=issues)
        .order_by("axis__position", "node__position")
        .values_list("issue", "source", "axis__scheme__slug", "axis__code", "node__code", "node__name")
    )
    sources = Source.objects.select_related("study").in_bulk({label[1] for label in labels})
    for issue, source, scheme, axis, code, name in labels:
        glances[issue].sources[source] = sources[source]
        if scheme == "house" and axis in SHOWN_AXES and sources[source].kind != Source.Kind.RULE:
            getattr(glances[issue], SHOWN_AXES[axis])[code] = NodeName(AxisName(axis), code, name)
    return glances
