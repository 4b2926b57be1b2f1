"""A codebook as ballots need it: its axes, nodes in the tree's order, and the rules across axes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from labeling.ballots import BallotAxis, BallotRule
from labeling.models import Codebook, CodebookNode, CrossRule, NodeVersion, ProjectAxis


@dataclass(frozen=True)
class AxisNodes:
    """An axis with its node versions in a codebook, in order."""

    axis: ProjectAxis
    versions: Sequence[NodeVersion]


def axes_of(*, codebook: Codebook) -> list[AxisNodes]:
    """The axes of a codebook with their nodes; two statements."""
    entries = CodebookNode.objects.filter(codebook=codebook).select_related("version__node", "version__parent")
    by_axis: dict[int, list[NodeVersion]] = {}
    for entry in entries.order_by("version__position", "pk"):
        by_axis.setdefault(entry.version.axis_id, []).append(entry.version)
    axes = ProjectAxis.objects.filter(project=codebook.project_id).order_by("position")
    return [AxisNodes(axis, by_axis[axis.pk]) for axis in axes if axis.pk in by_axis]


@lru_cache(maxsize=32)
def frozen_axes(*, codebook_id: int) -> Sequence[AxisNodes]:
    """The same of a codebook that rounds go by, kept at hand: nothing in it changes any more."""
    return tuple(axes_of(codebook=Codebook.objects.get(pk=codebook_id)))


def ballot_axes(axes: Sequence[AxisNodes]) -> list[BallotAxis]:
    """What a ballot is checked against."""
    return [
        BallotAxis(
            code=one.axis.code,
            name=one.axis.name,
            several=one.axis.several,
            codes=frozenset(version.node.code for version in one.versions),
        )
        for one in axes
    ]


def versions_by_code(axes: Sequence[AxisNodes]) -> Mapping[str, Mapping[str, NodeVersion]]:
    """Axis code -> node code -> version."""
    return {one.axis.code: {version.node.code: version for version in one.versions} for one in axes}


def ballot_rules(*, project_id: int) -> list[BallotRule]:
    """The rules across axes that are in force."""
    rules = CrossRule.objects.filter(project=project_id, retired_at=None)
    return [
        BallotRule(
            id=str(rule.pk),
            when=(rule.when.axis.code, rule.when.code),
            kind="requires" if rule.kind == CrossRule.Kind.REQUIRES else "excludes",
            others=frozenset((node.axis.code, node.code) for node in rule.others.all()),
            reason=rule.reason,
        )
        for rule in rules.select_related("when__axis").prefetch_related("others__axis")
    ]
