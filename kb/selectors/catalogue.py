"""Whole tables as lists: frameworks, repositories, sources, nodes, crosswalks, cause links, fixes.

Every list has a total order and reads its relations in a fixed number of queries. Issues are in `issues`.
"""

from django.db.models import Count, F, OuterRef, Prefetch, QuerySet, Subquery
from django.db.models.functions import Coalesce

from kb.models import (
    CauseLink,
    Crosswalk,
    Fix,
    Framework,
    Issue,
    Kind,
    Label,
    Node,
    Repository,
    Scheme,
    Source,
    Study,
    trust_order,
)
from kb.selectors import codebook
from kb.selectors.listed import with_listed


def frameworks() -> QuerySet[Framework]:
    """Frameworks with their repositories and `issue_count`."""
    counted = Issue.objects.true_issues().filter(repository__framework=OuterRef("pk")).order_by()
    return (
        Framework.objects.annotate(issue_count=_counted(counted, "repository__framework"))
        .prefetch_related("repositories")
        .order_by("name", "pk")
    )


def repositories() -> QuerySet[Repository]:
    """Repositories with their framework, old names and `issue_count`."""
    counted = Issue.objects.true_issues().filter(repository=OuterRef("pk")).order_by()
    return (
        Repository.objects.annotate(issue_count=_counted(counted, "repository"))
        .select_related("framework")
        .prefetch_related("aliases")
        .order_by("host", "full_name", "pk")
    )


def sources() -> QuerySet[Source]:
    """Sources, most trusted first, with `label_count` and `issue_count` (without known pull requests)."""
    labels = Label.objects.filter(source=OuterRef("pk")).order_by()
    on_issues = labels.exclude(issue__kind=Kind.PULL_REQUEST)
    return (
        Source.objects.annotate(
            label_count=_counted(labels, "source"), issue_count=_counted(on_issues, "source", "issue")
        )
        .select_related("study")
        .order_by(trust_order(), "slug", "pk")
    )


def schemes() -> QuerySet[Scheme]:
    """Schemes with their axes."""
    return codebook.schemes().prefetch_related("axes").order_by("slug", "pk")


def studies() -> QuerySet[Study]:
    """Studies with the number of their imported reports and the studies they overlap with."""
    return codebook.studies().prefetch_related("overlaps").order_by("code", "pk")


def _counted(rows: QuerySet[Issue] | QuerySet[Label], by: str, what: str = "pk") -> Coalesce:
    """A subquery that counts the rows, or their distinct values of `what`, for each value of `by`."""
    count = Count(what, distinct=what != "pk")
    return Coalesce(Subquery(rows.values(by).annotate(n=count).values("n")), 0)


def nodes() -> QuerySet[Node]:
    """Nodes of all schemes in the order of their axes, with parent and successor."""
    rows = Node.objects.select_related("axis__scheme", "parent__axis__scheme", "merged_into__axis__scheme")
    return with_listed(rows).order_by("axis__scheme__slug", "axis__position", "axis__code", "position", "pk")


def crosswalks() -> QuerySet[Crosswalk]:
    """Relations between nodes of two schemes, with both nodes."""
    return Crosswalk.objects.select_related("from_node__axis__scheme", "to_node__axis__scheme").order_by(
        "from_node__axis__scheme__slug", "from_node__axis__position", "from_node__position", "pk"
    )


def cause_links() -> QuerySet[CauseLink]:
    """Symptom → cause links of all sources, source by source, most trusted first, then most issues first."""
    return CauseLink.objects.select_related("source", "symptom__axis__scheme", "cause__axis__scheme").order_by(
        trust_order("source__"), "source__slug", "-issues", "pk"
    )


def fixes() -> QuerySet[Fix]:
    """Fixes with their issues, newest first."""
    shown = Issue.objects.true_issues().select_related("repository").defer("body", "search_vector", "label_terms")
    return Fix.objects.prefetch_related(Prefetch("issues", shown)).order_by(F("merged_on").desc(nulls_last=True), "pk")


def scheme_version(*, slug: str) -> str:
    """The version of a scheme; empty when there is no such scheme."""
    return Scheme.objects.filter(slug=slug).values_list("version", flat=True).first() or ""


def study_by_code(*, code: str) -> Study | None:
    """The study with this code; None while it is not loaded."""
    return Study.objects.filter(code=code).first()
