"""Reading issues and fixes for pages, API and exports.

Which issues match a search is `kb.search`; which are alike is `kb.search.similar`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db.models import Exists, F, OuterRef, Prefetch, QuerySet

from kb.models import Axis, Fix, Issue, Label, Node, Provenance, Source, TwoReadings


def for_list(issues: QuerySet[Issue]) -> QuerySet[Issue]:
    """The same issues with what a list row shows besides labels; those are read by `glance`."""
    return (
        issues.select_related("repository__framework")
        .defer("body", "search_vector", "label_terms")
        .prefetch_related("fixes")
    )


def with_details(issues: QuerySet[Issue]) -> QuerySet[Issue]:
    """The same issues with what an API object needs, in a fixed number of queries."""
    labels = Label.objects.select_related("node__axis__scheme", "source__study").order_by(
        "axis__scheme__study", "axis__position", "source", "node__position"
    )
    return for_list(issues).prefetch_related(Prefetch("labels", labels))


def with_relatives(issues: QuerySet[Issue]) -> QuerySet[Issue]:
    """The same issues with their duplicates and relatives."""
    related = Issue.objects.select_related("repository").defer("body", "search_vector", "label_terms")
    return issues.prefetch_related(Prefetch("related", related))


def for_detail() -> QuerySet[Issue]:
    """All issues with their mirrored text, all details and relatives."""
    issues = with_relatives(with_details(Issue.objects.all())).select_related("two_readings")
    return issues.defer(None).defer("search_vector", "label_terms")


@dataclass(frozen=True)
class AxisLabels:
    """The labels of one issue on one axis."""

    axis: Axis
    labels: tuple[Label, ...]


def labels_by_axis(issue: Issue, *, house: bool) -> tuple[AxisLabels, ...]:
    """The issue's prefetched labels grouped by axis: the house codebook's, or the studies'; no suggestions."""
    labels = (label for label in issue.labels.all() if not _is_rules(label))
    return _by_axis(label for label in labels if label.node.axis.scheme.is_house is house)


def suggestions(issue: Issue) -> tuple[AxisLabels, ...]:
    """What rules suggest, from the issue's prefetched labels, where nobody has answered the question."""
    labels = [label for label in issue.labels.all() if label.node.axis.scheme.is_house]
    answered = {label.axis_id for label in labels if not _is_rules(label)}
    return _by_axis(label for label in labels if _is_rules(label) and label.axis_id not in answered)


def _by_axis(labels: Iterable[Label]) -> tuple[AxisLabels, ...]:
    grouped: dict[Axis, list[Label]] = {}
    for label in labels:
        grouped.setdefault(label.node.axis, []).append(label)
    return tuple(AxisLabels(axis, tuple(some)) for axis, some in grouped.items())


def _is_rules(label: Label) -> bool:
    return label.source.kind == Source.Kind.RULE


def axes_without_labels(groups: Iterable[AxisLabels]) -> tuple[Axis, ...]:
    """The house codebook's questions that these labels leave open."""
    answered = [group.axis.pk for group in groups]
    return tuple(Axis.objects.filter(scheme__study=None).exclude(pk__in=answered).order_by("position"))


@dataclass(frozen=True)
class StudyLabels:
    """What one study's label set says about an issue, in that study's own categories."""

    source: Source
    labels: tuple[Label, ...]


def study_labels(issue: Issue) -> tuple[StudyLabels, ...]:
    """The issue's prefetched labels on studies' schemes, grouped by who holds them."""
    held: dict[int, list[Label]] = {}
    for group in labels_by_axis(issue, house=False):
        for label in group.labels:
            held.setdefault(label.source_id, []).append(label)
    return tuple(StudyLabels(labels[0].source, tuple(labels)) for labels in held.values())


class Answer(NamedTuple):
    """A code of the house codebook and its name; the code itself where the codebook has it no more."""

    code: str
    name: str


class Said(NamedTuple):
    """What two readers said to a question, what is kept of it, and why."""

    axis: Axis
    first: tuple[Answer, ...]
    second: tuple[Answer, ...]
    kept: tuple[Answer, ...]
    why: str


