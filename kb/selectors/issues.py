"""Issues and fixes for pages, API and exports. Searching is in `kb.search`."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypedDict

from django.db.models import Exists, F, OuterRef, Prefetch, QuerySet

from kb.models import Axis, Fix, Issue, Label, Node, Provenance, Source, TwoReadings
from kb.selectors.issue_labels import LABEL_ORDER

# No answer on these means that there is none to give, and not that the thread left it open.
AXES_OF_SOME = ("hardware",)
NEWEST_FIXES = 6
# What a link to an issue takes: its address here and on its host, and its title.
NAMED = ("url", "public_id", "heading", "title", "ref", "repository__host", "repository__full_name")


def for_list(issues: QuerySet[Issue]) -> QuerySet[Issue]:
    """The same issues with their repositories and fixes, without their texts."""
    return (
        issues.select_related("repository__framework")
        .defer("body", "search_vector", "label_terms")
        .prefetch_related("fixes")
    )


def with_details(issues: QuerySet[Issue]) -> QuerySet[Issue]:
    """The same issues with labels and fixes, in a fixed number of queries."""
    labels = Label.objects.select_related("node__axis__scheme", "source__study").order_by(*LABEL_ORDER)
    return for_list(issues).prefetch_related(Prefetch("labels", labels))


def with_relatives(issues: QuerySet[Issue]) -> QuerySet[Issue]:
    """The same issues with their duplicates and relatives, known here or not."""
    related = Issue.objects.select_related("repository").only(*NAMED)
    return issues.prefetch_related(Prefetch("related", related), "other_reports__repository")


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
    """The issue's prefetched labels by axis, of the house codebook or of studies' schemes; without suggestions."""
    labels = [label for label in issue.labels.all() if label.source.kind != Source.Kind.RULE]
    return _by_axis(label for label in labels if label.node.axis.scheme.is_house is house)


def suggestions(issue: Issue) -> tuple[AxisLabels, ...]:
    """Suggestions by rules on the axes that nobody has answered, from the issue's prefetched labels."""
    suggested: list[Label] = []
    answered: set[int] = set()
    for label in issue.labels.all():
        if label.source.kind == Source.Kind.RULE:
            suggested.append(label)
        else:
            answered.add(label.axis_id)
    is_house = (label for label in suggested if label.node.axis.scheme.is_house)
    return _by_axis(label for label in is_house if label.axis_id not in answered)


def _by_axis(labels: Iterable[Label]) -> tuple[AxisLabels, ...]:
    grouped: dict[Axis, list[Label]] = {}
    for label in labels:
        grouped.setdefault(label.node.axis, []).append(label)
    return tuple(AxisLabels(axis, tuple(axis_labels)) for axis, axis_labels in grouped.items())


def axes_without_labels(groups: Iterable[AxisLabels]) -> tuple[Axis, ...]:
    """The house codebook's axes that these labels leave open."""
    answered = [group.axis.pk for group in groups]
    due = Axis.objects.filter(scheme__study=None).exclude(code__in=AXES_OF_SOME)
    return tuple(due.exclude(pk__in=answered).order_by("position"))


@dataclass(frozen=True)
class StudyLabels:
    """One study's labels on an issue, in its own categories."""

    source: Source
    labels: tuple[Label, ...]


def study_labels(issue: Issue) -> tuple[StudyLabels, ...]:
    """The issue's prefetched labels on studies' schemes, by source."""
    by_source: dict[int, list[Label]] = {}
    for group in labels_by_axis(issue, house=False):
        for label in group.labels:
            by_source.setdefault(label.source_id, []).append(label)
    return tuple(StudyLabels(labels[0].source, tuple(labels)) for labels in by_source.values())


class Answer(NamedTuple):
    """A code of the house codebook and its name, which is the code itself where the codebook no longer has it."""

    code: str
    name: str


class ReadAnswers(TypedDict):
    """The two readers' codes on an axis, as `TwoReadings.answers` holds them."""

    axis: str
    first: list[str]
    second: list[str]
    why: str


class AxisReadings(NamedTuple):
    """Two readers' answers on an axis, the kept ones, and why these were kept."""

    axis: Axis
    first: tuple[Answer, ...]
    second: tuple[Answer, ...]
    kept: tuple[Answer, ...]
    why: str


