"""Totals of the knowledge base for the home page and the page about data quality.

Counting reads every issue, so the results are cached until rows change.
"""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple

from django.db.models import Count, Exists, F, Max, Min, OuterRef, Q, QuerySet

from kb.models import HOUSE, CauseLink, Fix, Issue, IssueFacts, Kind, Label, Node, Playbook, Scheme, Source, Study
from kb.selectors.fix_patterns import pattern_counts
from kb.selectors.issues import newest_fixes
from kb.selectors.remembered import remembered


class FrameworkCount(NamedTuple):
    """A framework's issues, without known pull requests, and how many of them are curated."""

    slug: str
    name: str
    issues: int
    curated: int


@dataclass(frozen=True)
class Counts:
    """Totals of the knowledge base."""

    issues: int
    pull_requests: int
    unknown_kind: int
    curated: int
    resolved: int
    frameworks: tuple[FrameworkCount, ...]
    fixes: int
    studies: int
    imported_studies: int
    last_read: dt.date | None

    @property
    def mirrored(self) -> int:
        """Issues that are kept as their hosts have them, and that nobody described."""
        return self.issues - self.curated


@dataclass(frozen=True)
class Front:
    """The lists of the home page."""

    links: Sequence[CauseLink]
    fixes: Sequence[Fix]


def front() -> Front:
    """The home page's lists, cached as `counts` are."""
    return remembered("front", lambda: Front(commonest_links(), newest_fixes()))


def counts() -> Counts:
    """The totals; cached until rows change, for five minutes at most."""
    return remembered("counts", _count)


def _count() -> Counts:
    curated = Q(is_curated=True) & ~Q(kind=Kind.PULL_REQUEST)
    rows = list(
        Issue.objects.values(slug=F("repository__framework__slug"), name=F("repository__framework__name"))
        .annotate(
            issues=Count("pk", filter=~Q(kind=Kind.PULL_REQUEST)),
            pulls=Count("pk", filter=Q(kind=Kind.PULL_REQUEST)),
            unknown=Count("pk", filter=Q(kind=Kind.UNKNOWN)),
            curated=Count("pk", filter=curated),
            resolved=Count("pk", filter=curated & Q(resolution__gt="")),
            last_read=Max("read_on"),
        )
        .order_by("-issues", "name")
    )
    frameworks = [
        FrameworkCount(row["slug"], row["name"], row["issues"], row["curated"]) for row in rows if row["issues"]
    ]
    return Counts(
        issues=sum(row["issues"] for row in rows),
        pull_requests=sum(row["pulls"] for row in rows),
        unknown_kind=sum(row["unknown"] for row in rows),
        curated=sum(row["curated"] for row in rows),
        resolved=sum(row["resolved"] for row in rows),
        frameworks=tuple(frameworks),
        fixes=Fix.objects.count(),
        studies=Study.objects.count(),
        imported_studies=_imported_studies(),
        last_read=max((row["last_read"] for row in rows if row["last_read"]), default=None),
    )


@dataclass(frozen=True)
class Library:
    """The numbers of the section Learn. The codebook's version is empty as long as no codebook is loaded."""

    playbooks: int
    pattern_issues: int
    pattern_fixes: int
    version: str
    axes: int
    nodes: int
    studies: int
    imported_studies: int
    first_year: int | None
    last_year: int | None


def library() -> Library:
    """What there is to learn from, cached as `counts` are."""
    return remembered("library", _library)


def _library() -> Library:
    patterns = pattern_counts().values()
    nodes = Node.objects.house().filter(status=Node.Status.ACTIVE)
    studies = Study.objects.aggregate(studies=Count("pk"), first_year=Min("year"), last_year=Max("year"))
    return Library(
        playbooks=Playbook.objects.filter(node__status=Node.Status.ACTIVE).count(),
        pattern_issues=IssueFacts.objects.filter(holder=HOUSE, is_pull=False).exclude(fix="").count(),
        pattern_fixes=len({fix.id for pattern in patterns for fix in pattern.fixes}),
        version=Scheme.objects.filter(study=None).values_list("version", flat=True).first() or "",
        **nodes.aggregate(axes=Count("axis", distinct=True), nodes=Count("pk")),
        **studies,
        imported_studies=_imported_studies(),
    )


def _imported_studies() -> int:
    held = Exists(Label.objects.filter(source=OuterRef("pk")))
    holders = Source.objects.filter(held, kind=Source.Kind.STUDY)
    return holders.values("study").distinct().count()


def commonest_links() -> Sequence[CauseLink]:
    """The curated source's links between top-level symptoms and causes: the commonest symptom and cause first."""
    links = CauseLink.objects.filter(source__kind=Source.Kind.CURATED, symptom__parent=None, cause__parent=None)
    return list(
        links.select_related("source", "symptom__axis__scheme", "cause__axis__scheme").order_by(
            "-symptom_issues", "symptom", "-issues", "pk"
        )
    )


class SourceCount(NamedTuple):
    """A source with the number of its labels, and of the issues that carry them, without pull requests."""

    source: Source
    labels: int
    issues: int


@dataclass(frozen=True)
class Gaps:
    """The number of curated issues, and of those that lack a certain value."""

    curated: int
    no_cause: int
    no_pattern: int
    no_resolution: int
    no_workaround: int
    no_fix: int
    no_opening_date: int


@dataclass(frozen=True)
class Quality:
    """Labels by source, gaps of curated issues, and the times of the latest label and change."""

    sources: tuple[SourceCount, ...]
    gaps: Gaps
    last_label: dt.datetime | None
    last_mirrored: dt.datetime | None


def quality() -> Quality:
    """The quality of the data, cached as `counts` are."""
    return remembered("quality", _quality)


def _quality() -> Quality:
    issues = Count("issue", distinct=True, filter=~Q(issue__kind=Kind.PULL_REQUEST))
    rows = Label.objects.order_by().values_list("source").annotate(labels=Count("pk"), issues=issues)
    held = {source: (labels, issues) for source, labels, issues in rows}
    sources = sorted(Source.objects.filter(pk__in=held).select_related("study"), key=attrgetter("by_trust"))
    return Quality(
        sources=tuple(SourceCount(source, *held[source.pk]) for source in sources),
        gaps=_gaps(),
        last_label=Label.objects.by_people().aggregate(latest=Max("created_at"))["latest"],
        last_mirrored=Issue.objects.aggregate(latest=Max("host_updated_at"))["latest"],
    )


def _gaps() -> Gaps:
    issues = Issue.objects.curated().true_issues()
    fixed = Exists(Issue.fixes.through.objects.filter(issue=OuterRef("pk")))
    row = issues.aggregate(
        curated=Count("pk"),
        no_cause=Count("pk", filter=~_labelled("root_cause")),
        no_pattern=Count("pk", filter=~_labelled("fix_pattern")),
        no_resolution=Count("pk", filter=Q(resolution="")),
        no_workaround=Count("pk", filter=Q(workaround="")),
        no_fix=Count("pk", filter=~fixed),
        no_opening_date=Count("pk", filter=Q(opened_at=None)),
    )
    return Gaps(**row)


def _labelled(axis: str) -> Exists:
    labels: QuerySet[Label] = Label.objects.by_people().filter(issue=OuterRef("pk"), axis__scheme__study=None)
    return Exists(labels.filter(axis__code=axis))
