"""Reading issues and fixes for pages, API and exports. Which issues match a search is `kb.search`."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.postgres.search import SearchQuery, SearchRank
from django.db.models import Count, F, Prefetch, Q, QuerySet, Value

from kb.models import Axis, Fix, Issue, Kind, Label

SIMILAR_AXES = ("symptom", "root_cause", "component")


def with_details(issues: QuerySet[Issue]) -> QuerySet[Issue]:
    """The same issues with what a list row or an API object needs, in a fixed number of queries."""
    labels = Label.objects.select_related("node__axis__scheme", "source").order_by(
        "axis__scheme__study", "axis__position", "node__position"
    )
    return (
        issues.select_related("repository__framework")
        .defer("body", "search_vector", "label_terms")
        .prefetch_related(Prefetch("labels", labels), "fixes")
    )


@dataclass(frozen=True)
class AxisLabels:
    """The labels of one issue on one axis."""

    axis: Axis
    labels: tuple[Label, ...]


def labels_by_axis(issue: Issue, *, house: bool) -> tuple[AxisLabels, ...]:
    """The issue's prefetched labels grouped by axis: the house codebook's, or the studies'."""
    grouped: dict[int, list[Label]] = {}
    axes: dict[int, Axis] = {}
    for label in issue.labels.all():
        if label.node.axis.scheme.is_house is house:
            axes[label.node.axis_id] = label.node.axis
            grouped.setdefault(label.node.axis_id, []).append(label)
    return tuple(AxisLabels(axes[pk], tuple(labels)) for pk, labels in grouped.items())


def get_issue(*, host: str, full_name: str, ref: str) -> Issue:
    """One issue with all details and relatives. Raises `Issue.DoesNotExist`."""
    related = Issue.objects.select_related("repository").defer("body", "search_vector")
    return (
        with_details(Issue.objects.all())
        .prefetch_related(Prefetch("related", related))
        .get(repository__host=host, repository__full_name__iexact=full_name, ref=ref)
    )


def similar_issues(issue: Issue, *, limit: int = 5) -> Sequence[Issue]:
    """Described issues that share most labels with this one; ties go to the closer title.

    The measure is the number of shared symptoms, causes and components of trusted sources.
    """
    nodes = [
        label.node_id
        for label in issue.labels.all()
        if label.node.axis.scheme.is_house and label.node.axis.code in SIMILAR_AXES
    ]
    if not nodes:
        return []
    words = SearchQuery(issue.display_title, config="english")
    return list(
        Issue.objects.curated()
        .exclude(pk=issue.pk)
        .filter(labels__node__in=nodes)
        .annotate(
            shared=Count("labels__node", filter=Q(labels__node__in=nodes), distinct=True),
            closeness=SearchRank(F("search_vector"), words, normalization=Value(1)),
        )
        .select_related("repository__framework")
        .defer("body", "search_vector", "label_terms")
        .order_by("-shared", "-closeness", "-pk")[:limit]
    )


def newest_fixes(*, limit: int = 6) -> Sequence[Fix]:
    """The latest merged fixes of described issues; those without a merge date come last."""
    issues = Issue.objects.curated().select_related("repository")
    return list(
        Fix.objects.filter(issues__summary__gt="")
        .distinct()
        .prefetch_related(Prefetch("issues", issues, to_attr="described"))
        .order_by(F("merged_on").desc(nulls_last=True), "-pk")[:limit]
    )


def kinds_counted() -> dict[str, int]:
    """How many rows of each kind are known."""
    rows = Issue.objects.values_list("kind").annotate(n=Count("pk")).order_by()
    return {Kind(kind).label: n for kind, n in rows}
