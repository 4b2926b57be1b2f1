"""A codebook as ballots need it: its axes, nodes in the tree's order, and the rules across axes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from django.db.models import Q

from labeling.ballots import BallotAxis, BallotRule
from labeling.models import AxisKind, Codebook, CodebookNode, CrossRule, NodeVersion, ProjectAxis


@dataclass(frozen=True)
class AxisNodes:
    """An axis with its node versions in a codebook, in order; a number or a text has none."""

    axis: ProjectAxis
    versions: Sequence[NodeVersion]


def axes_of(*, codebook: Codebook) -> list[AxisNodes]:
    """The axes of a codebook with their nodes; two statements."""
    entries = CodebookNode.objects.filter(codebook=codebook).select_related("version__node", "version__parent")
    by_axis: dict[int, list[NodeVersion]] = {}
    for entry in entries.order_by("version__position", "pk"):
        by_axis.setdefault(entry.version.axis_id, []).append(entry.version)
    is_asked = Q(since__lte=codebook.number) & (Q(until=None) | Q(until__gte=codebook.number))
    axes = ProjectAxis.objects.filter(is_asked, project=codebook.project_id).order_by("position")
    return [AxisNodes(axis, by_axis.get(axis.pk, ())) for axis in axes if axis.pk in by_axis or not axis.has_nodes]


@lru_cache(maxsize=32)
def frozen_axes(*, codebook_id: int) -> Sequence[AxisNodes]:
    """`axes_of` a codebook that rounds use, cached in the process: a codebook never changes."""
    return tuple(axes_of(codebook=Codebook.objects.get(pk=codebook_id)))


def ballot_axes(axes: Sequence[AxisNodes]) -> list[BallotAxis]:
    """The axes that a ballot is checked against."""
    rows = []
    for each in axes:
        codes = frozenset(version.node.code for version in each.versions)
        rows.append(BallotAxis(each.axis.code, each.axis.name, each.axis.several, codes, _answers(each.axis)))
    return rows


def _answers(axis: ProjectAxis) -> Literal["nodes", "number", "text", "codes"]:
    if axis.kind == AxisKind.NUMBER:
        return "number"
    if axis.kind == AxisKind.CODES:
        return "codes"
    return "text" if axis.kind == AxisKind.TEXT else "nodes"


def versions_by_code(axes: Sequence[AxisNodes]) -> Mapping[str, Mapping[str, NodeVersion]]:
    """Axis code -> node code -> version."""
    return {each.axis.code: {version.node.code: version for version in each.versions} for each in axes}


def ballot_rules(*, project_id: int) -> list[BallotRule]:
    """The rules across axes that are in force."""
    rows = CrossRule.objects.filter(project=project_id, retired_at=None)
    rules = []
    for rule in rows.select_related("when__axis").prefetch_related("others__axis"):
        others = frozenset((node.axis.code, node.code) for node in rule.others.all())
        kind: Literal["requires", "excludes"] = "excludes"
        if rule.kind == CrossRule.Kind.REQUIRES:
            kind = "requires"
        rules.append(BallotRule(str(rule.pk), (rule.when.axis.code, rule.when.code), kind, others, rule.reason))
    return rules