@dataclass(frozen=True)
class ReadTwice:
    """The comparison of two independent readings of a curated issue."""

    held: TwoReadings
    same: tuple[Axis, ...]
    differing: tuple[AxisReadings, ...]
    changed_later: tuple[AxisReadings, ...]


def read_twice(issue: Issue, axes: Iterable[Axis]) -> ReadTwice | None:
    """Both readings of a curated issue on these axes; None where it was read once."""
    readings: TwoReadings | None = getattr(issue, "two_readings", None)
    if readings is None:
        return None
    by_code = {axis.code: axis for axis in axes}
    rows: list[ReadAnswers] = [row for row in readings.answers if row["axis"] in by_code]
    codes: set[str] = set()
    for row in rows:
        codes.update(row["first"], row["second"])
    nodes = Node.objects.filter(axis__in=list(by_code.values()), code__in=codes)
    names = {(axis, code): name for axis, code, name in nodes.values_list("axis__code", "code", "name")}
    same: list[Axis] = []
    differing: list[AxisReadings] = []
    changed_later: list[AxisReadings] = []
    for row in rows:
        answers = _axis_readings(issue, by_code[row["axis"]], row, names)
        if set(answers.first) != set(answers.second):
            differing.append(answers)
            continue
        if answers.first:
            same.append(answers.axis)
        if answers.why:
            changed_later.append(answers)
    return ReadTwice(readings, tuple(same), tuple(differing), tuple(changed_later))


def _axis_readings(issue: Issue, axis: Axis, row: ReadAnswers, names: Mapping[tuple[str, str], str]) -> AxisReadings:
    first = tuple(Answer(code, names.get((axis.code, code), code)) for code in row["first"])
    second = tuple(Answer(code, names.get((axis.code, code), code)) for code in row["second"])
    kept = [
        Answer(label.node.code, label.node.name)
        for label in issue.labels.all()
        if label.axis_id == axis.pk and label.source.kind == Source.Kind.CURATED
    ]
    return AxisReadings(axis, first, second, tuple(kept), row["why"])


@dataclass(frozen=True)
class KnownBy:
    """How one project came to its answers about an issue."""

    source: Source
    project: str
    answers: tuple[Provenance, ...]


def became_known(issue: Issue) -> tuple[KnownBy, ...]:
    """How labeling projects came to their answers about an issue, in one query; none where `get_issue` found none.

    Sets `confidence` of the issue's prefetched labels to that of the answer that they come from.
    """
    if not getattr(issue, "has_chain", True):
        return ()
    rows = Provenance.objects.filter(issue=issue).select_related("axis__scheme", "source__study")
    by_source: dict[int, list[Provenance]] = {}
    for row in rows.order_by("source", "axis__position"):
        row.issue = issue
        by_source.setdefault(row.source_id, []).append(row)
        for label in issue.labels.all():
            if (label.source_id, label.axis_id) == (row.source_id, row.axis_id):
                label.confidence = row.confidence
    return tuple(KnownBy(answers[0].source, answers[0].project, tuple(answers)) for answers in by_source.values())


def get_issue(*, host: str, full_name: str, ref: str) -> Issue:
    """One issue with its mirrored text, all details and relatives. Raises `Issue.DoesNotExist`."""
    return _for_page().get(repository__host=host, repository__full_name__iexact=full_name, ref=ref)


def get_fault(*, public_id: str) -> Issue:
    """The same by the issue's public id, a present or a former one. Raises `Issue.DoesNotExist`."""
    try:
        return _for_page().get(public_id=public_id)
    except Issue.DoesNotExist:
        return _for_page().get(former_ids__public_id=public_id)


def _for_page() -> QuerySet[Issue]:
    chain = Exists(Provenance.objects.filter(issue=OuterRef("pk")).order_by())
    return for_detail().annotate(has_chain=chain)


def newest_fixes() -> Sequence[Fix]:
    """The latest merged fixes of curated issues; those without a merge date come last."""
    curated = Issue.objects.curated().true_issues()
    closes_curated = Exists(Issue.fixes.through.objects.filter(fix=OuterRef("pk"), issue__in=curated.order_by()))
    issues = curated.select_related("repository").defer("body", "search_vector", "label_terms")
    return list(
        Fix.objects.filter(closes_curated)
        .prefetch_related(Prefetch("issues", issues, to_attr="described"))
        .order_by(F("merged_on").desc(nulls_last=True), "-pk")[:NEWEST_FIXES]
    )