@dataclass(frozen=True)
class ReadTwice:
    """How two independent readings of a curated issue compare."""

    held: TwoReadings
    same: tuple[Axis, ...]
    differing: tuple[Said, ...]
    changed_later: tuple[Said, ...]


def read_twice(issue: Issue, axes: Iterable[Axis]) -> ReadTwice | None:
    """What both readers of a curated record said on the house codebook's axes; None where it was read once."""
    held: TwoReadings | None = getattr(issue, "two_readings", None)
    if held is None:
        return None
    by_code = {axis.code: axis for axis in axes}
    told = [one for one in held.answers if one["axis"] in by_code]
    names = _names(by_code.values(), (code for one in told for code in (*one["first"], *one["second"])))
    said = [_said(issue, by_code[one["axis"]], one, names) for one in told]
    differing = tuple(one for one in said if set(one.first) != set(one.second))
    agreed = tuple(one for one in said if one not in differing)
    same = tuple(one.axis for one in agreed if one.first)
    return ReadTwice(held, same, differing, tuple(one for one in agreed if one.why))


def _names(axes: Iterable[Axis], codes: Iterable[str]) -> dict[tuple[int, str], str]:
    nodes = Node.objects.filter(axis__in=list(axes), code__in=set(codes))
    return {(axis, code): name for axis, code, name in nodes.values_list("axis", "code", "name")}


def _said(issue: Issue, axis: Axis, told: Mapping[str, Any], names: Mapping[tuple[int, str], str]) -> Said:
    first, second = (
        tuple(Answer(code, names.get((axis.pk, code), code)) for code in told[who]) for who in ("first", "second")
    )
    kept = (label.node for label in issue.labels.all() if label.axis_id == axis.pk and _is_curated(label))
    return Said(axis, first, second, tuple(Answer(node.code, node.name) for node in kept), told["why"])


def _is_curated(label: Label) -> bool:
    return label.source.kind == Source.Kind.CURATED


@dataclass(frozen=True)
class KnownBy:
    """How one project came to what it says of an issue, question by question."""

    source: Source
    project: str
    answers: tuple[Provenance, ...]


def became_known(issue: Issue) -> tuple[KnownBy, ...]:
    """How labeling projects came to their answers about an issue; one statement, none where `get_issue` saw none.

    The issue's prefetched labels learn the confidence of their answer.
    """
    if not getattr(issue, "has_chain", True):
        return ()
    rows = Provenance.objects.filter(issue=issue).select_related("axis__scheme", "source__study")
    by_source: dict[int, list[Provenance]] = {}
    for row in rows.order_by("source", "axis__position"):
        by_source.setdefault(row.source_id, []).append(row)
        for label in issue.labels.all():
            if (label.source_id, label.axis_id) == (row.source_id, row.axis_id):
                label.confidence = row.confidence
    return tuple(KnownBy(some[0].source, some[0].project, tuple(some)) for some in by_source.values())


def get_issue(*, host: str, full_name: str, ref: str) -> Issue:
    """One issue with its mirrored text, all details and relatives. Raises `Issue.DoesNotExist`."""
    chain = Exists(Provenance.objects.filter(issue=OuterRef("pk")).order_by())
    return (
        for_detail()
        .annotate(has_chain=chain)
        .get(repository__host=host, repository__full_name__iexact=full_name, ref=ref)
    )


def newest_fixes(*, limit: int = 6) -> Sequence[Fix]:
    """The latest merged fixes of described issues; those without a merge date come last."""
    ours = Issue.objects.curated().true_issues()
    is_ours = Exists(Issue.fixes.through.objects.filter(fix=OuterRef("pk"), issue__in=ours.order_by()))
    issues = ours.select_related("repository").defer("body", "search_vector", "label_terms")
    return list(
        Fix.objects.filter(is_ours)
        .prefetch_related(Prefetch("issues", issues, to_attr="described"))
        .order_by(F("merged_on").desc(nulls_last=True), "-pk")[:limit]
    )
